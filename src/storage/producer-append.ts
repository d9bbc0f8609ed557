import { KafkaError } from '../protocol/errors.ts';
import { NO_PRODUCER_EPOCH, NO_SEQUENCE, PRODUCER_EPOCH_MAX } from '../protocol/records/batch-layout.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { type EndTransactionMarker, readEndTransactionMarker } from './end-transaction-marker.ts';
import type { BatchMetadata, ProducerEntry } from './producer-entry.ts';
import type { TransactionVerification, TransactionVerifications } from './transaction-verifications.ts';

const SEQUENCE_MAX = 0x7fff_ffff;

/** Who wrote the batches: only a client's sequences are checked, and what a leader accepted is accepted by its followers. */
export type AppendOrigin = 'client' | 'coordinator' | 'raft' | 'replication';

export interface CompletedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** The marker's offset. */
  readonly lastOffset: number;
  readonly isAborted: boolean;
}

/** What besides the producer's own state decides whether it may append. */
export interface ProducerAppendRules {
  /** What is being found out about the producers' transactions. */
  readonly verifications: TransactionVerifications;
  /** The permission that these records come with. */
  readonly verification?: TransactionVerification | undefined;
  /** Whether records may only begin a transaction with a permission. */
  readonly isVerified: boolean;
  /** What the producer of a marker speaks: since version 2 each transaction has an epoch of its own. */
  readonly transactionVersion?: number | undefined;
}

/**
 * What an append would change of one producer's state. Nothing is changed before `ProducerStateManager.apply`, after the bytes were written: an append
 * that fails leaves no trace (KAFKA-6683).
 */
export class ProducerAppend {
  readonly producerId: number;
  readonly batches: BatchMetadata[] = [];
  readonly startedTransactions: number[] = [];
  producerEpoch: number;
  coordinatorEpoch: number;
  lastTimestamp: number;
  transactionFirstOffset: number;
  /** Whether data of a transaction is among them: then nothing about it has to be found out any more. */
  hasTransactionalData = false;
  hasMarker = false;
  readonly #current: ProducerEntry;
  readonly #origin: AppendOrigin;
  readonly #rules: ProducerAppendRules;

  constructor(current: ProducerEntry, origin: AppendOrigin, rules: ProducerAppendRules) {
    this.#rules = rules;
    this.producerId = current.producerId;
    this.producerEpoch = current.producerEpoch;
    this.coordinatorEpoch = current.coordinatorEpoch;
    this.lastTimestamp = current.lastTimestamp;
    this.transactionFirstOffset = current.transactionFirstOffset;
    this.#current = current;
    this.#origin = origin;
  }

  /** Checks one batch, which has its offsets, and takes note of it. Gives the transaction that its marker completes. */
  add(batch: RecordBatch): CompletedTransaction | null {
    if (!batch.isControl) {
      this.#addData(batch);
      return null;
    }
    const marker = readEndTransactionMarker(batch);
    return marker === null ? null : this.#addMarker(batch, marker);
  }

  #addData(batch: RecordBatch): void {
    const { baseOffset, producerEpoch, baseSequence, isTransactional } = batch;
    this.#checkVerified(batch);
    this.#checkEpoch(producerEpoch, baseOffset);
    if (this.#origin === 'client') this.#checkSequence(producerEpoch, baseSequence, baseOffset);
    this.hasTransactionalData ||= isTransactional;
    this.#setEpoch(producerEpoch);
    const { lastSequence, lastOffsetDelta, maxTimestamp } = batch;
    this.batches.push({
      lastSequence,
      lastOffset: baseOffset + lastOffsetDelta,
      offsetDelta: lastOffsetDelta,
      timestamp: maxTimestamp,
    });
    this.lastTimestamp = maxTimestamp;
    if (isTransactional && this.transactionFirstOffset < 0) {
      this.transactionFirstOffset = baseOffset;
      this.startedTransactions.push(baseOffset);
    } else if (!isTransactional && this.transactionFirstOffset >= 0) {
      throw new KafkaError(
        'INVALID_TXN_STATE',
        `Producer ${this.producerId} wrote without a transaction at offset ${baseOffset}, though its transaction is open.`,
      );
    }
  }

