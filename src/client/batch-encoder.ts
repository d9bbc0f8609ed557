import { writeInt16, writeInt32, writeInt64 } from '../base/bytes/big-endian.ts';
import { crc32c } from '../base/bytes/crc32c.ts';
import { sizeOfVarint, sizeOfVarlong, writeVarint, writeVarlong } from '../base/bytes/varint.ts';
import { type Codec, idOfCodec } from '../protocol/compression/codec.ts';
import * as layout from '../protocol/records/batch-layout.ts';
import type { Data, RecordHeaderInput } from './producer-record.ts';

const NO_HEADERS: readonly RecordHeaderInput[] = [];

export interface EncoderRecord {
  readonly key?: Data | null;
  readonly value: Data | null;
  readonly headers?: readonly RecordHeaderInput[] | undefined;
}

/**
 * Writes records into the bytes of one batch as they come, so that a million records are a few buffers and no objects. The header is
 * filled in by `finish`.
 */
export class BatchEncoder {
  #bytes: Buffer;
  #end = layout.RECORDS;
  #count = 0;
  #baseTimestamp = layout.NO_TIMESTAMP;
  #maxTimestamp = layout.NO_TIMESTAMP;

  /** `bytes` is written from its start; its size is the limit of the batch, except for a single larger record. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of the header and of the records so far, uncompressed. */
  get size(): number {
    return this.#end;
  }

  get maxTimestamp(): number {
    return this.#maxTimestamp;
  }

  get buffer(): Buffer {
    return this.#bytes;
  }

  /** Bytes the record would take at most in a batch of its own, header included. */
  static sizeUpperBound(record: EncoderRecord): number {
    let size = layout.RECORDS + layout.RECORD_OVERHEAD_MAX + lengthOf(record.key ?? null) + lengthOf(record.value);
    for (const header of record.headers ?? NO_HEADERS) size += 10 + lengthOf(header.key) + lengthOf(header.value);
    return size;
  }

  /** Adds a record and gives its size; 0 if the batch has no room for it. The first record always finds room. */
  append(record: EncoderRecord, timestamp: number): number {
    const key = record.key ?? null;
    const { value } = record;
    const headers = record.headers ?? NO_HEADERS;
    if (this.#count === 0) this.#baseTimestamp = timestamp;
    const timestampDelta = timestamp - this.#baseTimestamp;
    const keyLength = lengthOf(key);
    const valueLength = lengthOf(value);
    const body =
      1 +
      sizeOfVarlong(timestampDelta) +
      sizeOfVarint(this.#count) +
      sizeOfVarint(key === null ? -1 : keyLength) +
      keyLength +
      sizeOfVarint(value === null ? -1 : valueLength) +
      valueLength +
      sizeOfHeaders(headers);
    const size = sizeOfVarint(body) + body;
    if (this.#end + size > this.#bytes.length && !this.#makeRoom(size)) return 0;
    const bytes = this.#bytes;
    let at = writeVarint(bytes, this.#end, body);
    bytes[at++] = 0;
    at = writeVarlong(bytes, at, timestampDelta);
    at = writeVarint(bytes, at, this.#count);
    at = writeData(bytes, at, key, keyLength);
    at = writeData(bytes, at, value, valueLength);
    at = writeVarint(bytes, at, headers.length);
    for (const header of headers) {
      at = writeData(bytes, at, header.key, lengthOf(header.key));
      at = writeData(bytes, at, header.value, lengthOf(header.value));
    }
    this.#end = at;
    this.#count++;
    if (timestamp > this.#maxTimestamp) this.#maxTimestamp = timestamp;
    return size;
  }

  /** The whole batch, with its records compressed by `compress` unless the codec is none. Offsets start at 0; no producer is set. */
  finish(codec: Codec, compress: (records: Uint8Array) => Uint8Array): Buffer {
    let batch = this.#bytes.subarray(0, this.#end);
    if (codec !== 'none') {
      const compressed = compress(this.#bytes.subarray(layout.RECORDS, this.#end));
      batch = Buffer.allocUnsafe(layout.RECORDS + compressed.length);
      batch.set(compressed, layout.RECORDS);
    }
    writeInt64(batch, layout.BASE_OFFSET, 0);
    writeInt32(batch, layout.BATCH_LENGTH, batch.length - layout.LOG_OVERHEAD);
    writeInt32(batch, layout.PARTITION_LEADER_EPOCH, layout.NO_PARTITION_LEADER_EPOCH);
    batch[layout.MAGIC] = layout.CURRENT_MAGIC;
    writeInt16(batch, layout.ATTRIBUTES, idOfCodec(codec));
    writeInt32(batch, layout.LAST_OFFSET_DELTA, this.#count - 1);
    writeInt64(batch, layout.BASE_TIMESTAMP, this.#baseTimestamp);
    writeInt64(batch, layout.MAX_TIMESTAMP, this.#maxTimestamp);
    writeInt32(batch, layout.RECORDS_COUNT, this.#count);
    setProducer(batch, {
      producerId: layout.NO_PRODUCER_ID,
      producerEpoch: layout.NO_PRODUCER_EPOCH,
      baseSequence: layout.NO_SEQUENCE,
    });
    return batch;
  }

  #makeRoom(size: number): boolean {
    if (this.#count > 0) return false;
    this.#bytes = Buffer.allocUnsafe(layout.RECORDS + size);
    return true;
  }
}

export interface BatchProducer {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly isTransactional?: boolean;
}

/** Writes who sends the batch and which of its records come first, and the checksum over that. */
export function setProducer(
  batch: Uint8Array,
  { producerId, producerEpoch, baseSequence, isTransactional }: BatchProducer,
): void {
  const attributes = batch[layout.ATTRIBUTES + 1] ?? 0;
  batch[layout.ATTRIBUTES + 1] = isTransactional === true ? attributes | layout.TRANSACTIONAL_BIT : attributes;
  writeInt64(batch, layout.PRODUCER_ID, producerId);
  writeInt16(batch, layout.PRODUCER_EPOCH, producerEpoch);
  writeInt32(batch, layout.BASE_SEQUENCE, baseSequence);
  writeInt32(batch, layout.CRC, crc32c(batch, layout.ATTRIBUTES));
}

const lengthOf = (data: Data | null): number =>
  data === null ? 0 : typeof data === 'string' ? Buffer.byteLength(data) : data.length;

function sizeOfHeaders(headers: readonly RecordHeaderInput[]): number {
  let size = sizeOfVarint(headers.length);
  for (const { key, value } of headers) {
    const keyLength = lengthOf(key);
    const valueLength = lengthOf(value);
    size += sizeOfVarint(keyLength) + keyLength + sizeOfVarint(value === null ? -1 : valueLength) + valueLength;
  }
  return size;
}

function writeData(bytes: Buffer, at: number, data: Data | null, length: number): number {
  if (data === null) return writeVarint(bytes, at, -1);
  const start = writeVarint(bytes, at, length);
  if (typeof data === 'string') bytes.write(data, start, length, 'utf8');
  else if (length > 0) bytes.set(data, start);
  return start + length;
}
