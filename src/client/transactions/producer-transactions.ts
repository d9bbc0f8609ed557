import { errorNameOf, KafkaError } from '../../protocol/errors.ts';
import { initProducerId } from '../../protocol/messages/22-init-producer-id.ts';
import { addPartitionsToTxn } from '../../protocol/messages/24-add-partitions-to-txn.ts';
import { addOffsetsToTxn } from '../../protocol/messages/25-add-offsets-to-txn.ts';
import { endTxn } from '../../protocol/messages/26-end-txn.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import { COORDINATOR_KINDS } from '../groups/coordinators.ts';
import { GroupCoordinator } from '../groups/group-coordinator.ts';
import type { OffsetToCommit } from '../groups/group-offsets.ts';
import type { MemberIdentity } from '../groups/membership.ts';
import type { ProducerIdentity } from '../partition-queue.ts';
import { keyOf, partitionsByTopic, type TopicPartition } from '../topic-partition.ts';
import { commitInTransaction } from './transactional-offsets.ts';

/** From this level of the feature on brokers add partitions by themselves, and each transaction has an epoch of its own (KIP-890). */
const EPOCH_FEATURE_LEVEL = 2;
const FEATURE = 'transaction.version';
/** The newest versions for clients that add partitions by themselves. */
const LAST_ADDING_VERSION = 3;
const LAST_END_VERSION = 4;

/** Errors after which the producer is of no use any more: another one has its id, or it never had it. */
const FATAL: ReadonlySet<string> = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'FENCED_INSTANCE_ID',
]);

type State = 'new' | 'ready' | 'open' | 'failed' | 'fatal';

export interface ProducerTransactionsOptions {
  readonly transactionalId: string;
  /** The coordinator aborts a transaction that takes longer. */
  readonly transactionTimeoutMs: number;
  /** How long one step is tried again. */
  readonly maxBlockMs: number;
  /** Called when something may be sendable that was not. */
  readonly wake: () => void;
}

/** A group whose offsets are part of a transaction, and the member that read up to them (KIP-447). */
export interface TransactionalGroup {
  readonly groupId: string;
  readonly identity: MemberIdentity;
}

/**
 * The transactions of one producer, one after the other: who it is to the brokers, which partitions take part, and whether the transaction can still be
 * committed. Once something has failed it can only be aborted.
 */
export class ProducerTransactions {
  readonly transactionalId: string;
  readonly #client: Client;
  readonly #options: ProducerTransactionsOptions;
  readonly #coordinator: GroupCoordinator;
  #state: State = 'new';
  #failure: Error | null = null;
  #addsPartitions = false;
  /** By key of the partition: those that take part, as far as the producer has to tell. */
  readonly #added = new Set<string>();
  #adding: Promise<void> | null = null;
  readonly #toAdd = new Map<string, TopicPartition>();
  #hasGap = false;
  #hasBegunAtBroker = false;
  current: ProducerIdentity | null = null;
  readonly isAsking = false;

  constructor(client: Client, options: ProducerTransactionsOptions) {
    this.#client = client;
    this.#options = options;
    this.transactionalId = options.transactionalId;
    this.#coordinator = new GroupCoordinator(client, options.transactionalId, COORDINATOR_KINDS.transaction);
  }

  /** Whether a broker that gets records adds their partition to the transaction. */
  get brokersAdd(): boolean {
    return !this.#addsPartitions;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get failure(): Error | null {
    return this.#failure;
  }

