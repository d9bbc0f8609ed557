import type { ByteCursor } from '../../base/bytes/varint.ts';
import { decompress } from '../compression/index.ts';
import * as layout from './batch-layout.ts';
import { invalidRecord } from './corrupt-batch-error.ts';
import { LegacyBatch } from './legacy-batch.ts';
import { legacyRecordsOf } from './legacy-records.ts';
import { type LogRecord, type RecordContext, readRecord } from './log-record.ts';
import type { RecordBatch } from './record-batch.ts';

export interface RecordsOptions {
  /** The most bytes the decompressed records may take; more is MESSAGE_TOO_LARGE. */
  readonly maxDecompressedBytes?: number;
}

/** More than a batch of the default message.max.bytes becomes at a hundred to one. */
export const DECOMPRESSED_BYTES_MAX = 128 * 1024 * 1024;

/**
 * The records of a batch in order. Throws CorruptBatchError when the bytes are not the records that the batch's header promises, DecompressionError
 * when they cannot be decompressed. The checksum is not looked at.
 */
export function* recordsOf(batch: RecordBatch, options: RecordsOptions = {}): Generator<LogRecord, void> {
  const maxBytes = options.maxDecompressedBytes ?? DECOMPRESSED_BYTES_MAX;
  if (batch instanceof LegacyBatch) {
    yield* legacyRecordsOf(batch, maxBytes);
    return;
  }
  const count = batch.recordsCount;
  if (count < 0) throw invalidRecord(`Found invalid record count ${count} in magic v${batch.magic} batch`);
  if (count === 0) return;
  const cursor = recordCursor(batch, maxBytes);
  const context = contextOf(batch);
  for (let index = 0; index < count; index++) {
    if (cursor.position >= cursor.end) throw invalidRecord('Incorrect declared batch size, premature EOF reached');
    const record = readRecord(cursor, context);
    if (index === count - 1 && cursor.position !== cursor.end) throw remaining();
    yield record;
  }
  if (cursor.position !== cursor.end) throw remaining();
}

const remaining = () => invalidRecord('Incorrect declared batch size, records still remaining in file');

/** The plain bytes of a batch's records: a place in the batch itself, or in new bytes where it is compressed. */
export function recordCursor(batch: RecordBatch, maxBytes: number): ByteCursor {
  if (batch.codecId === 0) return { bytes: batch.bytes, position: batch.start + layout.RECORDS, end: batch.end };
  const bytes = decompress(batch.codec, batch.recordBytes, { maxBytes });
  return { bytes, position: 0, end: bytes.length };
}

function contextOf(batch: RecordBatch): RecordContext {
  return {
    baseOffset: batch.baseOffset,
    baseTimestamp: batch.baseTimestamp,
    baseSequence: batch.baseSequence,
    logAppendTime: batch.timestampType === 'log-append-time' ? batch.maxTimestamp : null,
  };
}
