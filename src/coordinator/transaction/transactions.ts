import type { Millis } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { TimelineMap, type TimelineEpoch } from '../../base/timeline-map.ts';
import type { BrokerConfig } from '../../config/broker-configs.ts';
import { KafkaError } from '../../protocol/errors.ts';
import type { CoordinatorResult, CoordinatorShard, ShardContext } from '../runtime/coordinator-shard.ts';
import { decideEnd, type EndRequest } from './end-transaction.ts';
import type { TransactionEnd, TransactionMarkers } from './transaction-markers.ts';
import {
  completed,
  containsAll,
  fenced,
  isEpochExhausted,
  NO_PRODUCER_EPOCH,
  NO_PRODUCER_ID,
  newTransaction,
  raisesEpochAtEnd,
  type TransactionMetadata,
  type TransactionPartitions,
  type TransactionVersion,
  withOutcome,
  withPartitions,
  withRaisedEpoch,
  withRotatedProducerId,
} from './transaction-metadata.ts';
import { transactionOf, type TransactionRecord, transactionRecord, transactionTombstone } from './transaction-record.ts';
import { isEnding, isIdle } from './transaction-state.ts';

export interface TransactionsOptions {
  readonly config: () => BrokerConfig;
  /** The finalized level of `transaction.version`. */
  readonly transactionVersion: () => TransactionVersion;
  readonly markers: TransactionMarkers;
  /** A producer id that nobody has. */
  readonly newProducerId: () => Promise<number>;
}

export interface ProducerIdAndEpoch {
  readonly producerId: number;
  readonly producerEpoch: number;
}

type Result<Response> = CoordinatorResult<TransactionRecord, Response>;

/** The operation needs a producer id that it has not got: it is to be done again with one. */
export const NEEDS_PRODUCER_ID = Symbol('needs a producer id');

/** Of a transaction that takes as long as it takes, for its outcome is decided elsewhere (KIP-939). No client can ask for it yet, but the log may have it. */
const NO_TIMEOUT: Millis = 2_147_483_647;

const ABORT_TIMER = 'abort what took too long';
const ABORT_MORE_TIMER = 'abort more of what took too long';
/** How many transactions that took too long are aborted before others have their turn. */
const ABORTS_AT_ONCE = 200;
const ABORT_PAUSE_MS: Millis = 10;
const EXPIRY_TIMER = 'forget what is not used';

/** The transactional ids of one partition of __transaction_state, and what is under way for them. */
export class Transactions implements CoordinatorShard<TransactionRecord> {
  readonly #context: ShardContext<TransactionRecord>;
  readonly #options: TransactionsOptions;
  readonly #transactions: TimelineMap<string, TransactionMetadata>;
  #isUnloaded = false;

  constructor(context: ShardContext<TransactionRecord>, options: TransactionsOptions) {
    this.#context = context;
    this.#options = options;
    this.#transactions = new TimelineMap(context.timeline);
  }

  replay(record: TransactionRecord): void {
    const transaction = transactionOf(record);
    if (transaction === null) this.#transactions.delete(record.key.transactionalId);
    else this.#transactions.set(transaction.transactionalId, transaction);
  }

