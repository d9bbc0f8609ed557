import { int32, int64, message, string } from '../../../protocol/schema.ts';

/** The target assignment of a consumer group. */
export const consumerGroupTargetAssignmentMetadataKey = message({
  name: 'ConsumerGroupTargetAssignmentMetadataKey',
  key: 6,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** Its epoch. */
export const consumerGroupTargetAssignmentMetadataValue = message({
  name: 'ConsumerGroupTargetAssignmentMetadataValue',
  key: 6,
  versions: '0',
  flexible: '0+',
  fields: { assignmentEpoch: int32(), assignmentTimestamp: int64({ tagged: '0+', tag: 0, ignorable: true, default: 0 }) },
});
