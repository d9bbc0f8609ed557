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

  /** Resolves when the record before `offset` is durable; rejects with NOT_LEADER_OR_FOLLOWER if it was truncated away, or the log closed. */
  async whenFlushed(offset: number): Promise<void> {
    while (this.#state.recoveryPoint < offset) {
      if (this.isClosed) throw new KafkaError('NOT_LEADER_OR_FOLLOWER', 'The log was closed before the record was durable.');
      if (this.#state.logEndOffset < offset) {
        throw new KafkaError('NOT_LEADER_OR_FOLLOWER', `Offset ${offset - 1} was truncated before it was durable.`);
      }
      await this.#queue.flush(this.#state.logEndOffset);
    }
  }

  /** The last flush of a log that is closed in order: its indexes too, since the next start will not look at them. */
  async flushAll(): Promise<void> {
    await this.#queue.flush(this.#state.logEndOffset);
    await this.#state.context.guardAsync('Flushing', () => this.#state.segments.active.syncIndexes());
  }

  /** Everything below `upTo`, and all that belongs to it, was made durable together with the whole file system. */
  wasMadeDurable(upTo: number): void {
    this.#advance(upTo);
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #sync(upTo: number): Promise<void> {
    const { context } = this.#state;
    try {
      context.ensureUsable();
      // A truncation meanwhile may have put other records where these were: then all is looked at again.
      while (!(await this.#syncOnce(Math.min(upTo, this.#state.logEndOffset)))) context.ensureUsable();
    } catch (error) {
      // Files of a log that was deleted meanwhile are nobody's loss (KAFKA-15391).
      if (this.isClosed) return;
      throw context.failed('Flushing', error);
    }
  }

  /** False if the log was truncated before everything was durable. */
  async #syncOnce(upTo: number): Promise<boolean> {
    const state = this.#state;
    const { truncations } = state;
    const isSame = (): boolean => state.truncations === truncations;
    for (const segment of upTo > state.recoveryPoint ? state.segments.between(state.recoveryPoint, upTo) : []) {
      await (segment === state.segments.active ? segment.log.sync() : segment.sync());
      if (this.isClosed) return true;
      if (!isSame()) return false;
    }
    await this.#syncNames();
    if (this.isClosed) return true;
    if (!isSame()) return false;
    this.#advance(upTo);
    return true;
  }

  #advance(upTo: number): void {
    const { segments, context, recoveryPoint } = this.#state;
    this.lastFlushMs = context.environment.clock.now();
    if (upTo <= recoveryPoint) return;
    this.#state.recoveryPoint = upTo;
    if (segments.floor(upTo) !== segments.floor(recoveryPoint)) context.segmentFlushed();
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
    await disk.syncDirectoryLater(context.directory);
    if (context.isNewDirectory) await disk.syncDirectoryLater(parentOf(context.directory));
    context.isNewDirectory = false;
  }
}
