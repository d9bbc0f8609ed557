import { array, int32, message, string, uuid } from '../../../protocol/schema.ts';

/** The target assignment of a member. */
export const shareGroupTargetAssignmentMemberKey = message({
  name: 'ShareGroupTargetAssignmentMemberKey',
  key: 13,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** The partitions that the member shall have. */
export const shareGroupTargetAssignmentMemberValue = message({
  name: 'ShareGroupTargetAssignmentMemberValue',
  key: 13,
  versions: '0',
  flexible: '0+',
  fields: { topicPartitions: array({ topicId: uuid(), partitions: array(int32()) }) },
});
