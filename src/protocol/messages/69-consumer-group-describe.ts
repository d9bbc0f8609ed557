import { api, array, boolean, int16, int32, int8, string, struct, uuid } from '../schema.ts';

const topicPartitions = { topicId: uuid(), topicName: string(), partitions: array(int32()) };

const assignment = { topicPartitions: array(topicPartitions) };

/** ConsumerGroupDescribe. KIP-848. */
export const consumerGroupDescribe = api({
  key: 69,
  name: 'ConsumerGroupDescribe',
  versions: '0-1',
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
        instanceId: string({ nullable: '0+', default: null }),
        rackId: string({ nullable: '0+', default: null }),
        memberEpoch: int32(),
        clientId: string(),
        clientHost: string(),
        subscribedTopicNames: array(string()),
        subscribedTopicRegex: string({ nullable: '0+', default: null }),
        assignment: struct(assignment),
        targetAssignment: struct(assignment),
        memberType: int8({ versions: '1+', ignorable: true, default: -1 }),
      }),
      authorizedOperations: int32({ default: -2_147_483_648 }),
    }),
  },
});