  /** An identity is had by beginning a session only. */
  renew(): Promise<void> {
    return Promise.reject(this.#failure ?? new ClientError('invalid', 'The transaction cannot go on; it has to be aborted'));
  }

  /** Begins a session: whoever had the id before is fenced, and what it left is aborted. */
  async init(): Promise<void> {
    await this.#begin(null);
    this.#state = 'ready';
  }

  begin(): void {
    this.#expect('ready', 'begin a transaction');
    this.#state = 'open';
    this.#added.clear();
    this.#hasBegunAtBroker = false;
    this.#options.wake();
  }

  /** Whether records may be sent to the partition now; what has to be done for it first is begun. */
  mayWrite(place: TopicPartition): boolean {
    if (!this.isOpen) return false;
    if (this.brokersAdd || this.#added.has(keyOf(place))) {
      this.#hasBegunAtBroker = true;
      return true;
    }
    this.#toAdd.set(keyOf(place), place);
    this.#adding ??= this.#addAll().finally(() => {
      this.#adding = null;
      this.#options.wake();
    });
    return false;
  }

  /** A batch was given up: the transaction cannot be committed any more. `hasSequence` says that the brokers would miss it. */
  failed(error: Error, hasSequence: boolean): void {
    this.#hasGap ||= hasSequence;
    this.#fail(error);
  }

  /** Adds offsets of a group to the transaction: they are committed with it. */
  async sendOffsets(offsets: readonly OffsetToCommit[], { groupId, identity }: TransactionalGroup): Promise<void> {
    this.#expect('open', 'commit offsets');
    try {
      const producer = this.#producer();
      if (this.#addsPartitions) {
        await this.#coordinator.retrying(async () => {
          const answer = await this.#coordinator.request(addOffsetsToTxn, { ...producer, groupId });
          if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
        }, this.#options.maxBlockMs);
      }
      this.#hasBegunAtBroker = true;
      const group = new GroupCoordinator(this.#client, groupId);
      const question = { groupId, identity, offsets, producer, brokersAdd: this.brokersAdd, metadata: this.#client.metadata };
      await group.retrying(() => commitInTransaction(group, question), this.#options.maxBlockMs).finally(() => group.close());
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Everything that was sent has its fate. Throws what keeps the transaction from being committed. */
  async commit(): Promise<void> {
    if (this.#state === 'failed' || this.#state === 'fatal')
      throw this.#failure ?? new ClientError('invalid', 'The transaction failed');
    this.#expect('open', 'commit');
    await this.#end(true);
  }

  async abort(): Promise<void> {
    if (this.#state === 'fatal') throw this.#failure ?? new ClientError('invalid', 'The producer was fenced');
    if (this.#state === 'ready') return;
    if (this.#state !== 'failed') this.#expect('open', 'abort');
    await this.#end(false);
  }

  close(): void {
    this.#coordinator.close();
  }

  async #end(committed: boolean): Promise<void> {
    try {
      await this.#adding?.catch(() => undefined);
      if (this.#hasBegunAtBroker) await this.#endAtBroker(committed);
      // Only another epoch keeps a batch out that was given up and may still arrive (KIP-360).
      if (this.#addsPartitions && this.#hasGap) await this.#begin(this.current);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#hasGap = false;
    this.#failure = null;
    this.#state = 'ready';
  }

  async #endAtBroker(committed: boolean): Promise<void> {
    const maxVersion = this.#addsPartitions ? LAST_END_VERSION : endTxn.maxVersion;
    await this.#coordinator.retrying(async () => {
      const answer = await this.#coordinator.request(endTxn, { ...this.#producer(), committed }, { maxVersion });
      if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
      if (!this.#addsPartitions) this.current = identityOf(answer);
    }, this.#options.maxBlockMs);
  }

  async #begin(expected: ProducerIdentity | null): Promise<void> {
    const { transactionalId, transactionTimeoutMs } = this.#options;
    try {
      await this.#coordinator.retrying(async () => {
        const connection = await this.#coordinator.connection();
        this.#addsPartitions = (connection.features.finalized.get(FEATURE) ?? 0) < EPOCH_FEATURE_LEVEL;
        const known = expected === null ? {} : { producerId: expected.producerId, producerEpoch: expected.producerEpoch };
        const answer = await connection.request(initProducerId, { transactionalId, transactionTimeoutMs, ...known });
        if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
        this.current = identityOf(answer);
      }, this.#options.maxBlockMs);
    } catch (error) {
      this.#state = 'fatal';
      this.#failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  async #addAll(): Promise<void> {
    const places = [...this.#toAdd.values()];
    this.#toAdd.clear();
    const { transactionalId, producerId, producerEpoch } = this.#producer();
    const input = {
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producerId,
      v3AndBelowProducerEpoch: producerEpoch,
      v3AndBelowTopics: [...partitionsByTopic(places)].map(([name, partitions]) => ({ name, partitions })),
      transactions: [],
    };
    try {
      await this.#coordinator.retrying(async () => {
        const answer = await this.#coordinator.request(addPartitionsToTxn, input, { maxVersion: LAST_ADDING_VERSION });
        const results = answer.resultsByTopicV3AndBelow.flatMap(({ resultsByPartition }) => resultsByPartition);
        const failed = results.find(({ partitionErrorCode }) => partitionErrorCode !== 0);
        if (failed !== undefined) throw new KafkaError(errorNameOf(failed.partitionErrorCode));
      }, this.#options.maxBlockMs);
      for (const place of places) this.#added.add(keyOf(place));
      this.#hasBegunAtBroker = true;
    } catch (error) {
      this.#fail(error);
    }
  }

  #producer(): ProducerIdentity & { readonly transactionalId: string } {
    if (this.current === null) throw new ClientError('invalid', 'The producer has no session yet');
    const { producerId, producerEpoch } = this.current;
    return { transactionalId: this.transactionalId, producerId, producerEpoch };
  }

  #fail(error: unknown): void {
    if (this.#state !== 'open' && this.#state !== 'failed') return;
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#state = error instanceof KafkaError && FATAL.has(error.errorName) ? 'fatal' : 'failed';
  }

  #expect(state: State, what: string): void {
    if (this.#state === state) return;
    if (this.#failure !== null) throw this.#failure;
    throw new ClientError('invalid', `The producer cannot ${what} while it is ${this.#state}`);
  }
}

const identityOf = ({ producerId, producerEpoch }: ProducerIdentity): ProducerIdentity => ({
  producerId,
  producerEpoch,
  isTransactional: true,
});
