import { KafkaError } from '../protocol/errors.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { type AppendOrigin, type CompletedTransaction, ProducerAppend, type ProducerAppendRules } from './producer-append.ts';
import { type BatchMetadata, ProducerEntry, type ProducerSnapshotEntry } from './producer-entry.ts';
import type { ProducerSnapshots } from './producer-snapshots.ts';
import { type TransactionStart, type TransactionVerification, TransactionVerifications } from './transaction-verifications.ts';

/** What an append will change, or the batch that it repeats. */
export interface ProducerUpdate {
  readonly appends: readonly ProducerAppend[];
  readonly completed: readonly CompletedTransaction[];
  readonly duplicate: BatchMetadata | null;
}

/** What an append has to do with transactions. */
export type TransactionalAppend = Partial<Omit<ProducerAppendRules, 'verifications'>>;

interface OpenTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

const NOTHING: ProducerUpdate = Object.freeze({ appends: [], completed: [], duplicate: null });

/**
 * All producers of one partition: the last batches of each, and the transactions that are open or whose marker is not replicated yet, which hold back the
 * last stable offset.
 */
export class ProducerStateManager {
  readonly snapshots: ProducerSnapshots;
  readonly verifications = new TransactionVerifications();
  readonly #producers = new Map<number, ProducerEntry>();
  /** Transactions without a marker, by first offset, in order of their start. */
  readonly #open = new Map<number, OpenTransaction>();
  /** First offset to marker offset of transactions whose marker the high watermark has not passed. */
  readonly #unreplicated = new Map<number, number>();
  readonly #expirationMs: () => number;
  /** What a snapshot was last taken of, or loaded from. */
  #snapshotOffset = 0;
  /** The state is that after every batch below this offset. */
  endOffset = 0;

  constructor(snapshots: ProducerSnapshots, expirationMs: () => number) {
    this.snapshots = snapshots;
    this.#expirationMs = expirationMs;
  }

  get size(): number {
    return this.#producers.size;
  }

  /** The producers, for DescribeProducers. */
  get active(): Iterable<ProducerEntry> {
    return this.#producers.values();
  }

  entry(producerId: number): ProducerEntry | null {
    return this.#producers.get(producerId) ?? null;
  }

