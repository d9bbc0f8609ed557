import { readInt32, readInt64 } from '../../../base/bytes/big-endian.ts';
import type { Disk } from '../../../base/disk.ts';
import { recordsOf } from '../../../protocol/records/record-iterator.ts';
import { baseOffsetOf, type DumpOptions, siblingOf } from './dump-options.ts';
import { DumpLogError, type DumpOutput } from './dump-output.ts';
import { fileBatches } from './file-batches.ts';
import { readWhole } from './whole-file.ts';

interface OffsetEntry {
  readonly offset: number;
  readonly position: number;
}

const OFFSET_ENTRY_BYTES = 8;
const TIME_ENTRY_BYTES = 12;

/** What an index says that its log does not. Each list has lines of its own in the report. */
export interface IndexProblems {
  readonly offsetMismatches: string[];
  readonly timestampMismatches: string[];
  readonly outOfOrder: string[];
  readonly notFound: string[];
}

export const noIndexProblems = (): IndexProblems => ({
  offsetMismatches: [],
  timestampMismatches: [],
  outOfOrder: [],
  notFound: [],
});

/** Prints an offset index and compares it with its log. */
export function dumpOffsetIndex(disk: Disk, path: string, options: DumpOptions, output: DumpOutput): IndexProblems {
  const problems = noIndexProblems();
  const baseOffset = requireBaseOffset(path);
  const log = disk.open(siblingOf(path, '.log'), { readOnly: true });
  try {
    const bytes = readWhole(disk, path);
    const entries = offsetEntries(bytes, baseOffset);
    if (entries.length === 0) {
      output.out(`${path} is empty.\n`);
      return problems;
    }
    if (options.indexSanityCheck) {
      checkSize(path, bytes.length, OFFSET_ENTRY_BYTES, 'Index file');
      const last = entries.at(-1)?.offset ?? baseOffset;
      if (last < baseOffset)
        throw new DumpLogError(
          `Corrupt index found, index file (${path}) has non-zero size but the last offset is ${last} which is less than the base offset ${baseOffset}`,
        );
      output.out(`${path} passed sanity check.\n`);
      return problems;
    }
    const size = log.size();
    for (const [index, entry] of entries.entries()) {
      if (entry.offset === baseOffset && index > 0) break;
      const end = Math.min(size, entry.position + options.maxMessageSize);
      const [first] = fileBatches(log, { start: entry.position, end });
      if (first === undefined)
        throw new DumpLogError(
          `${path}: no batch of at most ${options.maxMessageSize} bytes is at position ${entry.position} of the log`,
        );
      const { lastOffset } = first.batch;
      if (lastOffset !== entry.offset)
        problems.offsetMismatches.push(`  Index offset: ${entry.offset}, log offset: ${lastOffset}`);
      if (!options.verifyIndexOnly) output.out(`offset: ${entry.offset} position: ${entry.position}\n`);
    }
    return problems;
  } finally {
    log.close();
  }
}

