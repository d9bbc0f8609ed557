import { api, array, int16, int32, int64, string, uuid } from '../schema.ts';

/** ReadShareGroupStateSummary. KIP-932: share coordinator. */
export const readShareGroupStateSummary = api({
  key: 87,
  name: 'ReadShareGroupStateSummary',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker'],
  clusterAction: true,
  request: {
    groupId: string(),
    topics: array({ topicId: uuid(), partitions: array({ partition: int32(), leaderEpoch: int32() }) }),
  },
  response: {
    results: array({
      topicId: uuid(),
      partitions: array({
        partition: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+', default: null }),
        stateEpoch: int32(),
        leaderEpoch: int32(),
        startOffset: int64(),
        deliveryCompleteCount: int32({ versions: '1+', ignorable: true, default: -1 }),
      }),
    }),
  },
});
