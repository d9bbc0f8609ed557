import { readInt32, readInt64 } from '../base/bytes/big-endian.ts';
import { BASE_OFFSET, BATCH_LENGTH, LOG_OVERHEAD, MAGIC, RECORDS } from '../protocol/records/batch-layout.ts';
import { BatchScan } from './batch-scan.ts';
import type { LogFile } from './log-file.ts';

/** What disks write as a whole. */
const SECTOR_BYTES = 512;
/** Fewer zeros in a row than this are found in healthy batches too. */
const ZEROS_MIN = 16;
const WINDOW_BYTES = 1024 * 1024;
const CURRENT_MAGIC = 2;

export interface DamagedRange {
  readonly start: number;
  readonly end: number;
}

/** The offsets that may follow in the segment: at least `from`, below `to`. */
export interface OffsetBounds {
  readonly from: number;
  readonly to: number;
}

/**
 * The bytes from `start` on are not a batch. Finds where whole batches go on; null if this looks like the end of what was written before a power loss: nothing follows, or
 * whole sectors are missing.
 */
export function findDamage(log: LogFile, start: number, bounds: OffsetBounds): DamagedRange | null {
  const claimed = claimedEnd(log, start);
  const isOneBatchAtEnd = claimed === log.sizeInBytes;
  const end = isBatchAt(log, claimed, bounds) ? claimed : findBatch(log, start + 1, bounds);
  const range = { start, end: end ?? log.sizeInBytes };
  if (end === null && !isOneBatchAtEnd) return null;
  return endsInZeros(log, range) || hasMissingSector(log, range) ? null : range;
}

function claimedEnd(log: LogFile, start: number): number {
  const header = Buffer.alloc(RECORDS);
  if (log.read(header, start) < RECORDS) return -1;
  return start + LOG_OVERHEAD + readInt32(header, BATCH_LENGTH);
}

/** A whole, valid batch with offsets that can be here. */
function isBatchAt(log: LogFile, position: number, bounds: OffsetBounds): boolean {
  if (position < 0 || position >= log.sizeInBytes) return false;
  const scan = new BatchScan(log, position);
  return scan.next() && scan.batch.baseOffset >= bounds.from && scan.batch.lastOffset < bounds.to;
}

/** Looks byte by byte for something that has the look of a header, then at its checksum. */
function findBatch(log: LogFile, from: number, bounds: OffsetBounds): number | null {
  const window = Buffer.alloc(WINDOW_BYTES + RECORDS);
  for (let start = from; start < log.sizeInBytes; start += WINDOW_BYTES) {
    const count = log.read(window, start);
    const last = Math.min(WINDOW_BYTES, count - RECORDS);
    for (let at = 0; at < last; at++) {
      if (window[at + MAGIC] !== CURRENT_MAGIC) continue;
      const baseOffset = readInt64(window, at + BASE_OFFSET);
      if (baseOffset < bounds.from || baseOffset >= bounds.to) continue;
      if (isBatchAt(log, start + at, bounds)) return start + at;
    }
  }
  return null;
}

/** A write that was cut short leaves zeros up to where a later one went on. */
function endsInZeros(log: LogFile, { start, end }: DamagedRange): boolean {
  const bytes = Buffer.alloc(ZEROS_MIN);
  return end - start >= ZEROS_MIN && log.read(bytes, end - ZEROS_MIN) === ZEROS_MIN && bytes.every((byte) => byte === 0);
}

/** A power loss leaves zeros where sectors were not written; rot does not. */
function hasMissingSector(log: LogFile, { start, end }: DamagedRange): boolean {
  const bytes = Buffer.alloc(Math.min(end - start, WINDOW_BYTES));
  for (let at = start; at < end; at += bytes.length) {
    const count = Math.min(log.read(bytes, at), end - at);
    for (let from = 0; from < count; ) {
      const to = Math.min(count, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES));
      if (to - from >= ZEROS_MIN && bytes.subarray(from, to).every((byte) => byte === 0)) return true;
      from = to;
    }
  }
  return false;
}
