import { api, array, int16, int32, int64, string } from '../schema.ts';

/** DeleteRecords. KIP-107. */
export const deleteRecords = api({
  key: 21,
  name: 'DeleteRecords',
  versions: '0-2',
  flexible: '2+',
  listeners: ['broker'],
  request: {
    topics: array({ name: string(), partitions: array({ partitionIndex: int32(), offset: int64({ nearest: true }) }) }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    topics: array({
      name: string({ mapKey: true }),
      partitions: array({ partitionIndex: int32({ mapKey: true }), lowWatermark: int64(), errorCode: int16({ default: 0 }) }),
    }),
  },
});
