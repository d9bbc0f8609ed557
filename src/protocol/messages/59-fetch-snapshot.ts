import { api, array, int16, int32, int64, records, string, struct, uint16, uuid } from '../schema.ts';

/** FetchSnapshot. KIP-630; v1 names directories (KIP-853). */
export const fetchSnapshot = api({
  key: 59,
  name: 'FetchSnapshot',
  versions: '0-1',
  flexible: '0+',
  listeners: ['controller'],
  request: {
    clusterId: string({ nullable: '0+', tagged: '0+', tag: 0, default: null }),
    replicaId: int32({ default: -1 }),
    maxBytes: int32({ default: 2_147_483_647 }),
    topics: array({
      name: string(),
      partitions: array({
        partition: int32(),
        currentLeaderEpoch: int32(),
        snapshotId: struct({ endOffset: int64(), epoch: int32() }),
        position: int64(),
        replicaDirectoryId: uuid({ tagged: '1+', tag: 0, ignorable: true }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    errorCode: int16({ default: 0 }),
    topics: array({
      name: string(),
      partitions: array({
        index: int32(),
        errorCode: int16({ default: 0 }),
        snapshotId: struct({ endOffset: int64(), epoch: int32() }),
        currentLeader: struct({ leaderId: int32(), leaderEpoch: int32() }, { tagged: '0+', tag: 0 }),
        size: int64(),
        position: int64(),
        unalignedRecords: records(),
      }),
    }),
    nodeEndpoints: array({ nodeId: int32({ mapKey: true }), host: string(), port: uint16() }, { tagged: '1+', tag: 0 }),
  },
});
