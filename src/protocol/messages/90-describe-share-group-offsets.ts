import { api, array, int16, int32, int64, string, uuid } from '../schema.ts';

/** DescribeShareGroupOffsets. KIP-932. */
export const describeShareGroupOffsets = api({
  key: 90,
  name: 'DescribeShareGroupOffsets',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groups: array({ groupId: string(), topics: array({ topicName: string(), partitions: array(int32()) }, { nullable: '0+' }) }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    groups: array({
      groupId: string(),
      topics: array({
        topicName: string(),
        topicId: uuid(),
        partitions: array({
          partitionIndex: int32(),
          startOffset: int64(),
          leaderEpoch: int32(),
          lag: int64({ versions: '1+', ignorable: true, default: -1 }),
          errorCode: int16({ default: 0 }),
          errorMessage: string({ nullable: '0+', default: null }),
        }),
      }),
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+', default: null }),
    }),
  },
});
