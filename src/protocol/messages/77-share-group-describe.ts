import { api, array, boolean, int16, int32, string, struct, uuid } from '../schema.ts';

const topicPartitions = { topicId: uuid(), topicName: string(), partitions: array(int32()) };

const assignment = { topicPartitions: array(topicPartitions) };

/** ShareGroupDescribe. KIP-932. */
export const shareGroupDescribe = api({
  key: 77,
  name: 'ShareGroupDescribe',
  versions: '1',
  flexible: '0+',
  listeners: ['broker'],
  request: { groupIds: array(string()), includeAuthorizedOperations: boolean() },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    groups: array({
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+', default: null }),
      groupId: string(),
      groupState: string(),
      groupEpoch: int32(),
      assignmentEpoch: int32(),
      assignorName: string(),
      members: array({
        memberId: string(),
        rackId: string({ nullable: '0+', default: null }),
        memberEpoch: int32(),
        clientId: string(),
        clientHost: string(),
        subscribedTopicNames: array(string()),
        assignment: struct(assignment),
      }),
      authorizedOperations: int32({ default: -2_147_483_648 }),
    }),
  },
});
