import { api, array, boolean, int16, int32, string } from '../schema.ts';

/** AlterPartitionReassignments. KIP-455. */
export const alterPartitionReassignments = api({
  key: 45,
  name: 'AlterPartitionReassignments',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    timeoutMs: int32({ default: 60_000 }),
    allowReplicationFactorChange: boolean({ versions: '1+', default: true }),
    topics: array({
      name: string(),
      partitions: array({ partitionIndex: int32(), replicas: array(int32(), { nullable: '0+', default: null }) }),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    allowReplicationFactorChange: boolean({ versions: '1+', ignorable: true, default: true }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+' }),
    responses: array({
      name: string(),
      partitions: array({ partitionIndex: int32(), errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+' }) }),
    }),
  },
});
