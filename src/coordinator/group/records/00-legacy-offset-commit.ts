import { int32, int64, message, string } from '../../../protocol/schema.ts';

/** An offset of a group, as brokers before 0.9 wrote it. */
export const legacyOffsetCommitKey = message({
  name: 'LegacyOffsetCommitKey',
  key: 0,
  versions: '0',
  flexible: 'none',
  fields: { group: string(), topic: string(), partition: int32() },
});

/** The offset; versions after 0 are those of OffsetCommitValue. */
export const legacyOffsetCommitValue = message({
  name: 'LegacyOffsetCommitValue',
  key: 0,
  versions: '0',
  flexible: 'none',
  fields: { offset: int64(), metadata: string(), commitTimestamp: int64() },
});
