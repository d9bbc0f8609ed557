import type { Millis } from '../../base/clock.ts';
import { PRODUCER_EPOCH_MAX } from '../../protocol/records/batch-layout.ts';
import { isIdle, type TransactionState } from './transaction-state.ts';

export const NO_PRODUCER_ID = -1;
export const NO_PRODUCER_EPOCH = -1;
const NO_TIME = -1;

/** A level of the feature `transaction.version`: 2 raises the epoch with every end of a transaction (KIP-890). */
export type TransactionVersion = number;
export const raisesEpochAtEnd = (version: TransactionVersion): boolean => version >= 2;

/** The partitions of a transaction, by topic. */
export type TransactionPartitions = ReadonlyMap<string, ReadonlySet<number>>;

/** What is known of a transactional id. Immutable: a transition gives another one. */
export interface TransactionMetadata {
  readonly transactionalId: string;
  readonly producerId: number;
  /** The id before the last change of it. */
  readonly previousProducerId: number;
  /** The id that the producer gets when the transaction is complete, because its epoch is used up. */
  readonly nextProducerId: number;
  readonly producerEpoch: number;
  /** The epoch before the last raise that its producer asked for. Not in the log: after a restart nobody may refer to it. */
  readonly lastProducerEpoch: number;
  readonly timeoutMs: Millis;
  readonly state: TransactionState;
  readonly partitions: TransactionPartitions;
  /** −1 if no transaction has begun. */
  readonly startedAt: Millis;
  readonly updatedAt: Millis;
  /** What the client of the current transaction speaks. */
  readonly clientTransactionVersion: TransactionVersion;
}

const NO_PARTITIONS: TransactionPartitions = new Map();

/** An epoch of which no higher one may be given out: the last is kept for fencing. */
export const isEpochExhausted = (epoch: number): boolean => epoch >= PRODUCER_EPOCH_MAX - 1;

export const newTransaction = (
  transactionalId: string,
  producerId: number,
  timeoutMs: Millis,
  now: Millis,
): TransactionMetadata => ({
  transactionalId,
  producerId,
  previousProducerId: NO_PRODUCER_ID,
  nextProducerId: NO_PRODUCER_ID,
  producerEpoch: NO_PRODUCER_EPOCH,
  lastProducerEpoch: NO_PRODUCER_EPOCH,
  timeoutMs,
  state: 'Empty',
  partitions: NO_PARTITIONS,
  startedAt: NO_TIME,
  updatedAt: now,
  clientTransactionVersion: 0,
});

/** Every change notes the producer id that there was before it. */
const changed = (transaction: TransactionMetadata, change: Partial<TransactionMetadata>): TransactionMetadata => ({
  ...transaction,
  previousProducerId: transaction.producerId,
  ...change,
});

const emptied = (timeoutMs: Millis, now: Millis): Partial<TransactionMetadata> => ({
  state: 'Empty',
  timeoutMs,
  partitions: NO_PARTITIONS,
  startedAt: NO_TIME,
  updatedAt: now,
});

/**
 * A new session of the producer: everything before is fenced. `expectedEpoch` is what the producer thinks it has (KIP-360), null if it does not say. Null for a
 * producer that is fenced itself.
 */
export function withRaisedEpoch(
  transaction: TransactionMetadata,
  { expectedEpoch, timeoutMs, now }: { readonly expectedEpoch: number | null; readonly timeoutMs: Millis; readonly now: Millis },
): TransactionMetadata | null {
  const { producerEpoch, lastProducerEpoch } = transaction;
  const base = emptied(timeoutMs, now);
  const raised = producerEpoch + 1;
  if (expectedEpoch === null)
    return changed(transaction, { ...base, producerEpoch: raised, lastProducerEpoch: NO_PRODUCER_EPOCH });
  if (producerEpoch === NO_PRODUCER_EPOCH || expectedEpoch === producerEpoch) {
    return changed(transaction, { ...base, producerEpoch: raised, lastProducerEpoch: producerEpoch });
  }
  // It asks again for what it got and did not hear of.
  return expectedEpoch === lastProducerEpoch ? changed(transaction, base) : null;
}

/** A new session with another producer id, since the epochs of the old one are used up. */
export const withRotatedProducerId = (
  transaction: TransactionMetadata,
  options: { readonly producerId: number; readonly timeoutMs: Millis; readonly keepsLastEpoch: boolean; readonly now: Millis },
): TransactionMetadata =>
  changed(transaction, {
    ...emptied(options.timeoutMs, options.now),
    producerId: options.producerId,
    producerEpoch: 0,
    lastProducerEpoch: options.keepsLastEpoch ? transaction.producerEpoch : NO_PRODUCER_EPOCH,
  });

export const containsAll = (partitions: TransactionPartitions, wanted: TransactionPartitions): boolean => {
  for (const [topic, indexes] of wanted) {
    const known = partitions.get(topic);
    for (const index of indexes) if (known?.has(index) !== true) return false;
  }
  return true;
};

export function withPartitions(
  transaction: TransactionMetadata,
  added: TransactionPartitions,
  { version, now }: { readonly version: TransactionVersion; readonly now: Millis },
): TransactionMetadata {
  const partitions = new Map(transaction.partitions);
  for (const [topic, indexes] of added) partitions.set(topic, new Set([...(partitions.get(topic) ?? []), ...indexes]));
  return changed(transaction, {
    state: 'Ongoing',
    partitions,
    startedAt: isIdle(transaction.state) ? now : transaction.startedAt,
    updatedAt: now,
    clientTransactionVersion: version,
  });
}

/** The producer's epoch is raised before its transaction is aborted, so that it cannot go on. */
export const fenced = (transaction: TransactionMetadata): TransactionMetadata => ({
  ...transaction,
  producerEpoch: transaction.producerEpoch + 1,
  lastProducerEpoch: NO_PRODUCER_EPOCH,
});

/** The outcome is decided. With version 2 the epoch is raised, for the markers to carry it. */
export function withOutcome(
  transaction: TransactionMetadata,
  outcome: 'commit' | 'abort',
  options: {
    readonly version: TransactionVersion;
    readonly nextProducerId: number;
    readonly hasNoPartitions: boolean;
    readonly now: Millis;
  },
): TransactionMetadata {
  const { producerEpoch } = transaction;
  const { version, nextProducerId, now } = options;
  const epochs = raisesEpochAtEnd(version)
    ? { producerEpoch: Math.min(producerEpoch + 1, PRODUCER_EPOCH_MAX), lastProducerEpoch: producerEpoch }
    : {};
  return changed(transaction, {
    ...epochs,
    state: outcome === 'commit' ? 'PrepareCommit' : 'PrepareAbort',
    nextProducerId,
    startedAt: options.hasNoPartitions ? now : transaction.startedAt,
    updatedAt: now,
    clientTransactionVersion: version,
  });
}

/** Every partition has its marker. */
export function completed(transaction: TransactionMetadata, now: Millis): TransactionMetadata {
  const { nextProducerId, clientTransactionVersion, state } = transaction;
  const isRotated = raisesEpochAtEnd(clientTransactionVersion) && nextProducerId !== NO_PRODUCER_ID;
  return changed(transaction, {
    ...(isRotated ? { producerId: nextProducerId, producerEpoch: 0 } : {}),
    nextProducerId: NO_PRODUCER_ID,
    state: state === 'PrepareCommit' ? 'CompleteCommit' : 'CompleteAbort',
    partitions: NO_PARTITIONS,
    updatedAt: now,
  });
}
