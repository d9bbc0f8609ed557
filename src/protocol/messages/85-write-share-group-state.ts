import { api, array, int16, int32, int64, int8, string, uuid } from '../schema.ts';

/** WriteShareGroupState. KIP-932: share coordinator. */
export const writeShareGroupState = api({
  key: 85,
  name: 'WriteShareGroupState',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker'],
  clusterAction: true,
  request: {
    groupId: string(),
    topics: array({
      topicId: uuid(),
      partitions: array({
        partition: int32(),
        stateEpoch: int32(),
        leaderEpoch: int32(),
        startOffset: int64(),
        deliveryCompleteCount: int32({ versions: '1+', ignorable: true, default: -1 }),
        stateBatches: array({ firstOffset: int64(), lastOffset: int64(), deliveryState: int8(), deliveryCount: int16() }),
      }),
    }),
  },
  response: {
    results: array({
      topicId: uuid(),
      partitions: array({
        partition: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+', default: null }),
      }),
    }),
  },
});
