import { array, int32, int8, message, string, uuid } from '../../../protocol/schema.ts';

const topicPartitions = {
  topicId: uuid(),
  partitions: array(int32()),
  assignmentEpochs: array(int32(), { nullable: '0+', tagged: '0+', tag: 0 }),
};

/** The current assignment of a member. */
export const consumerGroupCurrentMemberAssignmentKey = message({
  name: 'ConsumerGroupCurrentMemberAssignmentKey',
  key: 8,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** The partitions that the member has, and those it must still give back. */
export const consumerGroupCurrentMemberAssignmentValue = message({
  name: 'ConsumerGroupCurrentMemberAssignmentValue',
  key: 8,
  versions: '0',
  flexible: '0+',
  fields: {
    memberEpoch: int32(),
    previousMemberEpoch: int32(),
    state: int8(),
    assignedPartitions: array(topicPartitions),
    partitionsPendingRevocation: array(topicPartitions),
  },
});
