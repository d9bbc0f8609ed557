import { api, array, int16, int32, int64, int8, string, uuid } from '../schema.ts';

/** ReadShareGroupState. KIP-932: share coordinator. */
export const readShareGroupState = api({
  key: 84,
  name: 'ReadShareGroupState',
  versions: '0',
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
        startOffset: int64(),
        stateBatches: array({ firstOffset: int64(), lastOffset: int64(), deliveryState: int8(), deliveryCount: int16() }),
      }),
    }),
  },
});
