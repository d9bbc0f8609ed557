import { api, array, int16, int32, string, uuid } from '../schema.ts';

/** DeleteShareGroupOffsets. KIP-932. */
export const deleteShareGroupOffsets = api({
  key: 92,
  name: 'DeleteShareGroupOffsets',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: { groupId: string(), topics: array({ topicName: string() }) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
    responses: array({
      topicName: string(),
      topicId: uuid(),
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+', default: null }),
    }),
  },
});
