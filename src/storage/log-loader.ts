import { CheckpointError } from './checkpoint-file.ts';
import { EpochFile } from './epoch-file.ts';
import { HeaderScan, LONG_SCAN_BYTES } from './header-scan.ts';
import type { EpochEntry } from './leader-epoch-cache.ts';
import type { LogContext } from './log-context.ts';
import { finishInterruptedWork } from './interrupted-work.ts';
import { endRecovery, type RecoveredEnd, recoverSegment } from './log-recovery.ts';
import { createSegment, openSegment } from './log-roll.ts';
import type { LogSegment } from './log-segment.ts';
import type { LoadedLog } from './log-state.ts';
import { rebuildProducers } from './producer-replay.ts';
import { ProducerStateManager } from './producer-state-manager.ts';
import { ProducerSnapshots } from './producer-snapshots.ts';
import { findDamage } from './segment-damage.ts';
import { cutOut } from './segment-repair.ts';
import { SegmentDeletion } from './segment-deletion.ts';
import { INDEX_SUFFIX, LOG_SUFFIX, offsetOfFile, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX } from './segment-files.ts';
import { SegmentList } from './segment-list.ts';

export interface LoadOptions {
  /** From the checkpoints; 0 if they say nothing. */
  readonly logStartOffset: number;
  readonly recoveryPoint: number;
  /** The log was closed in order: nothing has to be read again. */
  readonly hadCleanShutdown: boolean;
}

/** Opens the log in `context.directory`, or makes an empty one. */
export function loadLog(context: LogContext, options: LoadOptions): LoadedLog {
  return new LogLoader(context, options).load();
}

class LogLoader {
  readonly #context: LogContext;
  readonly #options: LoadOptions;
  readonly #segments = new SegmentList();
  readonly #producers: ProducerStateManager;
  readonly #epochs: EpochFile;
  readonly #areEpochsLost: boolean;

  constructor(context: LogContext, options: LoadOptions) {
    const { disk } = context.environment;
    this.#context = context;
    this.#options = options;
    context.isNewDirectory = !disk.exists(context.directory);
    if (context.isNewDirectory) disk.makeDirectory(context.directory);
    const { directory } = context;
    const written = (path: string): void => void context.unsyncedFiles.add(path);
    const snapshots = new ProducerSnapshots(disk, directory, written);
    this.#producers = new ProducerStateManager(snapshots, context.producerIdExpirationMs);
    const entries = this.#readEpochs();
    this.#areEpochsLost = entries === null;
    this.#epochs = new EpochFile({ disk, directory, entries: entries ?? [], written });
  }

