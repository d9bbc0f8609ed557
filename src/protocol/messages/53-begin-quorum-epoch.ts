import { api, array, int16, int32, string, uint16, uuid } from '../schema.ts';

/** BeginQuorumEpoch. KIP-595; v1 names directories (KIP-853). */
export const beginQuorumEpoch = api({
  key: 53,
  name: 'BeginQuorumEpoch',
  versions: '0-1',
  flexible: '1+',
  listeners: ['controller'],
  clusterAction: true,
  request: {
    clusterId: string({ nullable: '0+', default: null }),
    voterId: int32({ versions: '1+', ignorable: true, default: -1 }),
    topics: array({
      topicName: string(),
      partitions: array({
        partitionIndex: int32(),
        voterDirectoryId: uuid({ versions: '1+', ignorable: true }),
        leaderId: int32(),
        leaderEpoch: int32(),
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
