import type { Millis } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { Timeline } from '../../base/timeline-map.ts';
import type { TimerQueue } from '../../base/timer-queue.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { buildEndTransactionMarker } from '../../protocol/records/control-record.ts';
import type { TransactionalAppend } from '../../storage/producer-state-manager.ts';
import type { EncodedRecord, RecordSerde } from './coordinator-record.ts';
import type { CoordinatorResult, CoordinatorShard, ReplayContext } from './coordinator-shard.ts';
import type { LoadedBatch, PartitionWriter } from './partition-writer.ts';
import { PendingBatch, sizeOfBatch, sizeOfRecord, type TransactionalProducer, type Waiter } from './pending-batch.ts';
import { ShardTimers } from './shard-timers.ts';

/** Linger −1: what is written in one turn of the event loop makes one batch. */
const LINGER_FOR_THIS_TURN: Millis = -1;

export interface ActiveShardOptions<Shard extends CoordinatorShard<Rec>, Rec> {
  readonly environment: Environment;
  readonly timers: TimerQueue;
  readonly partition: number;
  readonly serde: RecordSerde<Rec>;
  readonly writer: PartitionWriter;
  /** How long a batch waits for more. */
  readonly lingerMs: () => Millis;
  /** How long an answer waits for its records to be committed. */
  readonly writeTimeoutMs: () => Millis;
  readonly makeShard: (active: ActiveShard<Shard, Rec>) => Shard;
}

/** The end of a transaction, for the log of a partition that took part. */
export interface EndOfTransaction extends TransactionalProducer {
  readonly coordinatorEpoch: number;
  readonly outcome: 'commit' | 'abort';
  /** What the producer speaks. */
  readonly transactionVersion: number;
}

interface ReplayableRecord<Rec> {
  readonly record: Rec;
  readonly encoded: EncodedRecord;
}

const NO_PRODUCER: Omit<ReplayContext, 'offset'> = { producerId: -1, producerEpoch: -1 };

/**
 * One partition of a coordinator that is served here: its state, the batch that is being gathered, and those who wait for what they asked for to be
 * committed. State runs ahead of the log by one batch, and ahead of the high watermark by what is not replicated; it goes back when a batch is not written.
 */
export class ActiveShard<Shard extends CoordinatorShard<Rec>, Rec> {
  readonly shard: Shard;
  readonly timeline = new Timeline();
  readonly timer: ShardTimers<Rec>;
  readonly partition: number;
  readonly #options: ActiveShardOptions<Shard, Rec>;
  #batch: PendingBatch | null = null;
  /** In the order of their offsets. */
  readonly #waiters: Waiter[] = [];
  #lastWrittenOffset = 0;
  #lastCommittedOffset = 0;
  #highWatermark = 0;
  #isAppending = false;
  #isClosed = false;
  #stopWatching: (() => void) | null = null;

  constructor(options: ActiveShardOptions<Shard, Rec>) {
    this.#options = options;
    this.partition = options.partition;
    this.timer = new ShardTimers(options.timers, (_key, operation) => this.write(operation));
    this.shard = options.makeShard(this);
  }

  /** The offset behind the last record that is written. */
  get lastWrittenOffset(): number {
    return this.#lastWrittenOffset;
  }

  /** The state at this offset of the timeline is what cannot be lost any more: what is asked is answered from it. */
  get lastCommittedOffset(): number {
    return this.#lastCommittedOffset;
  }

