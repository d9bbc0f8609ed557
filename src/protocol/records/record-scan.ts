import { type ByteCursor, readVarint, readVarlong, VarintError } from '../../base/bytes/varint.ts';
import { invalidRecord } from './corrupt-batch-error.ts';

export interface ScanOptions {
  /** How many records the batch says it has. */
  readonly count: number;
  readonly baseTimestamp: number;
  /** Times before or after these are out of range; −1, no time, never is. */
  readonly earliest: number;
  readonly latest: number;
  /** The most bytes of one record, its own length not counted. */
  readonly maxRecordBytes: number;
}

/** What is true of all the records together. */
export interface ScanResult {
  /** −1 where no record has a time. */
  readonly maxTimestamp: number;
  readonly firstTimestamp: number;
  readonly isTimestampOutOfRange: boolean;
  readonly isKeyMissing: boolean;
  /** Every offset delta is its record's place: 0, 1, 2 … */
  readonly isOffsetInOrder: boolean;
}

/**
 * Walks over the plain bytes of a batch's records without making anything of them, and moves the cursor behind them. Throws CorruptBatchError (INVALID_RECORD)
 * unless they are `count` well-formed records and nothing else.
 */
export function scanRecords(cursor: ByteCursor, options: ScanOptions): ScanResult {
  try {
    return scan(cursor, options);
  } catch (error) {
    if (error instanceof VarintError) throw invalidRecord('Found invalid record structure', { cause: error });
    throw error;
  }
}

function scan(cursor: ByteCursor, { count, baseTimestamp, earliest, latest, maxRecordBytes }: ScanOptions): ScanResult {
  let maxTimestamp = -1;
  let firstTimestamp = -1;
  let isTimestampOutOfRange = false;
  let isKeyMissing = false;
  let isOffsetInOrder = true;
  for (let index = 0; index < count; index++) {
    if (cursor.position >= cursor.end) throw invalidRecord('Incorrect declared batch size, premature EOF reached');
    const size = readVarint(cursor);
    checkSize(size, cursor.end - cursor.position, maxRecordBytes);
    const start = cursor.position;
    // One byte of attributes, which have no meaning.
    cursor.position = start + 1;
    const timestamp = baseTimestamp + readVarlong(cursor);
    if (index === 0) firstTimestamp = timestamp;
    if (timestamp > maxTimestamp) maxTimestamp = timestamp;
    if ((timestamp < earliest || timestamp > latest) && timestamp !== -1) isTimestampOutOfRange = true;
    if (readVarint(cursor) !== index) isOffsetInOrder = false;
    if (skipNullableBytes(cursor)) isKeyMissing = true;
    skipNullableBytes(cursor);
    skipHeaders(cursor);
    if (cursor.position !== start + size) throw wrongSize(size, cursor.position - start);
  }
  if (cursor.position !== cursor.end) throw invalidRecord('Incorrect declared batch size, records still remaining in file');
  return { maxTimestamp, firstTimestamp, isTimestampOutOfRange, isKeyMissing, isOffsetInOrder };
}

function checkSize(size: number, remaining: number, maxRecordBytes: number): void {
  if (size > maxRecordBytes) {
    throw invalidRecord(`Invalid record size: ${size} exceeds the configured maximum record size of ${maxRecordBytes}.`);
  }
  if (size > remaining) {
    throw invalidRecord(
      `Invalid record size: expected ${size} bytes in record payload, but instead the buffer has only ${remaining} remaining bytes.`,
    );
  }
}

function wrongSize(stated: number, read: number): Error {
  return invalidRecord(`Invalid record size: expected to read ${stated} bytes in record payload, but instead read ${read}`);
}

/** Whether they are null. */
function skipNullableBytes(cursor: ByteCursor): boolean {
  const size = readVarint(cursor);
  if (size < 0) return true;
  skip(cursor, size);
  return false;
}

function skipHeaders(cursor: ByteCursor): void {
  const count = readVarint(cursor);
  if (count === 0) return;
  if (count < 0) throw invalidRecord(`Found invalid number of record headers ${count}`);
  if (count > cursor.end - cursor.position) {
    throw invalidRecord(`Found invalid number of record headers. ${count} is larger than the remaining size of the buffer`);
  }
  for (let index = 0; index < count; index++) {
    const keySize = readVarint(cursor);
    if (keySize < 0) throw invalidRecord(`Invalid negative header key size ${keySize}`);
    skip(cursor, keySize);
    skipNullableBytes(cursor);
  }
}

function skip(cursor: ByteCursor, size: number): void {
  if (size > cursor.end - cursor.position) throw invalidRecord('Found invalid record structure');
  cursor.position += size;
}
