import * as layout from './batch-layout.ts';
import { invalidRecord } from './corrupt-batch-error.ts';
import { type LogRecord, type RecordContext, readRecord } from './log-record.ts';
import type { RecordBatch } from './record-batch.ts';

export interface RecordsOptions {
  /** The most bytes the decompressed records may take; more is MESSAGE_TOO_LARGE. */
  readonly maxDecompressedBytes?: number;
}

/** Enough for every batch that a broker with default limits accepts, compressed at a thousand to one. */
export const MAX_DECOMPRESSED_BYTES = 1024 * 1024 * 1024;

/**
 * The records of a batch in order. Throws CorruptBatchError when the bytes are not the records that the batch's header promises, DecompressionError
 * when they cannot be decompressed. The checksum is not looked at.
 */
export function* recordsOf(batch: RecordBatch, _options: RecordsOptions = {}): Generator<LogRecord, void> {
  const count = batch.recordsCount;
  if (count < 0) throw invalidRecord(`Found invalid record count ${count} in magic v${batch.magic} batch`);
  const cursor = { bytes: batch.bytes, position: batch.start + layout.RECORDS, end: batch.end };
  const context = contextOf(batch);
  for (let index = 0; index < count; index++) {
    if (cursor.position >= cursor.end) throw invalidRecord('Incorrect declared batch size, premature EOF reached');
    yield readRecord(cursor, context);
  }
  if (cursor.position !== cursor.end) throw invalidRecord('Incorrect declared batch size, records still remaining in file');
}

function contextOf(batch: RecordBatch): RecordContext {
  return {
    baseOffset: batch.baseOffset,
    baseTimestamp: batch.baseTimestamp,
    baseSequence: batch.baseSequence,
    logAppendTime: batch.timestampType === 'log-append-time' ? batch.maxTimestamp : null,
  };
}
