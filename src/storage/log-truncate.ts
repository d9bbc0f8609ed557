import type { LogSegment } from './log-segment.ts';
import { createSegment } from './log-roll.ts';
import type { LogState } from './log-state.ts';
import { offsetOnly } from './offset-metadata.ts';
import { rebuildProducers } from './producer-replay.ts';
import type { SegmentDeletion } from './segment-deletion.ts';

/**
 * Drops every batch that holds `offset` or more. What was dropped is gone for good when this returns: appends that follow at the same offsets must not meet it again
 * after a power loss. Gives false if there was nothing to drop.
 */
export function truncateTo(state: LogState, offset: number, deletion: SegmentDeletion): boolean {
  if (offset >= state.logEndOffset) {
    // An epoch without records may start at the end and contradict the leader's (KAFKA-10706).
    state.epochs.cache.truncateFromEnd(offset);
    return false;
  }
  if (offset < state.segments.first.baseOffset) {
    truncateFullyAndStartAt(state, offset, deletion);
    return true;
  }
  lowerRecoveryPoint(state, offset);
  removeSegments(state, deletion, (segment) => segment.baseOffset > offset);
  const { active } = state.segments;
  active.truncateTo(offset);
  active.log.syncNow();
  syncDirectory(state);
  state.epochs.cache.truncateFromEnd(offset);
  state.truncations++;
  state.setLogEnd(offset);
  if (state.logStartOffset > offset) state.setLogStart(offset);
  rebuildProducers({
    producers: state.producers,
    segments: state.segments,
    logStartOffset: state.logStartOffset,
    logEndOffset: offset,
    nowMs: state.context.environment.clock.now(),
  });
  // Transactions that were read again, and ended below the high watermark, hold nothing back.
  state.producers.highWatermarkMoved(state.highWatermark);
  state.forgetPlaces();
  state.producersMoved();
  return true;
}

/** Drops everything; the log is empty and starts at `offset`. */
export function truncateFullyAndStartAt(state: LogState, offset: number, deletion: SegmentDeletion): void {
  lowerRecoveryPoint(state, Math.min(offset, state.logStartOffset));
  removeSegments(state, deletion, () => true);
  state.segments.add(createSegment(state.context, offset));
  state.epochs.cache.clear();
  state.producers.snapshots.keepOnly(() => false);
  state.producers.clear(offset);
  syncDirectory(state);
  state.truncations++;
  state.restartAt(offset);
  state.setHighWatermark(offsetOnly(offset));
}

/** What comes after the truncation is not durable, whatever a checkpoint said of what was there before. */
function lowerRecoveryPoint(state: LogState, offset: number): void {
  if (state.recoveryPoint <= offset) return;
  state.recoveryPoint = offset;
  state.context.recoveryPointLowered(offset);
}

function removeSegments(state: LogState, deletion: SegmentDeletion, isRemoved: (segment: LogSegment) => boolean): void {
  // From the end, so that a crash half-way leaves a log without a gap.
  const removed = state.segments.all.filter(isRemoved).toReversed();
  for (const segment of removed) {
    state.segments.remove(segment);
    state.producers.snapshots.forget(segment.baseOffset);
  }
  deletion.delete(removed);
}

function syncDirectory({ context }: LogState): void {
  context.environment.disk.syncDirectory(context.directory);
}
