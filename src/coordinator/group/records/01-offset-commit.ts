import { int32, int64, message, string, uuid } from '../../../protocol/schema.ts';

/** A group's committed offset of a partition. */
export const offsetCommitKey = message({
  name: 'OffsetCommitKey',
  key: 1,
  versions: '0',
  flexible: 'none',
  fields: { group: string(), topic: string(), partition: int32() },
});

/** The offset. v3 has the leader epoch (KIP-320), v4 the topic id. */
export const offsetCommitValue = message({
  name: 'OffsetCommitValue',
  key: 1,
  versions: '0-4',
  flexible: '4+',
  fields: {
    offset: int64(),
    leaderEpoch: int32({ versions: '3+', ignorable: true, default: -1 }),
    metadata: string(),
    commitTimestamp: int64(),
    expireTimestamp: int64({ versions: '1', ignorable: true, default: -1 }),
    topicId: uuid({ tagged: '4+', tag: 0, ignorable: true }),
  },
});
