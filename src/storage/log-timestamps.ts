import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import { HeaderScan } from './header-scan.ts';
import type { LogSegment } from './log-segment.ts';
import type { LogState } from './log-state.ts';

/** A record found by its time. */
export interface TimestampedOffset {
  readonly offset: number;
  readonly timestamp: number;
  readonly leaderEpoch: number | null;
}

/** The first record at or behind the log start whose timestamp is `timestamp` or more. */
export function findByTimestamp(state: LogState, timestamp: number): TimestampedOffset | null {
  for (const segment of state.segments.all) {
    state.reading(segment);
    if (segment.maxTimestamp.timestamp < timestamp) continue;
    const found = findInSegment(state, segment, timestamp);
    if (found !== null) return found;
  }
  return null;
}

function findInSegment(state: LogState, segment: LogSegment, timestamp: number): TimestampedOffset | null {
  const { logStartOffset } = state;
  // Everything up to this entry is older.
  const after = Math.max(segment.timeIndex.floor(timestamp).offset, logStartOffset);
  const scan = new HeaderScan(segment.log, segment.find(after)?.position ?? 0);
  while (scan.next()) {
    if (scan.batch.maxTimestamp < timestamp || scan.batch.lastOffset < logStartOffset) continue;
    const found = firstRecord(scan.wholeBatch(), (record) => record.timestamp >= timestamp && record.offset >= logStartOffset);
    if (found !== null) return found;
  }
  return null;
}

/** The first record that has the largest timestamp of the log; null if no record has one. */
export function findMaxTimestamp(state: LogState): TimestampedOffset | null {
  let best: LogSegment | null = null;
  for (const segment of state.segments.all) {
    state.reading(segment);
    if (segment.maxTimestamp.timestamp > (best?.maxTimestamp.timestamp ?? -1)) best = segment;
  }
  if (best === null) return null;
  state.reading(best);
  const { timestamp, offset } = best.maxTimestamp;
  const place = best.find(offset);
  if (place === null) return null;
  const scan = new HeaderScan(best.log, place.position);
  if (!scan.next()) return null;
  return firstRecord(scan.wholeBatch(), (record) => record.timestamp === timestamp);
}

function firstRecord(
  batch: RecordBatch,
  isWanted: (record: { readonly offset: number; readonly timestamp: number }) => boolean,
): TimestampedOffset | null {
  for (const { offset, timestamp } of recordsOf(batch)) {
    if (!isWanted({ offset, timestamp })) continue;
    const epoch = batch.partitionLeaderEpoch;
    return { offset, timestamp, leaderEpoch: epoch < 0 ? null : epoch };
  }
  return null;
}
