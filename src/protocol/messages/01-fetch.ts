import { api, array, int16, int32, int64, int8, NO_LIMIT, records, string, struct, uuid } from '../schema.ts';

/**
 * Fetch. v7 has sessions (KIP-227), v11 racks (KIP-392), v12 diverging epochs (KIP-595) and is flexible; v13 names topics
 * by id (KIP-516); v15 tags the replica's state (KIP-903); v16 tells the new leader (KIP-951); v17 carries directory ids
 * (KIP-853).
 */
export const fetch = api({
  key: 1,
  name: 'Fetch',
  versions: '4-18',
  flexible: '12+',
  listeners: ['broker', 'controller'],
  request: {
    clusterId: string({ nullable: '12+', tagged: '12+', tag: 0, ignorable: true, default: null }),
    replicaId: int32({ versions: '0-14', default: -1 }),
    replicaState: struct({ replicaId: int32({ default: -1 }), replicaEpoch: int64({ default: -1 }) }, { tagged: '15+', tag: 1 }),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ ignorable: true, default: 2_147_483_647 }),
    isolationLevel: int8({ ignorable: true, default: 0 }),
    sessionId: int32({ versions: '7+', ignorable: true, default: 0 }),
    sessionEpoch: int32({ versions: '7+', ignorable: true, default: -1 }),
    topics: array({
      topic: string({ versions: '0-12', ignorable: true, default: '' }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitions: array({
        partition: int32(),
        currentLeaderEpoch: int32({ versions: '9+', ignorable: true, default: -1 }),
        fetchOffset: int64({ nearest: true }),
        lastFetchedEpoch: int32({ versions: '12+', default: -1 }),
        logStartOffset: int64({ versions: '5+', ignorable: true, default: -1 }),
        partitionMaxBytes: int32(),
        replicaDirectoryId: uuid({ tagged: '17+', tag: 0, ignorable: true }),
        highWatermark: int64({ tagged: '18+', tag: 1, ignorable: true, default: NO_LIMIT }),
      }),
    }),
    forgottenTopicsData: array(
      {
        topic: string({ versions: '7-12', ignorable: true, default: '' }),
        topicId: uuid({ versions: '13+', ignorable: true }),
        partitions: array(int32()),
      },
      { versions: '7+' },
    ),
    rackId: string({ versions: '11+', ignorable: true }),
  },
  response: {
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    errorCode: int16({ versions: '7+', ignorable: true, default: 0 }),
    sessionId: int32({ versions: '7+', default: 0 }),
    responses: array({
      topic: string({ versions: '0-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        highWatermark: int64(),
        lastStableOffset: int64({ ignorable: true, default: -1 }),
        logStartOffset: int64({ versions: '5+', ignorable: true, default: -1 }),
        divergingEpoch: struct({ epoch: int32({ default: -1 }), endOffset: int64({ default: -1 }) }, { tagged: '12+', tag: 0 }),
        currentLeader: struct(
          { leaderId: int32({ default: -1 }), leaderEpoch: int32({ default: -1 }) },
          { tagged: '12+', tag: 1 },
        ),
        snapshotId: struct({ endOffset: int64({ default: -1 }), epoch: int32({ default: -1 }) }, { tagged: '12+', tag: 2 }),
        abortedTransactions: array({ producerId: int64(), firstOffset: int64() }, { nullable: '4+', ignorable: true }),
        preferredReadReplica: int32({ versions: '11+', default: -1 }),
        records: records({ nullable: '0+' }),
      }),
    }),
    nodeEndpoints: array(
      { nodeId: int32({ mapKey: true }), host: string(), port: int32(), rack: string({ nullable: '16+', default: null }) },
      { tagged: '16+', tag: 0 },
    ),
  },
});
