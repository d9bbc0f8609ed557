import { int32, int64, message } from '../../protocol/schema.ts';

/** A broker that is gone for good. */
export const unregisterBrokerRecord = message({
  name: 'UnregisterBrokerRecord',
  key: 1,
  versions: '0',
  flexible: '0+',
  fields: { brokerId: int32(), brokerEpoch: int64() },
});
