import { writeInt16, writeInt32, writeInt64 } from '../../base/bytes/big-endian.ts';
import { sizeOfVarint } from '../../base/bytes/varint.ts';
import { type Codec, compress, idOfCodec } from '../compression/index.ts';
import * as layout from './batch-layout.ts';
import { type RecordInput, type RecordPlace, sizeOfRecordBody, writeRecord } from './log-record.ts';
import { RecordBatch } from './record-batch.ts';

export interface BatchInput {
  readonly records: readonly RecordInput[];
  /** Default 'none'. */
  readonly codec?: Codec;
  /** The codec's own compression level; left out: its default. */
  readonly level?: number;
  /** Default 0, which a client must send. */
  readonly baseOffset?: number;
  /** Default −1: the leader fills it in. */
  readonly partitionLeaderEpoch?: number;
  /** Set: all records get this time and the batch says LogAppendTime. */
  readonly logAppendTime?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly isTransactional?: boolean;
  readonly isControl?: boolean;
  /** Left out: the largest of the records'. For a batch of which compaction keeps only the header. */
  readonly maxTimestamp?: number;
  /** When the cleaner may drop the batch's tombstones. */
  readonly deleteHorizonMs?: number;
  /** Left out: that of the last record. Larger where compaction has removed the end. */
  readonly lastOffsetDelta?: number;
}

/** The bytes of one batch of message format v2, checksum and all. */
export function buildBatch(input: BatchInput): Buffer {
  const baseTimestamp = input.deleteHorizonMs ?? input.records[0]?.timestamp ?? layout.NO_TIMESTAMP;
  const { places, size, maxTimestamp, lastOffsetDelta } = layOut(input.records, baseTimestamp);
  const plain = Buffer.allocUnsafe(layout.RECORDS + size);
  for (const [index, place] of places.entries()) writeRecord(plain, input.records[index] as RecordInput, place);
  const computed = {
    baseTimestamp,
    maxTimestamp: input.logAppendTime ?? input.maxTimestamp ?? maxTimestamp,
    lastOffsetDelta: input.lastOffsetDelta ?? lastOffsetDelta,
    recordsCount: input.records.length,
  };
  if (input.codec === undefined || input.codec === 'none') return writeHeader(plain, input, computed);
  return encodeBatch(plain.subarray(layout.RECORDS), { ...input, ...computed });
}

/** Everything a batch says beside its records. */
export interface BatchHeader extends Omit<BatchInput, 'records' | keyof ComputedFields>, ComputedFields {}

/** A batch of records that are already written: `recordBytes` are the plain ones, which are compressed if the header says so. */
export function encodeBatch(recordBytes: Uint8Array, header: BatchHeader): Buffer {
  return frameBatch(compress(header.codec ?? 'none', recordBytes, header.level), header);
}

/** The same for record bytes that are compressed already, as the header says. */
export function frameBatch(stored: Uint8Array, header: BatchHeader): Buffer {
  const bytes = Buffer.allocUnsafe(layout.RECORDS + stored.length);
  bytes.set(stored, layout.RECORDS);
  return writeHeader(bytes, header, header);
}

interface RecordsLayout {
  readonly places: readonly RecordPlace[];
  readonly size: number;
  readonly maxTimestamp: number;
  readonly lastOffsetDelta: number;
}

function layOut(records: readonly RecordInput[], baseTimestamp: number): RecordsLayout {
  const places: RecordPlace[] = [];
  let position = layout.RECORDS;
  let maxTimestamp = layout.NO_TIMESTAMP;
  let lastOffsetDelta = -1;
  for (const record of records) {
    const timestamp = record.timestamp ?? layout.NO_TIMESTAMP;
    const offsetDelta = record.offsetDelta ?? lastOffsetDelta + 1;
    const timestampDelta = timestamp - baseTimestamp;
    const bodySize = sizeOfRecordBody(record, offsetDelta, timestampDelta);
    places.push({ position, bodySize, offsetDelta, timestampDelta });
    position += sizeOfVarint(bodySize) + bodySize;
    maxTimestamp = Math.max(maxTimestamp, timestamp);
    lastOffsetDelta = offsetDelta;
  }
  return { places, size: position - layout.RECORDS, maxTimestamp, lastOffsetDelta };
}

interface ComputedFields {
  readonly baseTimestamp: number;
  readonly maxTimestamp: number;
  readonly lastOffsetDelta: number;
  readonly recordsCount: number;
}

function writeHeader(bytes: Buffer, input: Omit<BatchInput, 'records'>, computed: ComputedFields): Buffer {
  writeInt64(bytes, layout.BASE_OFFSET, input.baseOffset ?? 0);
  writeInt32(bytes, layout.BATCH_LENGTH, bytes.length - layout.LOG_OVERHEAD);
  writeInt32(bytes, layout.PARTITION_LEADER_EPOCH, input.partitionLeaderEpoch ?? layout.NO_PARTITION_LEADER_EPOCH);
  bytes[layout.MAGIC] = layout.CURRENT_MAGIC;
  writeInt16(bytes, layout.ATTRIBUTES, attributesOf(input));
  writeInt32(bytes, layout.LAST_OFFSET_DELTA, computed.lastOffsetDelta);
  writeInt64(bytes, layout.BASE_TIMESTAMP, computed.baseTimestamp);
  writeInt64(bytes, layout.MAX_TIMESTAMP, computed.maxTimestamp);
  writeInt64(bytes, layout.PRODUCER_ID, input.producerId ?? layout.NO_PRODUCER_ID);
  writeInt16(bytes, layout.PRODUCER_EPOCH, input.producerEpoch ?? layout.NO_PRODUCER_EPOCH);
  writeInt32(bytes, layout.BASE_SEQUENCE, input.baseSequence ?? layout.NO_SEQUENCE);
  writeInt32(bytes, layout.RECORDS_COUNT, computed.recordsCount);
  new RecordBatch(bytes).writeCrc();
  return bytes;
}

function attributesOf(input: Omit<BatchInput, 'records'>): number {
  let attributes = idOfCodec(input.codec ?? 'none');
  if (input.logAppendTime !== undefined) attributes |= layout.TIMESTAMP_TYPE_BIT;
  if (input.isTransactional === true) attributes |= layout.TRANSACTIONAL_BIT;
  if (input.isControl === true) attributes |= layout.CONTROL_BIT;
  if (input.deleteHorizonMs !== undefined) attributes |= layout.DELETE_HORIZON_BIT;
  return attributes;
}
