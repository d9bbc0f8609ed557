import { array, int32, message, string } from '../../../protocol/schema.ts';

const taskIds = { subtopologyId: string(), partitions: array(int32()) };

/** The target assignment of a member. */
export const streamsGroupTargetAssignmentMemberKey = message({
  name: 'StreamsGroupTargetAssignmentMemberKey',
  key: 21,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** The tasks that the member shall have. */
export const streamsGroupTargetAssignmentMemberValue = message({
  name: 'StreamsGroupTargetAssignmentMemberValue',
  key: 21,
  versions: '0',
  flexible: '0+',
  fields: { activeTasks: array(taskIds), standbyTasks: array(taskIds), warmupTasks: array(taskIds) },
});
