import type { Millis } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { BrokerConfig } from '../config/broker-configs.ts';
import { TRANSACTION_TOPIC, type TransactionCoordinator } from '../coordinator/transaction/transaction-coordinator.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { type ErrorName, errorNameOf, KafkaError } from '../protocol/errors.ts';
import { addPartitionsToTxn } from '../protocol/messages/24-add-partitions-to-txn.ts';
import type { BrokerChannel } from './broker-channel.ts';

const VERSION = 5;
const FIRST_PAUSE_MS: Millis = 1;

/** What a client understands of a partition that takes no part: it leaves adding partitions to the broker, it knows TRANSACTION_ABORTABLE, or neither. */
export type VerificationKind = 'add' | 'verify' | 'verify-for-old-client';

/** The versions of an API from which on a client leaves adding to the broker, and knows TRANSACTION_ABORTABLE. */
export const verificationKind = (
  apiVersion: number,
  { adding, abortable }: { readonly adding: number; readonly abortable: number },
): VerificationKind => {
  if (apiVersion >= adding) return 'add';
  return apiVersion >= abortable ? 'verify' : 'verify-for-old-client';
};

export interface TransactionToVerify {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly kind: VerificationKind;
  readonly partitions: ReadonlyMap<string, readonly number[]>;
}

/** Why a partition may not be written to; null if it may. */
export type VerificationFault = (topic: string, partition: number) => ErrorName | null;

export interface TransactionVerifierOptions {
  readonly channel: BrokerChannel;
  readonly coordinator: TransactionCoordinator;
  readonly metadata: () => MetadataImage;
  readonly config: () => BrokerConfig;
}

/** Asks the coordinator of a transaction, on whichever broker it is, before the first record of a partition is written (KIP-890). */
export class TransactionVerifier {
  readonly #environment: Environment;
  readonly #options: TransactionVerifierOptions;

  constructor(environment: Environment, options: TransactionVerifierOptions) {
    this.#environment = environment;
    this.#options = options;
  }

  /**
   * A producer that begins a transaction right after another one may find the coordinator still busy with that: it is asked again for a little while, which is quicker than to
   * have the client come again. Mostly it is busy for less than a millisecond more, so that the first pauses are short; the config is the longest.
   */
  async verify(transaction: TransactionToVerify): Promise<VerificationFault> {
    const { clock } = this.#environment;
    const config = this.#options.config();
    const end = clock.monotonic() + config['add.partitions.to.txn.retry.backoff.max.ms'];
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const { fault, isBusy } = await this.#ask(transaction);
      const backoffMs = Math.min(pauseMs, config['add.partitions.to.txn.retry.backoff.ms']);
      if (!isBusy || transaction.kind !== 'add' || clock.monotonic() + backoffMs > end) return fault;
      await new Promise<void>((resolve) => void clock.schedule(backoffMs, resolve));
    }
  }

  async #ask(transaction: TransactionToVerify): Promise<{ readonly fault: VerificationFault; readonly isBusy: boolean }> {
    const { kind, partitions, transactionalId, producerId, producerEpoch } = transaction;
    const leader = this.#leaderFor(transactionalId);
    if (leader === null) return { fault: () => 'COORDINATOR_NOT_AVAILABLE', isBusy: false };
    const topics = [...partitions].map(([name, indexes]) => ({ name, partitions: indexes }));
    const asked = { transactionalId, producerId, producerEpoch, verifyOnly: kind !== 'add', topics };
    try {
      const answer = await this.#options.channel.send(leader, addPartitionsToTxn, { transactions: [asked] }, VERSION);
      if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
      const errors = new Map<string, ErrorName>();
      for (const { topicResults } of answer.resultsByTransaction)
        for (const { name, resultsByPartition } of topicResults)
          for (const { partitionIndex, partitionErrorCode } of resultsByPartition)
            if (partitionErrorCode !== 0) errors.set(`${name}-${partitionIndex}`, told(errorNameOf(partitionErrorCode), kind));
      return {
        fault: (topic, partition) => errors.get(`${topic}-${partition}`) ?? null,
        isBusy: [...errors.values()].includes('CONCURRENT_TRANSACTIONS'),
      };
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      const name = told(error.errorName, kind);
      return { fault: () => name, isBusy: false };
    }
  }

  #leaderFor(transactionalId: string): number | null {
    const { coordinator, metadata } = this.#options;
    const partitions = metadata().topics.byName.get(TRANSACTION_TOPIC)?.partitions;
    const leader = partitions?.[coordinator.partitionOf(transactionalId)]?.leader ?? -1;
    return leader < 0 ? null : leader;
  }
}

function told(error: ErrorName, kind: VerificationKind): ErrorName {
  // Producers know no other word for it in an answer of Produce.
  if (error === 'PRODUCER_FENCED') return 'INVALID_PRODUCER_EPOCH';
  return error === 'TRANSACTION_ABORTABLE' && kind === 'verify-for-old-client' ? 'INVALID_TXN_STATE' : error;
}
