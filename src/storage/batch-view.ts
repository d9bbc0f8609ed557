import { readInt32 } from '../base/bytes/big-endian.ts';
import {
  BATCH_LENGTH,
  CURRENT_MAGIC,
  HEADER_SIZE_UP_TO_MAGIC,
  LENGTH_MIN,
  LOG_OVERHEAD,
  MAGIC,
  RECORDS,
} from '../protocol/records/batch-layout.ts';
import { LegacyBatch } from '../protocol/records/legacy-batch.ts';
import { RecordBatch } from '../protocol/records/record-batch.ts';

/** Bytes that must be at hand to look at the head of a batch of any format. */
export const HEAD_BYTES = RECORDS;
export const HEAD_BYTES_MIN = HEADER_SIZE_UP_TO_MAGIC;

/** The size of the batch whose head is at `at`; null if no batch has such a head. Old formats count: a log may be older than format 2. */
export function claimedSize(bytes: Uint8Array, at: number): number | null {
  const length = readInt32(bytes, at + BATCH_LENGTH);
  const magic = bytes[at + MAGIC];
  if (length < LENGTH_MIN || magic === undefined || magic > CURRENT_MAGIC) return null;
  const size = LOG_OVERHEAD + length;
  return magic === CURRENT_MAGIC && size < RECORDS ? null : size;
}

/** A view of the batch at `at`, of which the head is at hand. */
export function batchAt(bytes: Uint8Array, at: number): RecordBatch {
  return bytes[at + MAGIC] === CURRENT_MAGIC ? new RecordBatch(bytes, at) : new LegacyBatch(bytes, at);
}
