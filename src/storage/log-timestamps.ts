import { HeaderScan } from './header-scan.ts';
import { type FoundAhead, searchBatch, type TimestampedOffset } from './large-search.ts';
import type { LogSegment } from './log-segment.ts';
import type { LogState } from './log-state.ts';

/** The first record at or behind the log start whose timestamp is `timestamp` or more. Throws a LargeSearch where `foundAhead` lacks a large batch. */
export function findByTimestamp(state: LogState, timestamp: number, foundAhead?: FoundAhead): TimestampedOffset | null {
  for (const segment of state.segments.all) {
    state.reading(segment);
    if (segment.maxTimestamp.timestamp < timestamp) continue;
    const found = findInSegment(state, segment, { timestamp, foundAhead });
    if (found !== null) return found;
  }
  return null;
}

function findInSegment(
  state: LogState,
  segment: LogSegment,
  { timestamp, foundAhead }: { readonly timestamp: number; readonly foundAhead: FoundAhead | undefined },
): TimestampedOffset | null {
  const { logStartOffset } = state;
  // Everything up to this entry is older.
  const after = Math.max(segment.timeIndex.floor(timestamp).offset, logStartOffset);
  const scan = new HeaderScan(segment.log, segment.find(after)?.position ?? 0);
  while (scan.next()) {
    if (scan.batch.maxTimestamp < timestamp || scan.batch.lastOffset < logStartOffset) continue;
    const found = searchBatch(scan.wholeBatch(), { timestamp, orLater: true, offset: logStartOffset }, foundAhead);
    if (found !== null) return found;
  }
  return null;
}

/** The first record that has the largest timestamp of the log; null if no record has one. */
export function findMaxTimestamp(state: LogState, foundAhead?: FoundAhead): TimestampedOffset | null {
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
  return searchBatch(scan.wholeBatch(), { timestamp, orLater: false, offset: 0 }, foundAhead);
}
