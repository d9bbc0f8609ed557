import { array, int32, int8, message, string, uuid } from '../../../protocol/schema.ts';

const topicPartitions = { topicId: uuid(), partitions: array(int32()) };

/** The current assignment of a member. */
export const shareGroupCurrentMemberAssignmentKey = message({
  name: 'ShareGroupCurrentMemberAssignmentKey',
  key: 14,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** The partitions that the member has. */
export const shareGroupCurrentMemberAssignmentValue = message({
  name: 'ShareGroupCurrentMemberAssignmentValue',
  key: 14,
  versions: '0',
  flexible: '0+',
  fields: { memberEpoch: int32(), previousMemberEpoch: int32(), state: int8(), assignedPartitions: array(topicPartitions) },
});
