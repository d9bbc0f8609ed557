import { api, array, int16, int32, string, uint16, uuid } from '../schema.ts';

/** EndQuorumEpoch. KIP-595; v1 ranks candidates with their directories (KIP-853). */
export const endQuorumEpoch = api({
  key: 54,
  name: 'EndQuorumEpoch',
  versions: '0-1',
  flexible: '1+',
  listeners: ['controller'],
  clusterAction: true,
  request: {
    clusterId: string({ nullable: '0+', default: null }),
    topics: array({
      topicName: string(),
      partitions: array({
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32(),
        preferredSuccessors: array(int32(), { versions: '0', ignorable: true, default: [] }),
        preferredCandidates: array({ candidateId: int32(), candidateDirectoryId: uuid() }, { versions: '1+', ignorable: true }),
      }),
    }),
    leaderEndpoints: array(
      { name: string({ mapKey: true }), host: string(), port: uint16() },
      { versions: '1+', ignorable: true },
    ),
  },
  response: {
    errorCode: int16({ default: 0 }),
    topics: array({
      topicName: string(),
      partitions: array({ partitionIndex: int32(), errorCode: int16({ default: 0 }), leaderId: int32(), leaderEpoch: int32() }),
    }),
    nodeEndpoints: array({ nodeId: int32({ mapKey: true }), host: string(), port: uint16() }, { tagged: '1+', tag: 0 }),
  },
});
