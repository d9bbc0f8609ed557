import { api, array, int16, int32, string } from '../schema.ts';

/** AlterReplicaLogDirs. KIP-113. */
export const alterReplicaLogDirs = api({
  key: 34,
  name: 'AlterReplicaLogDirs',
  versions: '1-2',
  flexible: '2+',
  listeners: ['broker'],
  request: {
    dirs: array({
      path: string({ mapKey: true }),
      topics: array({ name: string({ mapKey: true }), partitions: array(int32()) }),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    results: array({ topicName: string(), partitions: array({ partitionIndex: int32(), errorCode: int16({ default: 0 }) }) }),
  },
});
