import { KafkaError } from '../protocol/errors.ts';
import { NO_PRODUCER_EPOCH, NO_SEQUENCE } from '../protocol/records/batch-layout.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { type EndTransactionMarker, readEndTransactionMarker } from './end-transaction-marker.ts';
import type { BatchMetadata, ProducerEntry } from './producer-entry.ts';

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
  readonly #current: ProducerEntry;
  readonly #origin: AppendOrigin;

  constructor(current: ProducerEntry, origin: AppendOrigin) {
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
    this.#checkEpoch(producerEpoch, baseOffset);
    if (this.#origin === 'client') this.#checkSequence(producerEpoch, baseSequence, baseOffset);
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

  #addMarker(batch: RecordBatch, marker: EndTransactionMarker): CompletedTransaction | null {
    this.#checkEpoch(batch.producerEpoch, batch.baseOffset);
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

  #checkSequence(epoch: number, sequence: number, offset: number): void {
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
