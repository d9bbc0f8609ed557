import { api, array, int16, int32, int64, string, uuid } from '../schema.ts';

/** TxnOffsetCommit. v3 carries the member for fencing (KIP-447), v5 adds the group to the transaction by itself (KIP-890). */
export const txnOffsetCommit = api({
  key: 28,
  name: 'TxnOffsetCommit',
  versions: '0-6',
  flexible: '3+',
  listeners: ['broker'],
  request: {
    transactionalId: string(),
    groupId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    generationIdOrMemberEpoch: int32({ versions: '3+', default: -1 }),
    memberId: string({ versions: '3+' }),
    groupInstanceId: string({ versions: '3+', nullable: '3+', default: null }),
    topics: array({
      name: string({ versions: '0-5', ignorable: true, default: '' }),
      topicId: uuid({ versions: '6+', ignorable: true }),
      partitions: array({
        partitionIndex: int32(),
        committedOffset: int64(),
        committedLeaderEpoch: int32({ versions: '2+', ignorable: true, default: -1 }),
        committedMetadata: string({ nullable: '0+' }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    topics: array({
      name: string({ versions: '0-5', ignorable: true }),
      topicId: uuid({ versions: '6+', ignorable: true }),
      partitions: array({ partitionIndex: int32(), errorCode: int16({ default: 0 }) }),
    }),
  },
});
