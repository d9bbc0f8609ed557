import type { Millis } from '../base/clock.ts';
import { KafkaError } from '../protocol/errors.ts';
import { FlushQueue } from './flush-queue.ts';
import type { LogState } from './log-state.ts';
import { parentOf } from './path.ts';
import { syncSmallFile } from './small-file.ts';

/** Makes a log durable up to an offset and moves its recovery point there. */
export class LogFlush {
  readonly #state: LogState;
  readonly #queue: FlushQueue;
  isClosed = false;
  lastFlushMs: Millis;

  constructor(state: LogState) {
    this.#state = state;
    this.lastFlushMs = state.context.environment.clock.now();
    this.#queue = new FlushQueue((upTo) => this.#sync(upTo));
  }

  /** Resolves when everything below `upTo` is durable. One sync serves all who wait. */
  flush(upTo: number): Promise<void> {
    return this.#queue.flush(upTo);
  }

  /** For work that nobody waits for: a failure has taken the log offline by itself. */
  flushInBackground(upTo: number): void {
    this.#queue.flush(upTo).catch((error: unknown) => {
      this.#state.context.logger.error('a background flush failed', {
        partition: this.#state.context.name,
        error: String(error),
      });
    });
  }

  /** Resolves when the record before `offset` is durable; rejects with NOT_LEADER_OR_FOLLOWER if it was truncated away. */
  async whenFlushed(offset: number): Promise<void> {
    while (this.#state.recoveryPoint < offset) {
      if (this.#state.logEndOffset < offset) {
        throw new KafkaError('NOT_LEADER_OR_FOLLOWER', `Offset ${offset - 1} was truncated before it was durable.`);
      }
      await this.#queue.flush(this.#state.logEndOffset);
    }
  }

  /** The last flush of a log that is closed in order: its indexes too, since the next start will not look at them. */
  async flushAll(): Promise<void> {
    await this.#queue.flush(this.#state.logEndOffset);
    await this.#state.context.guardAsync('Flushing', () => this.#state.segments.active.sync());
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #sync(upTo: number): Promise<void> {
    const { context } = this.#state;
    try {
      await this.#syncFiles(Math.min(upTo, this.#state.logEndOffset));
    } catch (error) {
      // Files of a log that was deleted meanwhile are nobody's loss (KAFKA-15391).
      if (this.isClosed) return;
      throw context.failed('Flushing', error);
    }
  }

  async #syncFiles(upTo: number): Promise<void> {
    const state = this.#state;
    state.context.ensureUsable();
    const { truncations } = state;
    const from = state.recoveryPoint;
    if (upTo > from) {
      for (const segment of state.segments.between(from, upTo)) {
        if (segment === state.segments.active) await segment.log.sync();
        else await segment.sync();
        if (this.isClosed || state.truncations !== truncations) return;
      }
    }
    await this.#syncNames();
    if (this.isClosed || state.truncations !== truncations) return;
    if (upTo > state.recoveryPoint) {
      const flushedSegment = state.segments.floor(state.recoveryPoint);
      state.recoveryPoint = upTo;
      if (state.segments.floor(upTo) !== flushedSegment) state.context.segmentFlushed();
    }
    this.lastFlushMs = state.context.environment.clock.now();
  }

  /** Small files and directory entries that came since the last time. */
  async #syncNames(): Promise<void> {
    const { context } = this.#state;
    if (context.unsyncedFiles.size === 0 && !context.hasUnsyncedNames) return;
    const { disk } = context.environment;
    const paths = [...context.unsyncedFiles];
    context.unsyncedFiles.clear();
    context.hasUnsyncedNames = false;
    for (const path of paths) if (disk.exists(path)) await syncSmallFile(disk, path);
    if (this.isClosed) return;
    disk.syncDirectory(context.directory);
    if (context.isNewDirectory) disk.syncDirectory(parentOf(context.directory));
    context.isNewDirectory = false;
  }
}
