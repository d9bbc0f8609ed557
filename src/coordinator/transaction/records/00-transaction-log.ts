import { array, int16, int32, int64, int8, message, string } from '../../../protocol/schema.ts';

/** A transactional id. */
export const transactionLogKey = message({
  name: 'TransactionLogKey',
  key: 0,
  versions: '0',
  flexible: 'none',
  fields: { transactionalId: string() },
});

/** The state of its producer and transaction. v1 knows the producer's next and previous ids (KIP-890). */
export const transactionLogValue = message({
  name: 'TransactionLogValue',
  key: 0,
  versions: '0-1',
  flexible: '1+',
  fields: {
    producerId: int64(),
    previousProducerId: int64({ tagged: '1+', tag: 0, default: -1 }),
    nextProducerId: int64({ tagged: '1+', tag: 1, default: -1 }),
    producerEpoch: int16(),
    nextProducerEpoch: int16({ tagged: '1+', tag: 3, default: -1 }),
    transactionTimeoutMs: int32(),
    transactionStatus: int8(),
    transactionPartitions: array({ topic: string(), partitionIds: array(int32()) }, { nullable: '0+' }),
    transactionLastUpdateTimestampMs: int64(),
    transactionStartTimestampMs: int64(),
    clientTransactionVersion: int16({ tagged: '1+', tag: 2, default: 0 }),
  },
});
