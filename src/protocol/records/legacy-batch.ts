import { readInt64, readUint32 } from '../../base/bytes/big-endian.ts';
import { crc32 } from '../compression/zlib-codecs.ts';
import * as layout from './batch-layout.ts';
import { CorruptBatchError } from './corrupt-batch-error.ts';
import { RecordBatch } from './record-batch.ts';

const CRC = 12;
const ATTRIBUTES = 17;
const TIMESTAMP = 18;
/** Where the checksummed bytes begin: at the magic. */
const CHECKED = layout.MAGIC;
/** Offset, size, checksum, magic, attributes, and the lengths of key and value; magic 1 has eight bytes of time as well. */
const OVERHEAD = [26, 34] as const;

/**
 * One message of an old format (magic 0 or 1), or a message whose value holds more of them, compressed. Kafka 4 still reads them from logs that old brokers wrote and
 * no longer accepts them from producers.
 */
export class LegacyBatch extends RecordBatch {
  /** Where the length of the key is. */
  get keyAt(): number {
    return this.start + (this.magic === 0 ? TIMESTAMP : TIMESTAMP + 8);
  }

  override get baseOffset(): number {
    return readInt64(this.bytes, this.start + layout.BASE_OFFSET);
  }

  /** The message's own offset; of a compressed one, the offset of its last message. */
  override get lastOffset(): number {
    return this.baseOffset;
  }

  override get lastOffsetDelta(): number {
    return 0;
  }

  override get partitionLeaderEpoch(): number {
    return layout.NO_PARTITION_LEADER_EPOCH;
  }

  override get crc(): number {
    return readUint32(this.bytes, this.start + CRC);
  }

  override get attributes(): number {
    return this.bytes[this.start + ATTRIBUTES] as number;
  }

  override get timestampType(): layout.TimestampType {
    return this.magic === 0 ? 'none' : super.timestampType;
  }

  override get isTransactional(): boolean {
    return false;
  }

  override get isControl(): boolean {
    return false;
  }

  override get hasDeleteHorizon(): boolean {
    return false;
  }

  override get baseTimestamp(): number {
    return this.maxTimestamp;
  }

  override get maxTimestamp(): number {
    return this.magic === 0 ? layout.NO_TIMESTAMP : readInt64(this.bytes, this.start + TIMESTAMP);
  }

  override get producerId(): number {
    return layout.NO_PRODUCER_ID;
  }

  override get producerEpoch(): number {
    return layout.NO_PRODUCER_EPOCH;
  }

  override get baseSequence(): number {
    return layout.NO_SEQUENCE;
  }

  /** −1, not known, where messages are compressed together. */
  override get recordsCount(): number {
    return this.codecId === 0 ? 1 : -1;
  }

  override computeCrc(): number {
    return crc32(this.bytes.subarray(this.start + CHECKED, this.end));
  }

  override isCrcValid(): boolean {
    return this.sizeInBytes >= this.#overhead && this.crc === this.computeCrc();
  }

  override ensureValid(): void {
    if (this.sizeInBytes < this.#overhead) {
      throw new CorruptBatchError(
        `Record is corrupt (crc could not be retrieved as the record is too small, size = ${this.sizeInBytes - layout.LOG_OVERHEAD})`,
      );
    }
    const computed = this.computeCrc();
    if (computed !== this.crc) {
      throw new CorruptBatchError(`Record is corrupt (stored crc = ${this.crc}, computed crc = ${computed})`);
    }
  }

  get #overhead(): number {
    return this.magic === 0 ? OVERHEAD[0] : OVERHEAD[1];
  }
}
