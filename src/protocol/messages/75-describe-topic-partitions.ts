import { api, array, boolean, int16, int32, string, struct, uuid } from '../schema.ts';

/** DescribeTopicPartitions. KIP-966: pages through the partitions of topics. */
export const describeTopicPartitions = api({
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    topics: array({ name: string() }),
    responsePartitionLimit: int32({ default: 2000 }),
    cursor: struct({ topicName: string(), partitionIndex: int32() }, { nullable: '0+', default: null }),
  },
  response: {
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    topics: array({
      errorCode: int16({ default: 0 }),
      name: string({ nullable: '0+', mapKey: true }),
      topicId: uuid({ ignorable: true }),
      isInternal: boolean({ ignorable: true, default: false }),
      partitions: array({
        errorCode: int16({ default: 0 }),
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32({ ignorable: true, default: -1 }),
        replicaNodes: array(int32()),
        isrNodes: array(int32()),
        eligibleLeaderReplicas: array(int32(), { nullable: '0+', default: null }),
        lastKnownElr: array(int32(), { nullable: '0+', default: null }),
        offlineReplicas: array(int32(), { ignorable: true }),
      }),
      topicAuthorizedOperations: int32({ default: -2_147_483_648 }),
    }),
    nextCursor: struct({ topicName: string(), partitionIndex: int32() }, { nullable: '0+', default: null }),
  },
});
