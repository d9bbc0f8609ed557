import { NO_PRODUCER_EPOCH, NO_SEQUENCE, NO_TIMESTAMP } from '../protocol/records/batch-layout.ts';

/** Batches that are remembered of each producer: as many as it may have in flight. */
const BATCHES_MAX = 5;
const SEQUENCES = 2 ** 31;

/** A batch that was appended, so that its repetition is recognised and answered alike. */
export interface BatchMetadata {
  readonly lastSequence: number;
  readonly lastOffset: number;
  readonly offsetDelta: number;
  readonly timestamp: number;
}

/** The snapshot's row of one producer, and what DescribeProducers tells. */
export interface ProducerSnapshotEntry {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly lastSequence: number;
  readonly lastOffset: number;
  readonly offsetDelta: number;
  readonly timestamp: number;
  readonly coordinatorEpoch: number;
  /** −1 when no transaction is open. */
  readonly currentTransactionFirstOffset: number;
}

const NO_BATCHES: readonly BatchMetadata[] = Object.freeze([]);

/** What one partition knows of one idempotent or transactional producer. */
export class ProducerEntry {
  readonly producerId: number;
  producerEpoch: number;
  coordinatorEpoch = -1;
  lastTimestamp = NO_TIMESTAMP;
  /** First offset of the open transaction; −1 when there is none. */
  transactionFirstOffset = -1;
  /** The oldest first. Never grown in place: an array that is grown has room for sixteen more, and there may be a million producers with one batch each. */
  batches: readonly BatchMetadata[] = NO_BATCHES;

  constructor(producerId: number, producerEpoch = NO_PRODUCER_EPOCH) {
    this.producerId = producerId;
    this.producerEpoch = producerEpoch;
  }

  static fromSnapshot(row: ProducerSnapshotEntry): ProducerEntry {
    const entry = new ProducerEntry(row.producerId, row.producerEpoch);
    entry.coordinatorEpoch = row.coordinatorEpoch;
    entry.lastTimestamp = row.timestamp;
    entry.transactionFirstOffset = row.currentTransactionFirstOffset;
    const { lastSequence, lastOffset, offsetDelta, timestamp } = row;
    if (lastOffset >= 0) entry.batches = [{ lastSequence, lastOffset, offsetDelta, timestamp }];
    return entry;
  }

  /** −1 when no batch is remembered. */
  get lastSequence(): number {
    return this.batches.at(-1)?.lastSequence ?? NO_SEQUENCE;
  }

  get lastOffset(): number {
    return this.batches.at(-1)?.lastOffset ?? -1;
  }

  snapshot(): ProducerSnapshotEntry {
    return {
      producerId: this.producerId,
      producerEpoch: this.producerEpoch,
      lastSequence: this.lastSequence,
      lastOffset: this.lastOffset,
      offsetDelta: this.batches.at(-1)?.offsetDelta ?? 0,
      timestamp: this.lastTimestamp,
      coordinatorEpoch: this.coordinatorEpoch,
      currentTransactionFirstOffset: this.transactionFirstOffset,
    };
  }

  /** A new epoch forgets the batches of the old one: their sequences mean nothing any more. */
  setEpoch(epoch: number): void {
    if (this.producerEpoch === epoch) return;
    this.producerEpoch = epoch;
    this.batches = NO_BATCHES;
  }

  addBatch(batch: BatchMetadata): void {
    const kept = this.batches.length === BATCHES_MAX ? this.batches.slice(1) : this.batches;
    this.batches = kept.concat(batch);
  }

  /** The remembered batch with exactly these sequences. */
  findBatch(epoch: number, baseSequence: number, lastSequence: number): BatchMetadata | null {
    if (epoch !== this.producerEpoch) return null;
    return this.batches.find((batch) => batch.lastSequence === lastSequence && firstSequenceOf(batch) === baseSequence) ?? null;
  }
}

const firstSequenceOf = (batch: BatchMetadata): number => (batch.lastSequence - batch.offsetDelta + SEQUENCES) % SEQUENCES;
