import { api, array, int16, int32, int64, string, uuid } from '../schema.ts';

/**
 * OffsetCommit. v6 carries leader epochs (KIP-320), v7 static members (KIP-345); v9 serves the groups of KIP-848; v10
 * names topics by id.
 */
export const offsetCommit = api({
  key: 8,
  name: 'OffsetCommit',
  versions: '2-10',
  flexible: '8+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    generationIdOrMemberEpoch: int32({ ignorable: true, default: -1 }),
    memberId: string({ ignorable: true }),
    groupInstanceId: string({ versions: '7+', nullable: '7+', default: null }),
    retentionTimeMs: int64({ versions: '2-4', ignorable: true, default: -1 }),
    topics: array({
      name: string({ versions: '0-9', ignorable: true, default: '' }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      partitions: array({
        partitionIndex: int32(),
        committedOffset: int64(),
        committedLeaderEpoch: int32({ versions: '6+', ignorable: true, default: -1 }),
        committedMetadata: string({ nullable: '0+' }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true, default: 0 }),
    topics: array({
      name: string({ versions: '0-9', ignorable: true }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      partitions: array({ partitionIndex: int32(), errorCode: int16({ default: 0 }) }),
    }),
  },
});
