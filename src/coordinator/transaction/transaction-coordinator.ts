import type { Millis } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import type { TimerQueue } from '../../base/timer-queue.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { MetadataDelta } from '../../metadata/metadata-delta.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { featureLevel } from '../../metadata/image/features-image.ts';
import { TRANSACTION_VERSION_FEATURE } from '../../metadata/supported-features.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { coordinatorError } from '../runtime/coordinator-errors.ts';
import { CoordinatorRuntime } from '../runtime/coordinator-runtime.ts';
import type { CoordinatorResult } from '../runtime/coordinator-shard.ts';
import { ID_LENGTH_MAX } from '../runtime/id-length.ts';
import type { CoordinatorLoader, PartitionWriter } from '../runtime/partition-writer.ts';
import { partitionOfId } from '../../base/bytes/murmur2.ts';
import type { EndRequest } from './end-transaction.ts';
import type { TransactionMarkers } from './transaction-markers.ts';
import {
  NO_PRODUCER_ID,
  type TransactionMetadata,
  type TransactionPartitions,
  type TransactionVersion,
} from './transaction-metadata.ts';
import { type TransactionRecord, transactionRecordSerde } from './transaction-record.ts';
import { NEEDS_PRODUCER_ID, type ProducerIdAndEpoch, Transactions } from './transactions.ts';

export const TRANSACTION_TOPIC = '__transaction_state';

export interface TransactionCoordinatorOptions {
  readonly timers: TimerQueue;
  readonly configs: ConfigStore;
  readonly metadata: () => MetadataImage;
  readonly writer: PartitionWriter;
  readonly loader: CoordinatorLoader;
  readonly markers: TransactionMarkers;
  /** A producer id that nobody has. */
  readonly newProducerId: () => Promise<number>;
}

/**
 * The transaction coordinator of this broker: serves the transactional ids whose partition of __transaction_state it leads. Everything it is asked rejects with a
 * KafkaError, which is what the client is told.
 */
export class TransactionCoordinator {
  readonly runtime: CoordinatorRuntime<Transactions, TransactionRecord>;
  readonly #options: TransactionCoordinatorOptions;

  constructor(environment: Environment, options: TransactionCoordinatorOptions) {
    this.#options = options;
    const { configs, timers, metadata, writer, loader, markers, newProducerId } = options;
    const config = () => configs.broker();
    this.runtime = new CoordinatorRuntime(environment, {
      name: 'transaction coordinator',
      timers,
      serde: transactionRecordSerde,
      writer,
      loader,
      metadata,
      lingerMs: () => WRITE_THIS_TURN,
      writeTimeoutMs: () => config()['request.timeout.ms'],
      makeShard: (context) =>
        new Transactions(context, { config, markers, newProducerId, transactionVersion: () => this.transactionVersion }),
    });
  }

  /** The finalized level of the feature `transaction.version`. */
  get transactionVersion(): TransactionVersion {
    return featureLevel(this.#options.metadata().features, TRANSACTION_VERSION_FEATURE);
  }

  /** The partition of __transaction_state that keeps a transactional id: as many as the topic has, or will have. */
  partitionOf(transactionalId: string): number {
    const existing = this.#options.metadata().topics.byName.get(TRANSACTION_TOPIC)?.partitions.length;
    return partitionOfId(transactionalId, existing ?? this.#options.configs.broker()['transaction.state.log.num.partitions']);
  }

  /** `expected` is what a producer has that goes on with another epoch, or null. */
  async initProducerId(
    transactionalId: string,
    { timeoutMs, expected }: { readonly timeoutMs: Millis; readonly expected: ProducerIdAndEpoch | null },
  ): Promise<ProducerIdAndEpoch> {
    checkId(transactionalId);
    const longest = this.#options.configs.broker()['transaction.max.timeout.ms'];
    if (timeoutMs <= 0 || timeoutMs > longest) throw new KafkaError('INVALID_TRANSACTION_TIMEOUT');
    return this.#withProducerId(
      transactionalId,
      (newProducerId) => (shard) => shard.initProducerId(transactionalId, { timeoutMs, expected, newProducerId }),
    );
  }

  addPartitions(
    transactionalId: string,
    producer: ProducerIdAndEpoch,
    request: { readonly partitions: TransactionPartitions; readonly version: TransactionVersion },
  ): Promise<void> {
    return this.#write(transactionalId, (shard) => shard.addPartitions(transactionalId, producer, request));
  }

  /** Whether a partition takes part in the producer's transaction. Waits for what is being written. */
  verifyPartitions(
    transactionalId: string,
    producer: ProducerIdAndEpoch,
  ): Promise<(topic: string, partition: number) => boolean> {
    return this.#write(transactionalId, (shard) => ({
      records: [],
      response: shard.verifyPartitions(transactionalId, producer),
    }));
  }

  /** Gives what the producer goes on with. */
  endTransaction(transactionalId: string, request: Omit<EndRequest, 'now'>): Promise<ProducerIdAndEpoch> {
    return this.#withProducerId(
      transactionalId,
      (newProducerId) => (shard) => shard.end(transactionalId, { ...request, newProducerId }),
    );
  }

  /** Throws a KafkaError where the id is not known, or another broker's affair. */
  describe(transactionalId: string): TransactionMetadata {
    checkId(transactionalId);
    const transaction = this.runtime.read(this.partitionOf(transactionalId), (shard, committed) =>
      shard.get(transactionalId, committed),
    );
    if (transaction === undefined) throw new KafkaError('TRANSACTIONAL_ID_NOT_FOUND');
    return transaction;
  }

  /** All that are known here. Throws COORDINATOR_LOAD_IN_PROGRESS. */
  list(): TransactionMetadata[] {
    return this.runtime.readAll((shard, committed) => [...shard.all(committed)]).flat();
  }

  /** This broker leads a partition of __transaction_state. */
  becomeLeader(partition: number, leaderEpoch: number): Promise<void> {
    return this.runtime.becomeLeader(partition, leaderEpoch);
  }

  /** It does no longer. */
  resign(partition: number): void {
    this.runtime.resign(partition);
  }

  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    this.runtime.metadataChanged(delta, image);
  }

  close(): void {
    this.runtime.close();
  }

  async #write<Response>(
    transactionalId: string,
    operation: (shard: Transactions) => CoordinatorResult<TransactionRecord, Response>,
  ): Promise<Response> {
    checkId(transactionalId);
    try {
      return await this.runtime.write(this.partitionOf(transactionalId), operation);
    } catch (error) {
      throw coordinatorError(error);
    }
  }

  /** An operation that may need a new producer id is tried without one first, for an id that is not used is lost. */
  async #withProducerId<Response>(
    transactionalId: string,
    operation: (
      newProducerId: number,
    ) => (shard: Transactions) => CoordinatorResult<TransactionRecord, Response | typeof NEEDS_PRODUCER_ID>,
  ): Promise<Response> {
    const response = await this.#write(transactionalId, operation(NO_PRODUCER_ID));
    if (response !== NEEDS_PRODUCER_ID) return response;
    const withId = await this.#write(transactionalId, operation(await this.#options.newProducerId()));
    if (withId === NEEDS_PRODUCER_ID) throw new KafkaError('UNKNOWN_SERVER_ERROR');
    return withId;
  }
}

/** What is asked for in one turn of the event loop is written together. */
const WRITE_THIS_TURN: Millis = -1;

function checkId(transactionalId: string): void {
  if (transactionalId === '' || transactionalId.length > ID_LENGTH_MAX) throw new KafkaError('INVALID_REQUEST');
}
