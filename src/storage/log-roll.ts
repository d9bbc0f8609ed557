import type { Millis } from '../base/clock.ts';
import type { LogContext } from './log-context.ts';
import { LogSegment } from './log-segment.ts';
import type { LogState } from './log-state.ts';
import { LOG_SUFFIX, pathOf, TRANSACTION_INDEX_SUFFIX } from './segment-files.ts';

/** What is about to be appended. */
export interface UpcomingAppend {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly maxTimestamp: number;
  readonly sizeInBytes: number;
}

/** Whether the active segment cannot or should not take these records. */
export function mustRoll(state: LogState, upcoming: UpcomingAppend, now: Millis): boolean {
  const { config } = state.context;
  const segment = state.segments.active;
  const size = segment.sizeInBytes;
  return (
    size > config.segmentBytes - upcoming.sizeInBytes ||
    !segment.canHold(upcoming.lastOffset) ||
    segment.isIndexFull(config.segmentIndexBytes) ||
    (size > 0 && segmentAgeMs(segment, upcoming.maxTimestamp, now) > config.segmentMs - segment.rollJitterMs)
  );
}

/** Records with timestamps are compared with each other; the clock counts only for records without. */
function segmentAgeMs(segment: LogSegment, maxTimestamp: number, now: Millis): number {
  const first = segment.firstTimestamp;
  return first >= 0 ? maxTimestamp - first : now - segment.createdMs;
}

/** Closes the active segment and starts one at `baseOffset`, which is the log end or (after a gap) beyond. Gives false if the active segment is that one and empty. */
export function rollTo(state: LogState, baseOffset: number): boolean {
  const { active } = state.segments;
  if (active.baseOffset === baseOffset) return false;
  active.writeOut();
  active.log.releaseHandle();
  state.producers.endOffset = baseOffset;
  state.producers.takeSnapshot();
  state.segments.add(createSegment(state.context, baseOffset));
  state.setLogEnd(state.logEndOffset);
  return true;
}

/** A new, empty segment, whatever files an earlier life has left under its name. */
export function createSegment(context: LogContext, baseOffset: number): LogSegment {
  const { disk } = context.environment;
  disk.remove(pathOf(context.directory, baseOffset, LOG_SUFFIX));
  disk.remove(pathOf(context.directory, baseOffset, TRANSACTION_INDEX_SUFFIX));
  const segment = openSegment(context, baseOffset);
  segment.resetIndexes();
  context.hasUnsyncedNames = true;
  return segment;
}

export function openSegment(context: LogContext, baseOffset: number): LogSegment {
  return new LogSegment(context.segmentContext(), {
    baseOffset,
    createdMs: context.environment.clock.now(),
    rollJitterMs: context.rollJitterMs(),
  });
}
