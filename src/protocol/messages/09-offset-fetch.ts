import { api, array, boolean, int16, int32, int64, string, uuid } from '../schema.ts';

/**
 * OffsetFetch. From v2 null asks for all topics; v7 can wait for stable offsets (KIP-447), v8 asks for several groups
 * (KIP-709), v9 serves the groups of KIP-848; v10 names topics by id.
 */
export const offsetFetch = api({
  key: 9,
  name: 'OffsetFetch',
  versions: '1-10',
  flexible: '6+',
  listeners: ['broker'],
  request: {
    groupId: string({ versions: '0-7', default: '' }),
    topics: array({ name: string(), partitionIndexes: array(int32()) }, { versions: '0-7', nullable: '2-7', default: [] }),
    groups: array(
      {
        groupId: string(),
        memberId: string({ versions: '9+', nullable: '9+', ignorable: true, default: null }),
        memberEpoch: int32({ versions: '9+', ignorable: true, default: -1 }),
        topics: array(
          {
            name: string({ versions: '8-9', ignorable: true, default: '' }),
            topicId: uuid({ versions: '10+', ignorable: true }),
            partitionIndexes: array(int32()),
          },
          { nullable: '8+' },
        ),
      },
      { versions: '8+' },
    ),
    requireStable: boolean({ versions: '7+', default: false }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true, default: 0 }),
    topics: array(
      {
        name: string(),
        partitions: array({
          partitionIndex: int32(),
          committedOffset: int64(),
          committedLeaderEpoch: int32({ versions: '5-7', ignorable: true, default: -1 }),
          metadata: string({ nullable: '0-7' }),
          errorCode: int16({ default: 0 }),
        }),
      },
      { versions: '0-7', default: [] },
    ),
    errorCode: int16({ versions: '2-7', ignorable: true, default: 0 }),
    groups: array(
      {
        groupId: string(),
        topics: array({
          name: string({ versions: '8-9', ignorable: true }),
          topicId: uuid({ versions: '10+', ignorable: true }),
          partitions: array({
            partitionIndex: int32(),
            committedOffset: int64(),
            committedLeaderEpoch: int32({ ignorable: true, default: -1 }),
            metadata: string({ nullable: '8+' }),
            errorCode: int16({ default: 0 }),
          }),
        }),
        errorCode: int16({ default: 0 }),
      },
      { versions: '8+' },
    ),
  },
});