/** Prints a time index and compares it with its log, which it reads through the offset index. */
export function dumpTimeIndex(disk: Disk, path: string, options: DumpOptions, output: DumpOutput): IndexProblems {
  const problems = noIndexProblems();
  const baseOffset = requireBaseOffset(path);
  const log = disk.open(siblingOf(path, '.log'), { readOnly: true });
  try {
    const bytes = readWhole(disk, path);
    const count = Math.floor(bytes.length / TIME_ENTRY_BYTES);
    const entryAt = (index: number): { timestamp: number; offset: number } => ({
      timestamp: readInt64(bytes, index * TIME_ENTRY_BYTES),
      offset: baseOffset + readInt32(bytes, index * TIME_ENTRY_BYTES + 8),
    });
    if (options.indexSanityCheck) {
      checkTimeIndex(path, bytes.length, count === 0 ? null : { first: entryAt(0), last: entryAt(count - 1) }, baseOffset);
      output.out(`${path} passed sanity check.\n`);
      return problems;
    }
    const index = disk.exists(siblingOf(path, '.index'))
      ? offsetEntries(readWhole(disk, siblingOf(path, '.index')), baseOffset)
      : [];
    const size = log.size();
    let previous = -1;
    for (let at = 0; at < count; at++) {
      const entry = entryAt(at);
      if (entry.offset === baseOffset && at > 0) break;
      const start = positionBefore(index, entry.offset);
      const found = [...takeUntil(fileBatches(log, { start, end: size }), ({ batch }) => batch.lastOffset >= entry.offset)].at(
        -1,
      )?.batch;
      if (found === undefined || found.lastOffset !== entry.offset) {
        problems.notFound.push(
          `Indexed offset: ${entry.offset}, found log offset: ${found === undefined ? -1 : found.lastOffset}`,
        );
      } else {
        let maxTimestamp = -1;
        for (const { timestamp } of recordsOf(found)) maxTimestamp = Math.max(maxTimestamp, timestamp);
        if (maxTimestamp !== entry.timestamp)
          problems.timestampMismatches.push(`  Index timestamp: ${entry.timestamp}, log timestamp: ${maxTimestamp}`);
        if (previous >= entry.timestamp)
          problems.outOfOrder.push(`  Index timestamp: ${entry.timestamp}, Previously indexed timestamp: ${previous}`);
      }
      if (!options.verifyIndexOnly) output.out(`timestamp: ${entry.timestamp} offset: ${entry.offset}\n`);
      previous = entry.timestamp;
    }
    return problems;
  } finally {
    log.close();
  }
}

function offsetEntries(bytes: Buffer, baseOffset: number): OffsetEntry[] {
  return Array.from({ length: Math.floor(bytes.length / OFFSET_ENTRY_BYTES) }, (_, index) => ({
    offset: baseOffset + readInt32(bytes, index * OFFSET_ENTRY_BYTES),
    position: readInt32(bytes, index * OFFSET_ENTRY_BYTES + 4),
  }));
}

/** Where to start looking for an offset: at the last entry that is not beyond it. Entries of a preallocated file that were never written are zero. */
function positionBefore(entries: readonly OffsetEntry[], offset: number): number {
  let position = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.offset > offset || (index > 0 && entry.position === 0)) break;
    position = entry.position;
  }
  return position;
}

function* takeUntil<T>(items: Iterable<T>, isLast: (item: T) => boolean): Generator<T, void> {
  for (const item of items) {
    yield item;
    if (isLast(item)) return;
  }
}

interface TimeEntry {
  readonly timestamp: number;
  readonly offset: number;
}

function checkTimeIndex(
  path: string,
  bytes: number,
  ends: { readonly first: TimeEntry; readonly last: TimeEntry } | null,
  baseOffset: number,
): void {
  const corrupt = `Corrupt time index found, time index file (${path}) has non-zero size but the last`;
  if (ends !== null && ends.last.timestamp < ends.first.timestamp) {
    throw new DumpLogError(
      `${corrupt} timestamp is ${ends.last.timestamp} which is less than the first timestamp ${ends.first.timestamp}`,
    );
  }
  if (ends !== null && ends.last.offset < baseOffset) {
    throw new DumpLogError(`${corrupt} offset is ${ends.last.offset} which is less than the first offset ${baseOffset}`);
  }
  checkSize(path, bytes, TIME_ENTRY_BYTES, 'Time index file');
}

function checkSize(path: string, bytes: number, entryBytes: number, what: string): void {
  if (bytes % entryBytes === 0) return;
  throw new DumpLogError(
    `${what} ${path} is corrupt, found ${bytes} bytes which is neither positive nor a multiple of ${entryBytes}`,
  );
}

function requireBaseOffset(path: string): number {
  const baseOffset = baseOffsetOf(path);
  if (baseOffset === null) throw new DumpLogError(`${path}: an index is named after the first offset of its segment`);
  return baseOffset;
}
