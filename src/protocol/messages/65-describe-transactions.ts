import { api, array, int16, int32, int64, string } from '../schema.ts';

/** DescribeTransactions. KIP-664. */
export const describeTransactions = api({
  key: 65,
  name: 'DescribeTransactions',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: { transactionalIds: array(string()) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    transactionStates: array({
      errorCode: int16({ default: 0 }),
      transactionalId: string(),
      transactionState: string(),
      transactionTimeoutMs: int32(),
      transactionStartTimeMs: int64(),
      producerId: int64(),
      producerEpoch: int16(),
      topics: array({ topic: string({ mapKey: true }), partitions: array(int32()) }),
    }),
  },
});
