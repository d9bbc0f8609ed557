import { api, array, int16, int32, string, struct, uuid } from '../schema.ts';

const topicPartitions = { topicId: uuid(), partitions: array(int32()) };

/** ShareGroupHeartbeat. KIP-932. */
export const shareGroupHeartbeat = api({
  key: 76,
  name: 'ShareGroupHeartbeat',
  versions: '1',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    memberId: string(),
    memberEpoch: int32(),
    rackId: string({ nullable: '0+', default: null }),
    subscribedTopicNames: array(string(), { nullable: '0+', default: null }),
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
