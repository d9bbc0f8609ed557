import { api, array, int16, int32, int64, string, uuid } from '../schema.ts';

/** AlterShareGroupOffsets. KIP-932. */
export const alterShareGroupOffsets = api({
  key: 91,
  name: 'AlterShareGroupOffsets',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    topics: array({ topicName: string({ mapKey: true }), partitions: array({ partitionIndex: int32(), startOffset: int64() }) }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
    responses: array({
      topicName: string({ mapKey: true }),
      topicId: uuid(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+', default: null }),
      }),
    }),
  },
});
