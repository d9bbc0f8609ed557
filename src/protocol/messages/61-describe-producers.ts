import { api, array, int16, int32, int64, string } from '../schema.ts';

/** DescribeProducers. KIP-664. */
export const describeProducers = api({
  key: 61,
  name: 'DescribeProducers',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: { topics: array({ name: string({ mapKey: true }), partitionIndexes: array(int32()) }) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    topics: array({
      name: string(),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+', default: null }),
        activeProducers: array({
          producerId: int64({ nearest: true }),
          producerEpoch: int32(),
          lastSequence: int32({ default: -1 }),
          lastTimestamp: int64({ default: -1, nearest: true }),
          coordinatorEpoch: int32(),
          currentTxnStartOffset: int64({ default: -1 }),
        }),
      }),
    }),
  },
});
