import { api, array, int16, int32, string, uuid } from '../schema.ts';

/** DeleteShareGroupState. KIP-932: share coordinator. */
export const deleteShareGroupState = api({
  key: 86,
  name: 'DeleteShareGroupState',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  clusterAction: true,
  request: { groupId: string(), topics: array({ topicId: uuid(), partitions: array({ partition: int32() }) }) },
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
