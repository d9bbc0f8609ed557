import { api, array, boolean, int16, int32, int64, string } from '../schema.ts';

const addPartitionsToTxnTopic = { name: string({ mapKey: true }), partitions: array(int32()) };

const addPartitionsToTxnPartitionResult = { partitionIndex: int32({ mapKey: true }), partitionErrorCode: int16() };

const addPartitionsToTxnTopicResult = {
  name: string({ mapKey: true }),
  resultsByPartition: array(addPartitionsToTxnPartitionResult),
};

/**
 * AddPartitionsToTxn. v0 to v3 come from producers, v4 and later from brokers that check several transactions at once
 * (KIP-890).
 */
export const addPartitionsToTxn = api({
  key: 24,
  name: 'AddPartitionsToTxn',
  versions: '0-5',
  flexible: '3+',
  listeners: ['broker'],
  request: {
    transactions: array(
      {
        transactionalId: string({ mapKey: true }),
        producerId: int64(),
        producerEpoch: int16(),
        verifyOnly: boolean({ default: false }),
        topics: array(addPartitionsToTxnTopic),
      },
      { versions: '4+' },
    ),
    v3AndBelowTransactionalId: string({ versions: '0-3', default: '' }),
    v3AndBelowProducerId: int64({ versions: '0-3', default: 0 }),
    v3AndBelowProducerEpoch: int16({ versions: '0-3', default: 0 }),
    v3AndBelowTopics: array(addPartitionsToTxnTopic, { versions: '0-3', default: [] }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ versions: '4+', ignorable: true, default: 0 }),
    resultsByTransaction: array(
      { transactionalId: string({ mapKey: true }), topicResults: array(addPartitionsToTxnTopicResult) },
      { versions: '4+' },
    ),
    resultsByTopicV3AndBelow: array(addPartitionsToTxnTopicResult, { versions: '0-3', default: [] }),
  },
});