  loaded(): void {
    for (const transaction of this.#transactions.values()) if (isEnding(transaction.state)) this.#tellPartitions(transaction);
    this.#scheduleAborts();
    this.#scheduleExpiry();
  }

  unloaded(): void {
    this.#isUnloaded = true;
  }

  /** As of what is committed. */
  get(transactionalId: string, committedOffset: TimelineEpoch): TransactionMetadata | undefined {
    return this.#transactions.getAt(transactionalId, committedOffset);
  }

  *all(committedOffset: TimelineEpoch): Generator<TransactionMetadata> {
    for (const [, transaction] of this.#transactions.entriesAt(committedOffset)) yield transaction;
  }

  /** A producer begins a session: whoever had the id before is fenced, and what it left is aborted first. */
  initProducerId(
    transactionalId: string,
    request: { readonly timeoutMs: Millis; readonly expected: ProducerIdAndEpoch | null; readonly newProducerId: number },
  ): Result<ProducerIdAndEpoch | typeof NEEDS_PRODUCER_ID> {
    const { timeoutMs, expected, newProducerId } = request;
    const now = this.#now();
    const known = this.#transactions.get(transactionalId);
    if (known === undefined && newProducerId === NO_PRODUCER_ID) return nothing(NEEDS_PRODUCER_ID);
    const transaction = known ?? newTransaction(transactionalId, newProducerId, timeoutMs, now);
    if (isEnding(transaction.state)) throw new KafkaError('CONCURRENT_TRANSACTIONS');
    if (expected !== null && !isKnownProducer(transaction, expected)) throw new KafkaError('PRODUCER_FENCED');
    if (transaction.state === 'Ongoing') {
      if (this.#needsProducerId(transaction, newProducerId)) return nothing(NEEDS_PRODUCER_ID);
      return this.#abort(transaction, newProducerId, () => new KafkaError('CONCURRENT_TRANSACTIONS'));
    }
    const isRotated = isEpochExhausted(transaction.producerEpoch) && isRotationDue(transaction, expected);
    if (isRotated && newProducerId === NO_PRODUCER_ID) return nothing(NEEDS_PRODUCER_ID);
    const next = isRotated
      ? withRotatedProducerId(transaction, { producerId: newProducerId, timeoutMs, keepsLastEpoch: expected !== null, now })
      : withRaisedEpoch(transaction, { expectedEpoch: expected?.producerEpoch ?? null, timeoutMs, now });
    if (next === null) throw new KafkaError('PRODUCER_FENCED');
    const { producerId, producerEpoch } = next;
    return { records: [this.#record(next)], response: { producerId, producerEpoch } };
  }

  addPartitions(
    transactionalId: string,
    producer: ProducerIdAndEpoch,
    request: { readonly partitions: TransactionPartitions; readonly version: TransactionVersion },
  ): Result<void> {
    // Whoever asks is to ask again: its epoch may be the next one.
    const known = this.#transactions.get(transactionalId);
    if (known !== undefined && isEnding(known.state)) throw new KafkaError('CONCURRENT_TRANSACTIONS');
    const transaction = this.#ofProducer(transactionalId, producer);
    const { partitions, version } = request;
    if (transaction.state === 'Ongoing' && containsAll(transaction.partitions, partitions)) return nothing(undefined);
    this.#checkKept(version);
    return {
      records: [this.#record(withPartitions(transaction, partitions, { version, now: this.#now() }))],
      response: undefined,
    };
  }

  /** Whether each partition takes part in the producer's transaction. */
  verifyPartitions(transactionalId: string, producer: ProducerIdAndEpoch): (topic: string, partition: number) => boolean {
    const transaction = this.#ofProducer(transactionalId, producer);
    if (isEnding(transaction.state)) throw new KafkaError('CONCURRENT_TRANSACTIONS');
    return (topic, partition) => transaction.partitions.get(topic)?.has(partition) === true;
  }

  /** A producer ends its transaction. Answered as soon as the outcome cannot be lost; the partitions are told afterwards. */
  end(
    transactionalId: string,
    request: Omit<EndRequest, 'now'> & { readonly newProducerId: number },
  ): Result<ProducerIdAndEpoch | typeof NEEDS_PRODUCER_ID> {
    const transaction = this.#transactions.get(transactionalId);
    if (transaction === undefined) throw new KafkaError('INVALID_PRODUCER_ID_MAPPING');
    const decision = decideEnd(transaction, { ...request, now: this.#now() }, request.newProducerId);
    switch (decision.kind) {
      case 'refused':
        throw new KafkaError(decision.error);
      case 'needs-producer-id':
        return nothing(NEEDS_PRODUCER_ID);
      case 'done':
        return nothing(nextOf(transaction));
      default:
        this.#checkKept(request.version);
        return this.#ending(decision.transaction, nextOf(decision.transaction));
    }
  }

  /** Fences the producer and aborts what it has under way. What the answer is, `told` says. */
  #abort(transaction: TransactionMetadata, newProducerId: number, told: () => KafkaError): Result<never> {
    const aborted = this.#fencedAndAborted(transaction, newProducerId);
    const { promise, reject } = Promise.withResolvers<never>();
    const result = this.#ending(aborted, promise);
    // Nobody listens where the records are not written.
    promise.catch(() => undefined);
    return {
      ...result,
      settled: (error) => {
        result.settled?.(error);
        reject(error ?? told());
      },
    };
  }

  /** Where the epoch is raised at each end, the end fences; otherwise it is raised for that. */
  #fencedAndAborted(transaction: TransactionMetadata, newProducerId: number): TransactionMetadata {
    const version = this.#options.transactionVersion();
    const options = { hasNoPartitions: false, now: this.#now() };
    if (!raisesEpochAtEnd(version))
      return withOutcome(fenced(transaction), 'abort', { ...options, version: 0, nextProducerId: NO_PRODUCER_ID });
    const nextProducerId = isEpochExhausted(transaction.producerEpoch) ? newProducerId : NO_PRODUCER_ID;
    return withOutcome(transaction, 'abort', { ...options, version, nextProducerId });
  }

  /** To be fenced with an epoch that cannot be raised and still be given out. */
  #needsProducerId({ producerEpoch }: TransactionMetadata, newProducerId: number): boolean {
    return (
      raisesEpochAtEnd(this.#options.transactionVersion()) && isEpochExhausted(producerEpoch) && newProducerId === NO_PRODUCER_ID
    );
  }

  #ending<Response>(transaction: TransactionMetadata, response: Response | Promise<Response>): Result<Response> {
    return {
      records: [this.#record(transaction)],
      response,
      settled: (error) => {
        if (error === null) this.#tellPartitions(transaction);
      },
    };
  }

  #tellPartitions(transaction: TransactionMetadata): void {
    const { transactionalId, producerId, producerEpoch, partitions, clientTransactionVersion: version } = transaction;
    const end: TransactionEnd = {
      transactionalId,
      producerId,
      producerEpoch,
      outcome: transaction.state === 'PrepareCommit' ? 'commit' : 'abort',
      coordinatorEpoch: this.#context.leaderEpoch(),
      partitions,
      version,
    };
    this.#options.markers
      .write(end, () => this.#isUnloaded)
      .then(
        // Not by a timer, which waits for a millisecond: the producer's next transaction may be waiting.
        () => this.#context.enqueue(`complete ${transactionalId}`, () => this.#completeSurely(transaction)),
        (error: unknown) => {
          this.#log.info('The end of a transaction was not told to all partitions', { transactionalId, error });
        },
      );
  }

  /** A timer tries again until it is written. */
  #completeSurely(transaction: TransactionMetadata): Result<void> {
    const again = (): void =>
      this.#context.timer.schedule(`complete ${transaction.transactionalId}`, 0, () => this.#complete(transaction));
    return { ...this.#complete(transaction), settled: (error) => void (error !== null && again()) };
  }

  #complete({ transactionalId, producerId, producerEpoch }: TransactionMetadata): Result<void> {
    const transaction = this.#transactions.get(transactionalId);
    const isSame = transaction?.producerId === producerId && transaction.producerEpoch === producerEpoch;
    if (transaction === undefined || !isSame || !isEnding(transaction.state)) return nothing(undefined);
    return { records: [this.#record(completed(transaction, this.#now()))], response: undefined };
  }

  #scheduleAborts(): void {
    const intervalMs = this.#options.config()['transaction.abort.timed.out.transaction.cleanup.interval.ms'];
    this.#context.timer.schedule(ABORT_TIMER, intervalMs, () => {
      this.#scheduleAborts();
      const now = this.#now();
      const late = [...this.#transactions.values()].filter(
        ({ state, startedAt, timeoutMs }) => state === 'Ongoing' && timeoutMs !== NO_TIMEOUT && startedAt + timeoutMs < now,
      );
      this.#abortInTurns(late, 0);
      return nothing(undefined);
    });
  }

  /** Many at once would be a turn of a second, with their markers. */
  #abortInTurns(late: readonly TransactionMetadata[], from: number): void {
    const end = Math.min(from + ABORTS_AT_ONCE, late.length);
    for (const transaction of late.slice(from, end)) this.#enqueueAbort(transaction, NO_PRODUCER_ID);
    if (end === late.length) return;
    this.#context.timer.schedule(ABORT_MORE_TIMER, ABORT_PAUSE_MS, () => {
      this.#abortInTurns(late, end);
      return nothing(undefined);
    });
  }

  #enqueueAbort(transaction: TransactionMetadata, newProducerId: number): void {
    this.#context.enqueue('abort a transaction that took too long', () => this.#abortLate(transaction, newProducerId));
  }

  #abortLate({ transactionalId, producerId, producerEpoch }: TransactionMetadata, newProducerId: number): Result<void> {
    const transaction = this.#transactions.get(transactionalId);
    const isSame = transaction?.producerId === producerId && transaction.producerEpoch === producerEpoch;
    if (transaction === undefined || !isSame || transaction.state !== 'Ongoing') return nothing(undefined);
    if (!this.#needsProducerId(transaction, newProducerId))
      return this.#ending(this.#fencedAndAborted(transaction, newProducerId), undefined);
    // When there is none, the next turn of the timer tries again.
    this.#options.newProducerId().then(
      (id) => this.#enqueueAbort(transaction, id),
      (error: unknown) => this.#log.info('There is no producer id for a transaction to abort', { transactionalId, error }),
    );
    return nothing(undefined);
  }

