import { int32, int64, message, string } from '../../../protocol/schema.ts';

/** The target assignment of a share group. */
export const shareGroupTargetAssignmentMetadataKey = message({
  name: 'ShareGroupTargetAssignmentMetadataKey',
  key: 12,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** Its epoch. */
export const shareGroupTargetAssignmentMetadataValue = message({
  name: 'ShareGroupTargetAssignmentMetadataValue',
  key: 12,
  versions: '0',
  flexible: '0+',
  fields: { assignmentEpoch: int32(), assignmentTimestamp: int64({ tagged: '0+', tag: 0, ignorable: true, default: 0 }) },
});
