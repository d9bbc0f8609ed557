import { array, int32, message, string, uuid } from '../../../protocol/schema.ts';

/** The target assignment of a member. */
export const consumerGroupTargetAssignmentMemberKey = message({
  name: 'ConsumerGroupTargetAssignmentMemberKey',
  key: 7,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** The partitions that the member shall have. */
export const consumerGroupTargetAssignmentMemberValue = message({
  name: 'ConsumerGroupTargetAssignmentMemberValue',
  key: 7,
  versions: '0',
  flexible: '0+',
  fields: { topicPartitions: array({ topicId: uuid(), partitions: array(int32()) }) },
});