  #scheduleExpiry(): void {
    const config = this.#options.config();
    this.#context.timer.schedule(EXPIRY_TIMER, config['transaction.remove.expired.transaction.cleanup.interval.ms'], () => {
      this.#scheduleExpiry();
      const oldest = this.#now() - this.#options.config()['transactional.id.expiration.ms'];
      const records: TransactionRecord[] = [];
      for (const { transactionalId, state, updatedAt } of this.#transactions.values())
        if (isIdle(state) && updatedAt <= oldest) records.push(transactionTombstone(transactionalId));
      return { records, response: undefined, isAtomic: false };
    });
  }

  #ofProducer(transactionalId: string, { producerId, producerEpoch }: ProducerIdAndEpoch): TransactionMetadata {
    const transaction = this.#transactions.get(transactionalId);
    if (transaction?.producerId !== producerId) throw new KafkaError('INVALID_PRODUCER_ID_MAPPING');
    if (transaction.producerEpoch !== producerEpoch) throw new KafkaError('PRODUCER_FENCED');
    return transaction;
  }

  /** Records of level 0 have no place for the version that a client speaks: it is told that it cannot speak this one. */
  #checkKept(version: TransactionVersion): void {
    if (version > 0 && this.#options.transactionVersion() === 0) throw new KafkaError('UNSUPPORTED_VERSION');
  }

  #record(transaction: TransactionMetadata): TransactionRecord {
    return transactionRecord(transaction, this.#options.transactionVersion());
  }

  get #log(): Logger {
    return this.#context.environment.logger.named('transaction coordinator');
  }

  #now(): Millis {
    return this.#context.environment.clock.now();
  }
}

const nothing = <Response>(response: Response): Result<Response> => ({ records: [], response });

/** What the producer goes on with. */
const nextOf = ({ producerId, producerEpoch, nextProducerId }: TransactionMetadata): ProducerIdAndEpoch =>
  nextProducerId === NO_PRODUCER_ID ? { producerId, producerEpoch } : { producerId: nextProducerId, producerEpoch: 0 };

/** A producer may name its id and epoch, or the ones that were used up before them. Where nothing is known yet, it may name any. */
const isKnownProducer = (transaction: TransactionMetadata, { producerId, producerEpoch }: ProducerIdAndEpoch): boolean =>
  transaction.producerEpoch === NO_PRODUCER_EPOCH ||
  producerId === transaction.producerId ||
  (producerId === transaction.previousProducerId && isEpochExhausted(producerEpoch));

/** Without an expected epoch a used up one is always replaced; with one, where it is the current one. */
const isRotationDue = (transaction: TransactionMetadata, expected: ProducerIdAndEpoch | null): boolean =>
  expected === null || expected.producerEpoch === transaction.producerEpoch;
