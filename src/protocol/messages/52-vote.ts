import { api, array, boolean, int16, int32, int64, string, uint16, uuid } from '../schema.ts';

/** Vote. KIP-595; v1 names directories (KIP-853), v2 can ask before the epoch is raised (KIP-996). */
export const vote = api({
  key: 52,
  name: 'Vote',
  versions: '0-2',
  flexible: '0+',
  listeners: ['controller'],
  clusterAction: true,
  request: {
    clusterId: string({ nullable: '0+', default: null }),
    voterId: int32({ versions: '1+', ignorable: true, default: -1 }),
    topics: array({
      topicName: string(),
      partitions: array({
        partitionIndex: int32(),
        replicaEpoch: int32(),
        replicaId: int32(),
        replicaDirectoryId: uuid({ versions: '1+', ignorable: true }),
        voterDirectoryId: uuid({ versions: '1+', ignorable: true }),
        lastOffsetEpoch: int32(),
        lastOffset: int64(),
        preVote: boolean({ versions: '2+' }),
      }),
    }),
  },
  response: {
    errorCode: int16({ default: 0 }),
    topics: array({
      topicName: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        leaderId: int32(),
        leaderEpoch: int32(),
        voteGranted: boolean(),
      }),
    }),
    nodeEndpoints: array({ nodeId: int32({ mapKey: true }), host: string(), port: uint16() }, { tagged: '1+', tag: 0 }),
  },
});
