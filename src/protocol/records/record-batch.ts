import { readInt16, readInt32, readInt64, readUint32, writeInt16, writeInt32, writeInt64 } from '../../base/bytes/big-endian.ts';
import { crc32c } from '../../base/bytes/crc32c.ts';
import { type Codec, codecOfId } from '../compression/codec.ts';
import * as layout from './batch-layout.ts';
import { CorruptBatchError } from './corrupt-batch-error.ts';

/** Sequence numbers go from 0 to 2^31 − 1 and start again. */
export function addToSequence(sequence: number, increment: number): number {
  return (sequence + increment) & 0x7fff_ffff;
}

/**
 * A record batch where it lies: a place in somebody's bytes, read and patched field by field, never copied. The bytes are not checked by making a
 * view; `batchesOf` has checked that the batch is whole, `ensureValid` checks the rest of the frame.
 *
 * Offsets and times are milliseconds and record counts as numbers; an int64 beyond 2^53 reads as the nearest number.
 */
export class RecordBatch {
  readonly bytes: Uint8Array;
  /** The index in `bytes` of the batch's first byte. */
  readonly start: number;

  constructor(bytes: Uint8Array, start = 0) {
    this.bytes = bytes;
    this.start = start;
  }

  get baseOffset(): number {
    return readInt64(this.bytes, this.start + layout.BASE_OFFSET);
  }

  /** All bytes of the batch, its base offset and length among them. */
  get sizeInBytes(): number {
    return layout.LOG_OVERHEAD + readInt32(this.bytes, this.start + layout.BATCH_LENGTH);
  }

  /** The index in `bytes` after the batch's last byte. */
  get end(): number {
    return this.start + this.sizeInBytes;
  }

  get magic(): number {
    return this.bytes[this.start + layout.MAGIC] as number;
  }

  get partitionLeaderEpoch(): number {
    return readInt32(this.bytes, this.start + layout.PARTITION_LEADER_EPOCH);
  }

  /** The stored checksum. */
  get crc(): number {
    return readUint32(this.bytes, this.start + layout.CRC);
  }

  get attributes(): number {
    return readInt16(this.bytes, this.start + layout.ATTRIBUTES);
  }

  get codecId(): number {
    return this.attributes & layout.CODEC_MASK;
  }

  /** Throws CorruptBatchError for an id that no codec has. */
  get codec(): Codec {
    const codec = codecOfId(this.codecId);
    if (codec === undefined) throw new CorruptBatchError(`Unknown compression type id: ${this.codecId}`, 'INVALID_RECORD');
    return codec;
  }

  get timestampType(): layout.TimestampType {
    return (this.attributes & layout.TIMESTAMP_TYPE_BIT) === 0 ? 'create-time' : 'log-append-time';
  }

  get isTransactional(): boolean {
    return (this.attributes & layout.TRANSACTIONAL_BIT) !== 0;
  }

  get isControl(): boolean {
    return (this.attributes & layout.CONTROL_BIT) !== 0;
  }

  get hasDeleteHorizon(): boolean {
    return (this.attributes & layout.DELETE_HORIZON_BIT) !== 0;
  }

  /** When the cleaner may drop this batch's tombstones and markers; it takes the place of the base timestamp (KIP-534). */
  get deleteHorizonMs(): number | null {
    return this.hasDeleteHorizon ? this.baseTimestamp : null;
  }

  get lastOffsetDelta(): number {
    return readInt32(this.bytes, this.start + layout.LAST_OFFSET_DELTA);
  }

  get lastOffset(): number {
    return this.baseOffset + this.lastOffsetDelta;
  }

  get nextOffset(): number {
    return this.lastOffset + 1;
  }

  get baseTimestamp(): number {
    return readInt64(this.bytes, this.start + layout.BASE_TIMESTAMP);
  }

  get maxTimestamp(): number {
    return readInt64(this.bytes, this.start + layout.MAX_TIMESTAMP);
  }

  get producerId(): number {
    return readInt64(this.bytes, this.start + layout.PRODUCER_ID);
  }

  get producerEpoch(): number {
    return readInt16(this.bytes, this.start + layout.PRODUCER_EPOCH);
  }

  get baseSequence(): number {
    return readInt32(this.bytes, this.start + layout.BASE_SEQUENCE);
  }

  /** −1 where the batch has no sequence. */
  get lastSequence(): number {
    const first = this.baseSequence;
    return first === layout.NO_SEQUENCE ? layout.NO_SEQUENCE : addToSequence(first, this.lastOffsetDelta);
  }

  get hasProducerId(): boolean {
    return this.producerId > layout.NO_PRODUCER_ID;
  }

  get recordsCount(): number {
    return readInt32(this.bytes, this.start + layout.RECORDS_COUNT);
  }

  /** The records as they are stored, compressed or not. */
  get recordBytes(): Uint8Array {
    return this.bytes.subarray(this.start + layout.RECORDS, this.end);
  }

  /** The batch's own bytes, without a copy. */
  view(): Uint8Array {
    return this.bytes.subarray(this.start, this.end);
  }

  computeCrc(): number {
    return crc32c(this.bytes, this.start + layout.ATTRIBUTES, this.end);
  }

  isCrcValid(): boolean {
    return this.sizeInBytes >= layout.BATCH_OVERHEAD && this.crc === this.computeCrc();
  }

  /** Throws CorruptBatchError if the batch is too small for its header or the checksum is another. */
  ensureValid(): void {
    if (this.sizeInBytes < layout.BATCH_OVERHEAD) {
      throw new CorruptBatchError(
        `Record batch is corrupted (the size ${this.sizeInBytes} is smaller than the minimum allowed overhead ${layout.BATCH_OVERHEAD})`,
      );
    }
    const computed = this.computeCrc();
    if (computed !== this.crc) {
      throw new CorruptBatchError(`Record is corrupt (stored crc = ${this.crc}, computed crc = ${computed})`);
    }
  }

  setBaseOffset(offset: number): void {
    writeInt64(this.bytes, this.start + layout.BASE_OFFSET, offset);
  }

  /** Moves the batch so that its last record has this offset. */
  setLastOffset(offset: number): void {
    this.setBaseOffset(offset - this.lastOffsetDelta);
  }

  setPartitionLeaderEpoch(epoch: number): void {
    writeInt32(this.bytes, this.start + layout.PARTITION_LEADER_EPOCH, epoch);
  }

  /** Writes the largest timestamp and its type, and the checksum if either is new. */
  setMaxTimestamp(type: 'create-time' | 'log-append-time', timestamp: number): void {
    if (this.timestampType === type && this.maxTimestamp === timestamp) return;
    const others = this.attributes & ~layout.TIMESTAMP_TYPE_BIT;
    const bit = type === 'log-append-time' ? layout.TIMESTAMP_TYPE_BIT : 0;
    writeInt16(this.bytes, this.start + layout.ATTRIBUTES, others | bit);
    writeInt64(this.bytes, this.start + layout.MAX_TIMESTAMP, timestamp);
    this.writeCrc();
  }

  /** Writes the checksum of what the batch holds now. */
  writeCrc(): void {
    writeInt32(this.bytes, this.start + layout.CRC, this.computeCrc());
  }
}
