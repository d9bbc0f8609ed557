import { api, array, int16, int32, string } from '../schema.ts';

/** OffsetDelete. KIP-496. Never flexible. */
export const offsetDelete = api({
  key: 47,
  name: 'OffsetDelete',
  versions: '0',
  flexible: 'none',
  listeners: ['broker'],
  request: {
    groupId: string(),
    topics: array({ name: string({ mapKey: true }), partitions: array({ partitionIndex: int32() }) }),
  },
  response: {
    errorCode: int16({ default: 0 }),
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    topics: array({
      name: string({ mapKey: true }),
      partitions: array({ partitionIndex: int32({ mapKey: true }), errorCode: int16({ default: 0 }) }),
    }),
  },
});
