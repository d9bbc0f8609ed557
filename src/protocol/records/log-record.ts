import {
  type ByteCursor,
  readVarint,
  readVarlong,
  sizeOfVarint,
  sizeOfVarlong,
  VarintError,
  writeVarint,
  writeVarlong,
} from '../../base/bytes/varint.ts';
import { invalidRecord } from './corrupt-batch-error.ts';

export interface RecordHeader {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** One record as it is read. Key and value are views of the batch's bytes (or of the decompressed ones). */
export interface LogRecord {
  readonly offset: number;
  /** Milliseconds since the epoch; −1 for none. */
  readonly timestamp: number;
  /** Its place in its producer's sequence; −1 for none. */
  readonly sequence: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

/** One record to be written. What is left out is null, empty or −1. */
export interface RecordInput {
  readonly timestamp?: number;
  readonly key?: Uint8Array | null;
  readonly value?: Uint8Array | null;
  readonly headers?: readonly RecordHeader[];
  /** Its distance from the base offset; left out: one more than the record before it. */
  readonly offsetDelta?: number;
}

/** What a batch says about all its records. */
export interface RecordContext {
  readonly baseOffset: number;
  readonly baseTimestamp: number;
  readonly baseSequence: number;
  /** The time of every record where the log's time is used; null where each has its own. */
  readonly logAppendTime: number | null;
}

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);
/** The attributes of a record are not used: one byte, zero. */
const ATTRIBUTES_BYTES = 1;

/** Reads one record and moves the cursor after it; throws CorruptBatchError (INVALID_RECORD). */
export function readRecord(cursor: ByteCursor, context: RecordContext): LogRecord {
  try {
    const size = readVarint(cursor);
    const start = cursor.position;
    const remaining = cursor.end - start;
    if (size > remaining) {
      throw invalidRecord(
        `Invalid record size: expected ${size} bytes in record payload, but instead the buffer has only ${remaining} remaining bytes.`,
      );
    }
    const record = readBody(cursor, context);
    if (cursor.position !== start + size) {
      throw invalidRecord(
        `Invalid record size: expected to read ${size} bytes in record payload, but instead read ${cursor.position - start}`,
      );
    }
    return record;
  } catch (error) {
    if (error instanceof VarintError) throw invalidRecord('Found invalid record structure', { cause: error });
    throw error;
  }
}

function readBody(cursor: ByteCursor, context: RecordContext): LogRecord {
  readBytes(cursor, ATTRIBUTES_BYTES);
  const timestampDelta = readVarlong(cursor);
  const offsetDelta = readVarint(cursor);
  return {
    offset: context.baseOffset + offsetDelta,
    timestamp: context.logAppendTime ?? context.baseTimestamp + timestampDelta,
    sequence: context.baseSequence < 0 ? -1 : (context.baseSequence + offsetDelta) & 0x7fff_ffff,
    key: readNullableBytes(cursor),
    value: readNullableBytes(cursor),
    headers: readHeaders(cursor),
  };
}

function readHeaders(cursor: ByteCursor): readonly RecordHeader[] {
  const count = readVarint(cursor);
  if (count === 0) return NO_HEADERS;
  if (count < 0) throw invalidRecord(`Found invalid number of record headers ${count}`);
  if (count > cursor.end - cursor.position) {
    throw invalidRecord(`Found invalid number of record headers. ${count} is larger than the remaining size of the buffer`);
  }
  const headers: RecordHeader[] = [];
  for (let index = 0; index < count; index++) {
    const keySize = readVarint(cursor);
    if (keySize < 0) throw invalidRecord(`Invalid negative header key size ${keySize}`);
    const key = readBytes(cursor, keySize);
    headers.push({ key: Buffer.from(key.buffer, key.byteOffset, key.length).toString('utf8'), value: readNullableBytes(cursor) });
  }
  return headers;
}

function readNullableBytes(cursor: ByteCursor): Uint8Array | null {
  const size = readVarint(cursor);
  return size < 0 ? null : readBytes(cursor, size);
}

function readBytes(cursor: ByteCursor, size: number): Uint8Array {
  const start = cursor.position;
  if (size > cursor.end - start) throw invalidRecord('Found invalid record structure');
  cursor.position = start + size;
  return cursor.bytes.subarray(start, start + size);
}

/** Bytes of a record after its own length: what that length says. */
export function sizeOfRecordBody(record: RecordInput, offsetDelta: number, timestampDelta: number): number {
  const headers = record.headers ?? NO_HEADERS;
  let size =
    ATTRIBUTES_BYTES +
    sizeOfVarlong(timestampDelta) +
    sizeOfVarint(offsetDelta) +
    sizeOfNullableBytes(record.key) +
    sizeOfNullableBytes(record.value) +
    sizeOfVarint(headers.length);
  for (const header of headers) {
    const keySize = Buffer.byteLength(header.key);
    size += sizeOfVarint(keySize) + keySize + sizeOfNullableBytes(header.value);
  }
  return size;
}

function sizeOfNullableBytes(bytes: Uint8Array | null | undefined): number {
  return bytes === null || bytes === undefined ? 1 : sizeOfVarint(bytes.length) + bytes.length;
}

/** Where a record goes, and the sizes and distances that were computed for it. */
export interface RecordPlace {
  readonly position: number;
  readonly bodySize: number;
  readonly offsetDelta: number;
  readonly timestampDelta: number;
}

/** Writes a record and gives the position after it. */
export function writeRecord(target: Buffer, record: RecordInput, place: RecordPlace): number {
  let position = writeVarint(target, place.position, place.bodySize);
  target[position++] = 0;
  position = writeVarlong(target, position, place.timestampDelta);
  position = writeVarint(target, position, place.offsetDelta);
  position = writeNullableBytes(target, position, record.key);
  position = writeNullableBytes(target, position, record.value);
  const headers = record.headers ?? NO_HEADERS;
  position = writeVarint(target, position, headers.length);
  for (const header of headers) {
    position = writeVarint(target, position, Buffer.byteLength(header.key));
    position += target.write(header.key, position, 'utf8');
    position = writeNullableBytes(target, position, header.value);
  }
  return position;
}

function writeNullableBytes(target: Uint8Array, position: number, bytes: Uint8Array | null | undefined): number {
  if (bytes === null || bytes === undefined) return writeVarint(target, position, -1);
  const start = writeVarint(target, position, bytes.length);
  target.set(bytes, start);
  return start + bytes.length;
}
