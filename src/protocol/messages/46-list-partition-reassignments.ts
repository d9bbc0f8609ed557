import { api, array, int16, int32, string } from '../schema.ts';

/** ListPartitionReassignments. KIP-455. */
export const listPartitionReassignments = api({
  key: 46,
  name: 'ListPartitionReassignments',
  versions: '0',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    timeoutMs: int32({ default: 60_000 }),
    topics: array({ name: string(), partitionIndexes: array(int32()) }, { nullable: '0+', default: null }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+' }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        replicas: array(int32()),
        addingReplicas: array(int32()),
        removingReplicas: array(int32()),
      }),
    }),
  },
});
