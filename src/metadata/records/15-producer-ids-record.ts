import { int32, int64, message } from '../../protocol/schema.ts';

/** The next block of producer ids. */
export const producerIdsRecord = message({
  name: 'ProducerIdsRecord',
  key: 15,
  versions: '0',
  flexible: '0+',
  fields: { brokerId: int32(), brokerEpoch: int64({ default: -1 }), nextProducerId: int64() },
});