  load(): LoadedLog {
    const { directory, environment } = this.#context;
    const names = finishInterruptedWork(environment.disk, directory);
    this.#producers.snapshots.found(names);
    this.#openSegments(names);
    const isWhole = this.#options.hadCleanShutdown && this.#isTailWhole();
    if (!isWhole && this.#segments.count > 0) {
      this.#context.hasUnsyncedNames = true;
      this.#recover();
    }
    const logEndOffset = this.#settleEnd();
    const logStartOffset = Math.max(this.#options.logStartOffset, this.#segments.first.baseOffset);
    this.#settleEpochs(logStartOffset, logEndOffset);
    this.#settleProducers(logStartOffset, logEndOffset);
    for (const segment of this.#segments.all) if (segment !== this.#segments.active) segment.log.releaseHandle();
    const recoveryPoint = isWhole ? logEndOffset : Math.min(this.#options.recoveryPoint, logEndOffset);
    return {
      context: this.#context,
      segments: this.#segments,
      epochs: this.#epochs,
      producers: this.#producers,
      logStartOffset,
      logEndOffset,
      recoveryPoint,
    };
  }

  /** Null if there is a file that cannot be read: the batches know the epochs. */
  #readEpochs(): EpochEntry[] | null {
    const { environment, directory, name, logger } = this.#context;
    try {
      return EpochFile.read(environment.disk, directory);
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      logger.error('the leader epochs are unreadable; making them again from the log', {
        partition: name,
        reason: error.message,
      });
      return null;
    }
  }

  #openSegments(names: readonly string[]): void {
    const { directory, environment, logger, name: partition } = this.#context;
    const offsets = new Set<number>();
    for (const name of names) {
      const offset = name.endsWith(LOG_SUFFIX) ? offsetOfFile(name) : null;
      if (offset !== null) offsets.add(offset);
    }
    for (const name of names) {
      const isIndex = [INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX].some((suffix) => name.endsWith(suffix));
      const offset = isIndex ? offsetOfFile(name) : null;
      if (offset === null || offsets.has(offset)) continue;
      logger.error('an index has no log file: its records are gone', { partition, file: name });
      environment.disk.remove(`${directory}/${name}`);
    }
    for (const offset of [...offsets].sort((a, b) => a - b)) this.#segments.add(openSegment(this.#context, offset));
  }

  /** A clean stop leaves whole batches up to the end of the last file. */
  #isTailWhole(): boolean {
    if (this.#segments.count === 0) return true;
    const { active } = this.#segments;
    if (active.scanTail().endPosition === active.sizeInBytes) return true;
    this.#context.logger.error('the log ends in the middle of a batch though it was closed in order', {
      partition: this.#context.name,
      segment: active.baseOffset,
    });
    return false;
  }

  /**
   * Reads everything from the recovery point on. What a power loss may have left half-written ends the log; a batch that has rotted in an older segment is
   * taken out, and what is whole behind it stays.
   */
  #recover(): void {
    const from = this.#options.hadCleanShutdown ? this.#segments.active.baseOffset : this.#options.recoveryPoint;
    const [first] = this.#segments.between(from, Infinity);
    if (first === undefined) return;
    this.#rewindTo(first.baseOffset);
    for (let index = this.#segments.indexOf(first.baseOffset); index < this.#segments.count; index++) {
      const segment = this.#segments.at(index);
      if (segment === null) return;
      if (segment !== first) this.#producers.takeSnapshot();
      const nextOffset = this.#recoverOne(segment, index);
      const next = this.#segments.at(index + 1);
      if (nextOffset !== null && !this.#hasLostTail(nextOffset, next)) continue;
      this.#drop(this.#segments.all.slice(index + 1));
      return;
    }
  }

  /**
   * Whether the end of a segment never reached the disk although the next one did. Only where nothing is known to have been flushed, and not in a compacted log,
   * where records may be missing for good reason.
   */
  #hasLostTail(nextOffset: number, next: LogSegment | null): boolean {
    if (next === null || nextOffset >= next.baseOffset || next.baseOffset <= this.#options.recoveryPoint) return false;
    if (this.#context.config.isCompacted) return false;
    const facts = { partition: this.#context.name, logEndOffset: nextOffset, nextSegment: next.baseOffset };
    this.#context.logger.warn('the end of a segment was never written; cutting the log there', facts);
    return true;
  }

  /** Recovers a segment, perhaps without some of its batches. Gives the offset after it; null if the log ends in it. */
  #recoverOne(opened: LogSegment, index: number): number | null {
    const { logger, name: partition } = this.#context;
    const next = this.#segments.at(index + 1);
    // What was written last may not have reached the disk when the power went; older segments were flushed when they were closed.
    const mayBeUnflushed = index >= this.#segments.count - 2;
    for (let segment = opened; ; ) {
      const end = this.#recoverValid(segment);
      if (end.position === segment.sizeInBytes) {
        endRecovery(segment, end);
        return end.nextOffset;
      }
      const bounds = { from: end.nextOffset, to: next?.baseOffset ?? Infinity };
      const damage = mayBeUnflushed ? null : findDamage(segment.log, end.position, bounds);
      if (damage === null) {
        const bytes = segment.sizeInBytes - end.position;
        const facts = { partition, segment: segment.baseOffset, bytes, logEndOffset: end.nextOffset };
        logger.warn('a segment ends in something that is no whole batch; cutting the log there', facts);
        endRecovery(segment, end);
        return null;
      }
      const keptAs = cutOut(this.#context, segment.log, { baseOffset: segment.baseOffset, range: damage });
      const bytes = damage.end - damage.start;
      const facts = { partition, segment: segment.baseOffset, fromOffset: end.nextOffset, position: damage.start, bytes, keptAs };
      logger.error('records are damaged on disk and lost; those behind them are whole and kept', facts);
      segment = this.#reopen(segment);
    }
  }

  #recoverValid(segment: LogSegment): RecoveredEnd {
    let end: RecoveredEnd = { position: 0, nextOffset: segment.baseOffset };
    this.#epochs.together(() => {
      end = recoverSegment(segment, { epochs: this.#epochs, producers: this.#producers });
    });
    return end;
  }

  #reopen(segment: LogSegment): LogSegment {
    const reopened = openSegment(this.#context, segment.baseOffset);
    this.#segments.remove(segment);
    this.#segments.add(reopened);
    this.#rewindTo(segment.baseOffset);
    return reopened;
  }

  /** Epochs and producers as they were before the batch at `offset`. */
  #rewindTo(offset: number): void {
    this.#epochs.together(() => this.#epochs.cache.truncateFromEnd(offset));
    rebuildProducers({
      producers: this.#producers,
      segments: this.#segments,
      logStartOffset: this.#options.logStartOffset,
      logEndOffset: offset,
      nowMs: this.#context.environment.clock.now(),
    });
  }

  #drop(dropped: readonly LogSegment[]): void {
    const segments = dropped.toReversed();
    for (const segment of segments) {
      this.#segments.remove(segment);
      this.#producers.snapshots.forget(segment.baseOffset);
    }
    new SegmentDeletion(this.#context).delete(segments);
  }

  /** The log end; a log that ends before its start begins anew there. */
  #settleEnd(): number {
    if (this.#segments.count > 0) {
      const logEndOffset = this.#segments.active.readNextOffset();
      if (logEndOffset >= this.#options.logStartOffset) return logEndOffset;
      this.#context.logger.warn('the log ends before its start offset; starting it anew', {
        partition: this.#context.name,
        logEndOffset,
        logStartOffset: this.#options.logStartOffset,
      });
      this.#drop(this.#segments.all);
      this.#epochs.cache.clear();
      this.#producers.snapshots.keepOnly(() => false);
    }
    this.#segments.add(createSegment(this.#context, this.#options.logStartOffset));
    return this.#options.logStartOffset;
  }

  #settleEpochs(logStartOffset: number, logEndOffset: number): void {
    const { cache } = this.#epochs;
    this.#epochs.together(() => {
      if (this.#areEpochsLost) this.#rereadEpochs();
      cache.truncateFromEnd(logEndOffset);
      cache.truncateFromStart(logStartOffset);
    });
  }

  #rereadEpochs(): void {
    this.#epochs.cache.clear();
    for (const segment of this.#segments.all) {
      const scan = new HeaderScan(segment.log, 0, { blockBytes: LONG_SCAN_BYTES });
      while (scan.next()) {
        const { partitionLeaderEpoch, baseOffset } = scan.batch;
        const { latest } = this.#epochs.cache;
        if (partitionLeaderEpoch >= 0 && (latest === null || partitionLeaderEpoch > latest.epoch)) {
          this.#epochs.cache.assign(partitionLeaderEpoch, baseOffset);
        }
      }
    }
  }

  #settleProducers(logStartOffset: number, logEndOffset: number): void {
    this.#producers.snapshots.removeStrays(new Set(this.#segments.all.map((segment) => segment.baseOffset)));
    rebuildProducers({
      producers: this.#producers,
      segments: this.#segments,
      logStartOffset,
      logEndOffset,
      nowMs: this.#context.environment.clock.now(),
    });
    this.#producers.takeSnapshot();
  }
}