  /** Only who asked the coordinator begins a transaction; who has begun goes on. */
  #checkVerified({ isTransactional, producerEpoch, baseOffset }: RecordBatch): void {
    const { isVerified, verifications, verification } = this.#rules;
    if (!isVerified || !isTransactional) return;
    if (this.transactionFirstOffset >= 0 && this.producerEpoch === producerEpoch) return;
    if (verifications.isCurrent(this.producerId, verification)) return;
    throw new KafkaError(
      'INVALID_TXN_STATE',
      `The records of producer ${this.producerId} at offset ${baseOffset} are part of no transaction that is open.`,
    );
  }

  #addMarker(batch: RecordBatch, marker: EndTransactionMarker): CompletedTransaction | null {
    this.#checkMarkerEpoch(batch);
    this.hasMarker = true;
    if (marker.coordinatorEpoch < this.coordinatorEpoch && this.#origin !== 'replication') {
      throw new KafkaError(
        'TRANSACTION_COORDINATOR_FENCED',
        `The marker of producer ${this.producerId} has coordinator epoch ${marker.coordinatorEpoch}, after ${this.coordinatorEpoch}.`,
      );
    }
    const { producerId, transactionFirstOffset: firstOffset } = this;
    const { lastOffset } = batch;
    this.#setEpoch(batch.producerEpoch);
    this.coordinatorEpoch = marker.coordinatorEpoch;
    this.lastTimestamp = batch.maxTimestamp;
    this.transactionFirstOffset = -1;
    // A marker without data moves no last stable offset and belongs into no index.
    return firstOffset < 0 ? null : { producerId, firstOffset, lastOffset, isAborted: marker.isAbort };
  }

  #checkEpoch(epoch: number, offset: number): void {
    if (epoch >= this.producerEpoch || this.#origin === 'replication') return;
    throw new KafkaError(
      'INVALID_PRODUCER_EPOCH',
      `Epoch ${epoch} of producer ${this.producerId} at offset ${offset} is older than ${this.producerEpoch}.`,
    );
  }

  /** With version 2 the epoch is raised before the markers are written: one that is not higher is late, or comes again because its answer was lost. */
  #checkMarkerEpoch({ producerEpoch, baseOffset }: RecordBatch): void {
    this.#checkEpoch(producerEpoch, baseOffset);
    const isRaised = (this.#rules.transactionVersion ?? 0) >= 2;
    if (!isRaised || producerEpoch > this.producerEpoch || this.#origin === 'replication') return;
    if (this.transactionFirstOffset < 0 || producerEpoch === PRODUCER_EPOCH_MAX) return;
    throw new KafkaError(
      'INVALID_PRODUCER_EPOCH',
      `The marker at offset ${baseOffset} has epoch ${producerEpoch} of producer ${this.producerId}, which is not newer than ${this.producerEpoch}.`,
    );
  }

  #checkSequence(epoch: number, sequence: number, offset: number): void {
    this.#rules.verifications.checkSequence(this.producerId, sequence, this.#current);
    if (epoch !== this.producerEpoch) {
      if (sequence === 0 || this.producerEpoch === NO_PRODUCER_EPOCH) return;
    } else {
      // Nothing is known of this producer, perhaps because retention removed all it wrote: any sequence is a start.
      if (this.#current.producerEpoch === NO_PRODUCER_EPOCH) return;
      if (follows(this.#lastSequence(epoch), sequence)) return;
    }
    throw new KafkaError(
      'OUT_OF_ORDER_SEQUENCE_NUMBER',
      `Producer ${this.producerId} (epoch ${epoch}) sent sequence ${sequence} for offset ${offset}, after ${this.#lastSequence(epoch)}.`,
    );
  }

  #lastSequence(epoch: number): number {
    const last = this.batches.at(-1);
    if (last !== undefined) return last.lastSequence;
    return epoch === this.#current.producerEpoch ? this.#current.lastSequence : NO_SEQUENCE;
  }

  #setEpoch(epoch: number): void {
    if (this.producerEpoch === epoch) return;
    this.producerEpoch = epoch;
    this.batches.length = 0;
  }

  /** Makes the changes. */
  applyTo(entry: ProducerEntry): void {
    entry.setEpoch(this.producerEpoch);
    for (const batch of this.batches) entry.addBatch(batch);
    entry.coordinatorEpoch = this.coordinatorEpoch;
    entry.lastTimestamp = this.lastTimestamp;
    entry.transactionFirstOffset = this.transactionFirstOffset;
  }
}

const follows = (last: number, next: number): boolean => next === last + 1 || (next === 0 && last === SEQUENCE_MAX);
