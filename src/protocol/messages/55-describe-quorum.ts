import { api, array, int16, int32, int64, string, uint16, uuid } from '../schema.ts';

const replicaState = {
  replicaId: int32(),
  replicaDirectoryId: uuid({ versions: '2+' }),
  logEndOffset: int64(),
  lastFetchTimestamp: int64({ versions: '1+', ignorable: true, default: -1 }),
  lastCaughtUpTimestamp: int64({ versions: '1+', ignorable: true, default: -1 }),
};

/** DescribeQuorum. KIP-595; v1 tells when voters were last seen (KIP-836), v2 their directories and endpoints (KIP-853). */
export const describeQuorum = api({
  key: 55,
  name: 'DescribeQuorum',
  versions: '0-2',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  clusterAction: true,
  forwardable: true,
  request: { topics: array({ topicName: string(), partitions: array({ partitionIndex: int32() }) }) },
  response: {
    errorCode: int16({ default: 0 }),
    errorMessage: string({ versions: '2+', nullable: '2+', ignorable: true }),
    topics: array({
      topicName: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ versions: '2+', nullable: '2+', ignorable: true }),
        leaderId: int32(),
        leaderEpoch: int32(),
        highWatermark: int64(),
        currentVoters: array(replicaState),
        observers: array(replicaState),
      }),
    }),
    nodes: array(
      { nodeId: int32({ mapKey: true }), listeners: array({ name: string({ mapKey: true }), host: string(), port: uint16() }) },
      { versions: '2+' },
    ),
  },
});
