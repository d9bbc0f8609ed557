import type { Millis } from '../base/clock.ts';
import type { LogSegment } from './log-segment.ts';
import { rollTo } from './log-roll.ts';
import type { LogState } from './log-state.ts';
import type { SegmentDeletion } from './segment-deletion.ts';

/** Raises the log start offset: records below it are as good as deleted, and their segments may go. */
export function raiseLogStart(state: LogState, offset: number): boolean {
  if (offset <= state.logStartOffset) return false;
  state.setLogStart(offset);
  state.epochs.cache.truncateFromStart(offset);
  state.producers.logStartMoved(offset);
  state.producersMoved();
  return true;
}

/** Deletes whole segments from the start by size, time and log start offset, never beyond the high watermark. Gives their number. */
export function deleteOldSegments(state: LogState, now: Millis, deletion: SegmentDeletion): number {
  const { config } = state.context;
  const isBeforeStart = (_: LogSegment, next: LogSegment | null): boolean =>
    next !== null && next.baseOffset <= state.logStartOffset;
  let count = deleteWhile(state, isBeforeStart, { deletion, reason: 'log start offset' });
  if (!config.deletesOld) return count;
  if (config.retentionBytes >= 0) count += deleteBySize(state, deletion);
  if (config.retentionMs >= 0) {
    const isTooOld = (segment: LogSegment): boolean => now - segment.largestTimestampMs > config.retentionMs;
    count += deleteWhile(state, isTooOld, { deletion, reason: 'retention.ms' });
  }
  return count;
}

function deleteBySize(state: LogState, deletion: SegmentDeletion): number {
  let excess = state.segments.sizeInBytes - state.context.config.retentionBytes;
  const isInExcess = (segment: LogSegment): boolean => {
    if (excess < segment.sizeInBytes) return false;
    excess -= segment.sizeInBytes;
    return true;
  };
  return deleteWhile(state, isInExcess, { deletion, reason: 'retention.bytes' });
}

function deleteWhile(
  state: LogState,
  isDeletable: (segment: LogSegment, next: LogSegment | null) => boolean,
  { deletion, reason }: { readonly deletion: SegmentDeletion; readonly reason: string },
): number {
  const deletable: LogSegment[] = [];
  const { all } = state.segments;
  for (const [index, segment] of all.entries()) {
    const next = all[index + 1] ?? null;
    const upperBound = next?.baseOffset ?? state.logEndOffset;
    state.reading(segment);
    const isEmptyEnd = next === null && segment.sizeInBytes === 0;
    if (isEmptyEnd || state.highWatermark < upperBound || !isDeletable(segment, next)) break;
    deletable.push(segment);
  }
  if (deletable.length === 0) return 0;
  // A log always has a segment to write to.
  if (deletable.length === all.length) rollTo(state, state.logEndOffset);
  for (const segment of deletable) {
    state.segments.remove(segment);
    state.producers.snapshots.forget(segment.baseOffset);
  }
  raiseLogStart(state, state.segments.first.baseOffset);
  deletion.delete(deletable);
  state.context.logger.info('deleted old segments', {
    partition: state.context.name,
    count: deletable.length,
    reason,
    logStartOffset: state.logStartOffset,
  });
  return deletable.length;
}
