import { api, array, int16, int32, int64, string, uuid } from '../schema.ts';

/** InitializeShareGroupState. KIP-932: share coordinator. */
export const initializeShareGroupState = api({
  key: 83,
  name: 'InitializeShareGroupState',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  clusterAction: true,
  request: {
    groupId: string(),
    topics: array({ topicId: uuid(), partitions: array({ partition: int32(), stateEpoch: int32(), startOffset: int64() }) }),
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
