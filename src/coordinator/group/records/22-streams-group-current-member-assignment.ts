import { array, int32, int8, message, string } from '../../../protocol/schema.ts';

const taskIds = {
  subtopologyId: string(),
  partitions: array(int32()),
  assignmentEpochs: array(int32(), { nullable: '0+', tagged: '0+', tag: 0 }),
};

/** The current assignment of a member. */
export const streamsGroupCurrentMemberAssignmentKey = message({
  name: 'StreamsGroupCurrentMemberAssignmentKey',
  key: 22,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** The tasks that the member has, and those it must still give back. */
export const streamsGroupCurrentMemberAssignmentValue = message({
  name: 'StreamsGroupCurrentMemberAssignmentValue',
  key: 22,
  versions: '0',
  flexible: '0+',
  fields: {
    memberEpoch: int32(),
    previousMemberEpoch: int32(),
    state: int8(),
    activeTasks: array(taskIds),
    standbyTasks: array(taskIds),
    warmupTasks: array(taskIds),
    activeTasksPendingRevocation: array(taskIds),
    standbyTasksPendingRevocation: array(taskIds),
    warmupTasksPendingRevocation: array(taskIds),
  },
});
