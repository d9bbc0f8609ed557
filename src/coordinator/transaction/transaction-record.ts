import type { CoordinatorRecord } from '../runtime/coordinator-record.ts';
import { coordinatorSerde } from '../runtime/coordinator-serde.ts';
import { transactionRecords } from './records/index.ts';
import {
  NO_PRODUCER_EPOCH,
  type TransactionMetadata,
  type TransactionPartitions,
  type TransactionVersion,
} from './transaction-metadata.ts';
import { idOfState, stateOfId } from './transaction-state.ts';

/** A record of __transaction_state. What a transition knows besides what is written goes along until the record is replayed. */
export type TransactionRecord = CoordinatorRecord<typeof transactionRecords> & { readonly lastProducerEpoch?: number };

type TransactionLogValue = NonNullable<TransactionRecord['value']>;

export const transactionRecordSerde = coordinatorSerde(transactionRecords);

/** `version` is the finalized level of transaction.version, which decides whether the value is written with tagged fields. */
export function transactionRecord(transaction: TransactionMetadata, version: TransactionVersion): TransactionRecord {
  const { partitions } = transaction;
  const value: TransactionLogValue = {
    producerId: transaction.producerId,
    previousProducerId: version > 0 ? transaction.previousProducerId : -1,
    nextProducerId: version > 0 ? transaction.nextProducerId : -1,
    producerEpoch: transaction.producerEpoch,
    nextProducerEpoch: NO_PRODUCER_EPOCH,
    transactionTimeoutMs: transaction.timeoutMs,
    transactionStatus: idOfState(transaction.state),
    // A transaction that has not begun has no list of partitions at all.
    transactionPartitions:
      transaction.state === 'Empty' ? null : [...partitions].map(([topic, indexes]) => ({ topic, partitionIds: [...indexes] })),
    transactionLastUpdateTimestampMs: transaction.updatedAt,
    transactionStartTimestampMs: transaction.startedAt,
    clientTransactionVersion: version > 0 ? transaction.clientTransactionVersion : 0,
  };
  return {
    type: 'TransactionLog',
    key: { transactionalId: transaction.transactionalId },
    version: version > 0 ? 1 : 0,
    value,
    lastProducerEpoch: transaction.lastProducerEpoch,
  };
}

export const transactionTombstone = (transactionalId: string): TransactionRecord => ({
  type: 'TransactionLog',
  key: { transactionalId },
  version: 0,
  value: null,
});

/** What a record says of its transactional id; null for one that is gone, or in a state that no release knows. */
export function transactionOf({ key, value, lastProducerEpoch }: TransactionRecord): TransactionMetadata | null {
  const state = value === null ? undefined : stateOfId(value.transactionStatus);
  if (value === null || state === undefined || state === 'Dead' || state === 'PrepareEpochFence') return null;
  return {
    transactionalId: key.transactionalId,
    producerId: value.producerId,
    previousProducerId: value.previousProducerId,
    nextProducerId: value.nextProducerId,
    producerEpoch: value.producerEpoch,
    lastProducerEpoch: lastProducerEpoch ?? NO_PRODUCER_EPOCH,
    timeoutMs: value.transactionTimeoutMs,
    state,
    partitions: partitionsOf(value),
    startedAt: value.transactionStartTimestampMs,
    updatedAt: value.transactionLastUpdateTimestampMs,
    clientTransactionVersion: value.clientTransactionVersion,
  };
}

function partitionsOf({ transactionPartitions }: TransactionLogValue): TransactionPartitions {
  return new Map((transactionPartitions ?? []).map(({ topic, partitionIds }) => [topic, new Set(partitionIds)]));
}
