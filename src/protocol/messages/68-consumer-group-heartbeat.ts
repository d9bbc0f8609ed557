import { api, array, int16, int32, string, struct, uuid } from '../schema.ts';

const topicPartitions = { topicId: uuid(), partitions: array(int32()) };

/** ConsumerGroupHeartbeat. KIP-848; v1 subscribes by a regular expression. */
export const consumerGroupHeartbeat = api({
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    memberId: string(),
    memberEpoch: int32(),
    instanceId: string({ nullable: '0+', default: null }),
    rackId: string({ nullable: '0+', default: null }),
    rebalanceTimeoutMs: int32({ default: -1 }),
    subscribedTopicNames: array(string(), { nullable: '0+', default: null }),
    subscribedTopicRegex: string({ versions: '1+', nullable: '1+', default: null }),
    serverAssignor: string({ nullable: '0+', default: null }),
    topicPartitions: array({ topicId: uuid(), partitions: array(int32()) }, { nullable: '0+', default: null }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
    memberId: string({ nullable: '0+', default: null }),
    memberEpoch: int32(),
    heartbeatIntervalMs: int32(),
    assignment: struct({ topicPartitions: array(topicPartitions) }, { nullable: '0+', default: null }),
  },
});
