import { api, array, int16, int32, int64, string } from '../schema.ts';

/** OffsetForLeaderEpoch. KIP-101, KIP-279; consumers ask too (KIP-320). */
export const offsetForLeaderEpoch = api({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: '2-4',
  flexible: '4+',
  listeners: ['broker'],
  request: {
    replicaId: int32({ versions: '3+', ignorable: true, default: -2 }),
    topics: array({
      topic: string({ mapKey: true }),
      partitions: array({
        partition: int32(),
        currentLeaderEpoch: int32({ ignorable: true, default: -1 }),
        leaderEpoch: int32(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    topics: array({
      topic: string({ mapKey: true }),
      partitions: array({
        errorCode: int16({ default: 0 }),
        partition: int32(),
        leaderEpoch: int32({ ignorable: true, default: -1 }),
        endOffset: int64({ default: -1 }),
      }),
    }),
  },
});