  /** The first offset that a read_committed reader may not pass; null if there is none. */
  get firstUnstableOffset(): number | null {
    // Open transactions are in order of their start; the others in order of their markers.
    let first = firstKey(this.#open);
    for (const offset of this.#unreplicated.keys()) if (first === null || offset < first) first = offset;
    return first;
  }

  /**
   * The permission to begin a transaction, to be used when the coordinator has agreed; null for one that has begun. Throws INVALID_PRODUCER_EPOCH for a producer that is known to be
   * fenced.
   */
  startVerification(start: TransactionStart): TransactionVerification | null {
    const entry = this.#producers.get(start.producerId);
    if (entry !== undefined && start.producerEpoch < entry.producerEpoch) throw new KafkaError('INVALID_PRODUCER_EPOCH');
    const isOpen = entry !== undefined && entry.transactionFirstOffset >= 0 && entry.producerEpoch === start.producerEpoch;
    return isOpen ? null : this.verifications.start(start);
  }

  /** Looks what the batches would change; throws a KafkaError if they may not be appended. */
  prepare(batches: readonly RecordBatch[], origin: AppendOrigin, transactional: TransactionalAppend = {}): ProducerUpdate {
    const rules = { isVerified: false, ...transactional, verifications: this.verifications };
    const appends = new Map<number, ProducerAppend>();
    const completed: CompletedTransaction[] = [];
    for (const batch of batches) {
      const { producerId } = batch;
      if (producerId < 0) continue;
      if (origin === 'client') {
        const { producerEpoch, baseSequence, lastSequence } = batch;
        const duplicate = this.#producers.get(producerId)?.findBatch(producerEpoch, baseSequence, lastSequence) ?? null;
        if (duplicate !== null) return { ...NOTHING, duplicate };
      }
      let append = appends.get(producerId);
      if (append === undefined) {
        append = new ProducerAppend(this.#producers.get(producerId) ?? new ProducerEntry(producerId), origin, rules);
        appends.set(producerId, append);
      }
      const transaction = append.add(batch);
      if (transaction !== null) completed.push(transaction);
    }
    return appends.size === 0 ? NOTHING : { appends: [...appends.values()], completed, duplicate: null };
  }

  /**
   * Makes the changes. `completed` is told each transaction that ends, with the last stable offset that holds then, in order.
   */
  apply(update: ProducerUpdate, completed: (transaction: CompletedTransaction, lastStableOffset: number) => void): void {
    for (const append of update.appends) {
      let entry = this.#producers.get(append.producerId);
      if (entry === undefined) {
        entry = new ProducerEntry(append.producerId, append.producerEpoch);
        this.#producers.set(append.producerId, entry);
      }
      append.applyTo(entry);
      if (append.hasTransactionalData) this.verifications.end(append.producerId);
      else if (append.hasMarker) this.verifications.withdraw(append.producerId, append.producerEpoch);
      for (const firstOffset of append.startedTransactions) {
        this.#open.set(firstOffset, { producerId: append.producerId, firstOffset });
      }
    }
    for (const transaction of update.completed) {
      completed(transaction, this.#stableOffsetAfter(transaction));
      this.#open.delete(transaction.firstOffset);
      this.#unreplicated.set(transaction.firstOffset, transaction.lastOffset);
    }
  }

  #stableOffsetAfter(transaction: CompletedTransaction): number {
    for (const open of this.#open.values()) if (open.producerId !== transaction.producerId) return open.firstOffset;
    return transaction.lastOffset + 1;
  }

  highWatermarkMoved(highWatermark: number): void {
    for (const [firstOffset, lastOffset] of this.#unreplicated) {
      if (lastOffset < highWatermark) this.#unreplicated.delete(firstOffset);
    }
  }

  /** Records before `offset` are gone; what they said of producers stays known. */
  logStartMoved(offset: number): void {
    this.highWatermarkMoved(offset);
    if (this.endOffset < offset) this.endOffset = offset;
    this.#snapshotOffset = this.snapshots.latestOffset < 0 ? offset : this.snapshots.latestOffset;
  }

  /** Forgets producers that have not written for producer.id.expiration.ms and have no transaction open. */
  removeExpired(nowMs: number): void {
    for (const [producerId, entry] of this.#producers) if (this.#isExpired(entry, nowMs)) this.#producers.delete(producerId);
  }

  #isExpired(entry: ProducerEntry, nowMs: number): boolean {
    return entry.transactionFirstOffset < 0 && nowMs - entry.lastTimestamp >= this.#expirationMs();
  }

  /** Keeps the state on disk under its offset, unless that is there already. */
  takeSnapshot(): void {
    if (this.endOffset <= this.#snapshotOffset) return;
    this.#snapshotOffset = this.endOffset;
    this.snapshots.write(this.endOffset, this.#rows());
  }

  /** The same off the event loop. If the state becomes another one meanwhile, it is not kept. */
  async takeSnapshotLater(): Promise<void> {
    const { endOffset } = this;
    if (endOffset <= this.#snapshotOffset) return;
    const isWanted = (): boolean => this.endOffset === endOffset && endOffset > this.#snapshotOffset;
    await this.snapshots.writeLater(endOffset, { entries: this.#rows(), isWanted });
    if (isWanted()) this.#snapshotOffset = endOffset;
  }

  #rows(): ProducerSnapshotEntry[] {
    return [...this.#producers.values()].map((entry) => entry.snapshot()).sort((a, b) => a.producerId - b.producerId);
  }

  clear(endOffset: number): void {
    this.#producers.clear();
    this.verifications.clear();
    this.#open.clear();
    this.#unreplicated.clear();
    this.endOffset = endOffset;
    this.#snapshotOffset = endOffset;
  }

  /** Goes back to the newest snapshot in (`logStartOffset`, `logEndOffset`], or to nothing at `logStartOffset`. */
  reload(logStartOffset: number, logEndOffset: number, nowMs: number): void {
    this.snapshots.keepOnly((offset) => offset > logStartOffset && offset <= logEndOffset);
    const snapshot = this.snapshots.loadLatest();
    this.clear(snapshot?.offset ?? logStartOffset);
    for (const row of snapshot?.entries ?? []) {
      const entry = ProducerEntry.fromSnapshot(row);
      if (this.#isExpired(entry, nowMs)) continue;
      this.#producers.set(entry.producerId, entry);
      const { producerId, transactionFirstOffset: firstOffset } = entry;
      if (firstOffset >= 0) this.#open.set(firstOffset, { producerId, firstOffset });
    }
    this.#sortOpenTransactions();
  }

  /** A snapshot lists producers by id; transactions are looked through by their start. */
  #sortOpenTransactions(): void {
    const sorted = [...this.#open.values()].sort((a, b) => a.firstOffset - b.firstOffset);
    this.#open.clear();
    for (const transaction of sorted) this.#open.set(transaction.firstOffset, transaction);
  }
}

function firstKey(map: ReadonlyMap<number, unknown>): number | null {
  for (const key of map.keys()) return key;
  return null;
}
