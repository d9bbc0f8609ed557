import type { Millis } from '../../base/clock.ts';
import { buildBatch } from '../../protocol/records/record-batch-builder.ts';
import type { KafkaError } from '../../protocol/errors.ts';
import type { EncodedRecord } from './coordinator-record.ts';
import type { TransactionalAppend } from '../../storage/producer-state-manager.ts';
import type { PartitionWriter } from './partition-writer.ts';

/** Bytes of a record besides its key and value, at most: lengths, deltas and the number of headers. */
const RECORD_OVERHEAD_BYTES = 26;
/** Bytes of a batch without records. */
const BATCH_OVERHEAD_BYTES = 61;

/** Somebody who waits for records to be committed. Told once. */
export interface Waiter {
  /** The offset that has to be committed; known once the records are written. */
  offset: number;
  isSettled: boolean;
  settle(error: KafkaError | null): void;
}

/** Who wrote a batch that belongs to a transaction. */
export interface TransactionalProducer {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** What allows it to begin a transaction in the partition. */
  readonly transactional?: TransactionalAppend | undefined;
}

/** Records that have been replayed and are about to be written as one batch, and those who wait for them. */
export class PendingBatch {
  readonly baseOffset: number;
  readonly waiters: Waiter[] = [];
  /** It is going to be written, with what comes until then. */
  isScheduled = false;
  readonly #records: EncodedRecord[] = [];
  #sizeInBytes = BATCH_OVERHEAD_BYTES;

  constructor(baseOffset: number) {
    this.baseOffset = baseOffset;
  }

  get nextOffset(): number {
    return this.baseOffset + this.#records.length;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  /** Of the batch without compression, rounded up. */
  get sizeInBytes(): number {
    return this.#sizeInBytes;
  }

  add(record: EncodedRecord): void {
    this.#records.push(record);
    this.#sizeInBytes += sizeOfRecord(record);
  }

  build(now: Millis, compression: PartitionWriter['compression'], producer?: TransactionalProducer): Buffer {
    const records = this.#records.map(({ key, value }) => ({ timestamp: now, key, value, headers: [] }));
    // Nobody counts what a coordinator writes for a producer.
    if (producer === undefined) return buildBatch({ records, codec: compression });
    const { producerId, producerEpoch } = producer;
    return buildBatch({ records, codec: compression, producerId, producerEpoch, baseSequence: 0, isTransactional: true });
  }
}

/** Rounded up. */
export const sizeOfRecord = ({ key, value }: EncodedRecord): number => RECORD_OVERHEAD_BYTES + key.length + (value?.length ?? 0);

/** Rounded up, as if they were a batch of their own. */
export const sizeOfBatch = (records: readonly EncodedRecord[]): number =>
  records.reduce((size, record) => size + sizeOfRecord(record), BATCH_OVERHEAD_BYTES);