  /** Takes over a batch that was read. */
  replayBatch(batch: LoadedBatch): void {
    const { shard } = this;
    const { producerId, producerEpoch, endOfTransaction } = batch;
    if (batch.nextOffset > this.#options.writer.highWatermark(this.partition)) this.timeline.snapshot(this.#lastWrittenOffset);
    if (endOfTransaction !== null) shard.replayEndOfTransaction?.(producerId, producerEpoch, endOfTransaction);
    for (const { offset, key, value } of batch.records) {
      const record = key === null ? null : this.#options.serde.decode(key, value);
      if (record !== null) shard.replay(record, { offset, producerId, producerEpoch });
    }
    this.#lastWrittenOffset = batch.nextOffset;
  }

  /** Everything has been read: from now on the state follows what is written. */
  activate(): void {
    const { writer } = this.#options;
    this.timeline.snapshot(this.#lastWrittenOffset);
    this.#stopWatching = writer.watch(this.partition, (highWatermark) => {
      this.#highWatermark = highWatermark;
      if (!this.#isAppending) this.#commit();
    });
    this.#highWatermark = writer.highWatermark(this.partition);
    this.#commit();
  }

  /** Nothing is served any more: whoever waits is told NOT_COORDINATOR. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopWatching?.();
    this.timer.close();
    const error = new KafkaError('NOT_COORDINATOR');
    const batch = this.#batch;
    this.#batch = null;
    for (const waiter of this.#waiters.splice(0)) waiter.settle(error);
    for (const waiter of batch?.waiters ?? []) waiter.settle(error);
    this.shard.unloaded();
  }

  /** Does an operation; resolves with its response when its records are committed. Rejects with what it throws, or with why they were not written. */
  write<Response>(operation: (shard: Shard) => CoordinatorResult<Rec, Response>): Promise<Response> {
    try {
      this.#checkOpen();
      const result = operation(this.shard);
      const { settled, promise } = this.#waiterFor(result);
      tellIfRefused(result, () => this.#gather(result, settled));
      return promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The same for records that belong to a transaction: a batch of their own, which counts when the transaction is committed. */
  writeTransactional<Response>(
    producer: TransactionalProducer,
    operation: (shard: Shard) => CoordinatorResult<Rec, Response>,
  ): Promise<Response> {
    try {
      this.#checkOpen();
      const result = operation(this.shard);
      const { settled, promise } = this.#waiterFor(result);
      this.flush();
      const batch = new PendingBatch(this.#lastWrittenOffset);
      const max = this.#options.writer.maxBatchBytes(this.partition);
      tellIfRefused(result, () => this.#replayInto(batch, this.#encode(result, max), { result, producer }));
      batch.waiters.push(settled);
      this.#write(batch, producer);
      return promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Writes the marker that ends a transaction, and takes it over. Resolves when it is committed. */
  endTransaction(end: EndOfTransaction): Promise<void> {
    try {
      this.#checkOpen();
      this.flush();
      const { producerId, producerEpoch, outcome } = end;
      const marker = buildEndTransactionMarker({
        ...end,
        outcome: outcome === 'commit' ? 'COMMIT' : 'ABORT',
        timestamp: this.#options.environment.clock.now(),
      });
      const { settled, promise } = this.#waiterFor({ records: [], response: undefined });
      this.#append(marker, end);
      this.shard.replayEndOfTransaction?.(producerId, producerEpoch, outcome);
      this.timeline.snapshot(this.#lastWrittenOffset);
      this.#await([settled]);
      return promise;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Writes what has been gathered. */
  flush(): void {
    const batch = this.#batch;
    this.#batch = null;
    if (batch !== null) this.#write(batch);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new KafkaError('NOT_COORDINATOR');
  }

  #waiterFor<Response>(result: CoordinatorResult<Rec, Response>): {
    readonly settled: Waiter;
    readonly promise: Promise<Response>;
  } {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const settled: Waiter = {
      offset: -1,
      isSettled: false,
      settle: (error) => {
        if (settled.isSettled) return;
        settled.isSettled = true;
        result.settled?.(error);
        if (error === null) resolve(result.response);
        else reject(error);
      },
    };
    return { settled, promise };
  }

  #gather<Response>(result: CoordinatorResult<Rec, Response>, waiter: Waiter): void {
    if (result.records.length === 0) {
      // What it saw may be about to be written, or lost.
      if (this.#batch !== null) this.#batch.waiters.push(waiter);
      else this.#await([waiter]);
      return;
    }
    const max = this.#options.writer.maxBatchBytes(this.partition);
    const isAtomic = result.isAtomic !== false;
    const parts = [...partsOf(this.#encode(result, isAtomic ? max : Infinity), isAtomic ? Infinity : max)];
    for (const [index, part] of parts.entries()) {
      const size = sizeOfBatch(part.map(({ encoded }) => encoded));
      if (size > max) throw tooLarge(size, max);
      if (this.#batch !== null && this.#batch.sizeInBytes + size > max) this.flush();
      // An earlier part was not written: whoever asked knows it, and the rest makes no sense.
      if (waiter.isSettled) return;
      const batch = this.#batch ?? new PendingBatch(this.#lastWrittenOffset);
      this.#replayInto(batch, part, { result, producer: null });
      batch.waiters.push(index === parts.length - 1 ? waiter : new PartWaiter(waiter));
      this.#batch = batch;
    }
    if (this.#batch !== null && !this.#batch.isScheduled) this.#schedule(this.#batch);
  }

  /** Throws MESSAGE_TOO_LARGE at the first record that does not fit any more. */
  #encode({ records }: CoordinatorResult<Rec, unknown>, maxBytes: number): ReplayableRecord<Rec>[] {
    let size = sizeOfBatch([]);
    return records.map((record) => {
      const encoded = this.#options.serde.encode(record);
      size += sizeOfRecord(encoded);
      if (size > maxBytes) throw tooLarge(size, maxBytes);
      return { record, encoded };
    });
  }

  /** Takes the records over, and gathers them to be written. */
  #replayInto(
    batch: PendingBatch,
    records: readonly ReplayableRecord<Rec>[],
    { result, producer }: { readonly result: CoordinatorResult<Rec, unknown>; readonly producer: TransactionalProducer | null },
  ): void {
    try {
      for (const { record, encoded } of records) {
        if (result.isReplayed !== false) this.shard.replay(record, { ...(producer ?? NO_PRODUCER), offset: batch.nextOffset });
        batch.add(encoded);
      }
    } catch (error) {
      // Part of the operation may have been replayed: it goes, and the batch with it.
      if (this.#batch === batch) this.#batch = null;
      this.#revert(batch, new KafkaError('UNKNOWN_SERVER_ERROR'));
      throw error;
    }
  }

  #schedule(batch: PendingBatch): void {
    batch.isScheduled = true;
    const { environment, timers } = this.#options;
    const lingerMs = this.#options.lingerMs();
    const flush = (): void => {
      if (this.#batch === batch) this.flush();
    };
    if (lingerMs === 0) flush();
    else if (lingerMs === LINGER_FOR_THIS_TURN) environment.clock.defer(flush);
    else timers.schedule(lingerMs, flush);
  }

  #write(batch: PendingBatch, producer?: TransactionalProducer): void {
    const { environment, writer } = this.#options;
    if (batch.isEmpty) {
      this.#await(batch.waiters);
      return;
    }
    try {
      this.#append(batch.build(environment.clock.now(), writer.compression, producer), producer?.transactional);
      this.timeline.snapshot(this.#lastWrittenOffset);
    } catch (error) {
      this.#revert(batch, toldError(error));
      if (!(error instanceof KafkaError)) throw error;
      return;
    }
    this.#await(batch.waiters);
  }

  #append(bytes: Buffer, transactional?: TransactionalAppend): void {
    this.#isAppending = true;
    try {
      this.#lastWrittenOffset = this.#options.writer.append(this.partition, bytes, transactional);
    } finally {
      this.#isAppending = false;
    }
  }

  #revert(batch: PendingBatch, error: KafkaError): void {
    this.timeline.revertTo(this.#lastWrittenOffset);
    this.#options.environment.logger.named('coordinator').info('A batch was not written', {
      partition: this.partition,
      records: batch.nextOffset - batch.baseOffset,
      error: error.errorName,
    });
    for (const waiter of batch.waiters) waiter.settle(error);
  }

  /** Lets them wait for everything that is written now. */
  #await(waiters: readonly Waiter[]): void {
    for (const waiter of waiters) {
      waiter.offset = this.#lastWrittenOffset;
      this.#waiters.push(waiter);
    }
    this.#commit();
    for (const waiter of waiters) if (waiter.offset > this.#lastCommittedOffset) this.#limit(waiter);
  }

  #limit(waiter: Waiter): void {
    const timer = this.#options.timers.schedule(this.#options.writeTimeoutMs(), () =>
      waiter.settle(new KafkaError('REQUEST_TIMED_OUT')),
    );
    const settle = waiter.settle.bind(waiter);
    waiter.settle = (error) => {
      timer.cancel();
      settle(error);
    };
  }

  /** The high watermark has moved: those whose records it has passed are answered. */
  #commit(): void {
    const committed = Math.min(this.#highWatermark, this.#lastWrittenOffset);
    if (committed > this.#lastCommittedOffset && this.timeline.hasSnapshot(committed)) {
      this.#lastCommittedOffset = committed;
      this.timeline.forgetBefore(committed);
    }
    let count = 0;
    while ((this.#waiters[count]?.offset ?? Infinity) <= this.#highWatermark) count++;
    for (const waiter of this.#waiters.splice(0, count)) waiter.settle(null);
  }
}

const toldError = (error: unknown): KafkaError => (error instanceof KafkaError ? error : new KafkaError('UNKNOWN_SERVER_ERROR'));

/** An operation is told as well when its records cannot even be gathered. */
function tellIfRefused({ settled }: Pick<CoordinatorResult<unknown, unknown>, 'settled'>, gather: () => void): void {
  try {
    gather();
  } catch (error) {
    settled?.(toldError(error));
    throw error;
  }
}

const tooLarge = (size: number, max: number): KafkaError =>
  new KafkaError('MESSAGE_TOO_LARGE', `The records need at least ${size} bytes, and a batch has ${max} at most.`);

/** Waits for a part of what was asked for: only its failure is news. */
class PartWaiter implements Waiter {
  readonly #whole: Waiter;
  offset = -1;
  isSettled = false;

  constructor(whole: Waiter) {
    this.#whole = whole;
  }

  settle(error: KafkaError | null): void {
    this.isSettled = true;
    if (error !== null) this.#whole.settle(error);
  }
}

/** The records in parts that fit into a batch each. */
function* partsOf<Rec>(records: readonly ReplayableRecord<Rec>[], maxBytes: number): Generator<ReplayableRecord<Rec>[]> {
  let part: ReplayableRecord<Rec>[] = [];
  let size = sizeOfBatch([]);
  for (const record of records) {
    const recordSize = sizeOfRecord(record.encoded);
    if (part.length > 0 && size + recordSize > maxBytes) {
      yield part;
      part = [];
      size = sizeOfBatch([]);
    }
    part.push(record);
    size += recordSize;
  }
  yield part;
}
