import { int32, int64, message } from '../../protocol/schema.ts';

/** A broker that may not lead. */
export const fenceBrokerRecord = message({
  name: 'FenceBrokerRecord',
  key: 7,
  versions: '0',
  flexible: '0+',
  fields: { id: int32(), epoch: int64() },
});
