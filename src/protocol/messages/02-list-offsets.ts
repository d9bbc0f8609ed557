import { api, array, int16, int32, int64, int8, string } from '../schema.ts';

/**
 * ListOffsets. v2 has the isolation level (KIP-98), v4 leader epochs (KIP-320), v7 the largest timestamp (KIP-734), v8 and
 * v9 the offsets of tiered storage (KIP-405, KIP-1005), v10 a timeout (KIP-1075).
 */
export const listOffsets = api({
  key: 2,
  name: 'ListOffsets',
  versions: '1-11',
  flexible: '6+',
  listeners: ['broker'],
  request: {
    replicaId: int32(),
    isolationLevel: int8({ versions: '2+' }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        currentLeaderEpoch: int32({ versions: '4+', ignorable: true, default: -1 }),
        timestamp: int64({ nearest: true }),
      }),
    }),
    timeoutMs: int32({ versions: '10+', ignorable: true }),
  },
  response: {
    throttleTimeMs: int32({ versions: '2+', ignorable: true, default: 0 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        timestamp: int64({ default: -1, nearest: true }),
        offset: int64({ default: -1 }),
        leaderEpoch: int32({ versions: '4+', default: -1 }),
      }),
    }),
  },
});
