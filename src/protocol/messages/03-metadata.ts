import { api, array, boolean, int16, int32, string, uuid } from '../schema.ts';

/**
 * Metadata. From v1 null asks for all topics and an empty list for none; v5 has offline replicas, v7 leader epochs
 * (KIP-320), v8 authorized operations (KIP-430), v10 topic ids (KIP-516); v11 leaves the cluster's operations to
 * DescribeCluster (KIP-700).
 */
export const metadata = api({
  key: 3,
  name: 'Metadata',
  versions: '0-13',
  flexible: '9+',
  listeners: ['broker'],
  request: {
    topics: array({ topicId: uuid({ versions: '10+', ignorable: true }), name: string({ nullable: '10+' }) }, { nullable: '1+' }),
    allowAutoTopicCreation: boolean({ versions: '4+', default: true }),
    includeClusterAuthorizedOperations: boolean({ versions: '8-10', default: false }),
    includeTopicAuthorizedOperations: boolean({ versions: '8+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true, default: 0 }),
    brokers: array({
      nodeId: int32({ mapKey: true }),
      host: string(),
      port: int32(),
      rack: string({ versions: '1+', nullable: '1+', ignorable: true, default: null }),
    }),
    clusterId: string({ versions: '2+', nullable: '2+', ignorable: true, default: null }),
    controllerId: int32({ versions: '1+', ignorable: true, default: -1 }),
    topics: array({
      errorCode: int16({ default: 0 }),
      name: string({ nullable: '12+', mapKey: true }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      isInternal: boolean({ versions: '1+', ignorable: true, default: false }),
      partitions: array({
        errorCode: int16({ default: 0 }),
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32({ versions: '7+', ignorable: true, default: -1 }),
        replicaNodes: array(int32()),
        isrNodes: array(int32()),
        offlineReplicas: array(int32(), { versions: '5+', ignorable: true }),
      }),
      topicAuthorizedOperations: int32({ versions: '8+', default: -2_147_483_648 }),
    }),
    clusterAuthorizedOperations: int32({ versions: '8-10', default: -2_147_483_648 }),
    errorCode: int16({ versions: '13+', ignorable: true, default: 0 }),
  },
});
