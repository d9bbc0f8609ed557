import { int32, int64, message } from '../../protocol/schema.ts';

/** A broker that may lead again. */
export const unfenceBrokerRecord = message({
  name: 'UnfenceBrokerRecord',
  key: 8,
  versions: '0',
  flexible: '0+',
  fields: { id: int32(), epoch: int64() },
});
