import type { Clock, Millis, Timer } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { LogManagerSettings } from './log-manager-settings.ts';
import type { PartitionLog } from './partition-log.ts';
import { StorageError } from './storage-error.ts';

/** What the background work is done on. */
export interface TaskTarget {
  readonly logs: readonly PartitionLog[];
  checkpointRecoveryPoints(): Promise<void>;
  checkpointLogStartOffsets(): Promise<void>;
  checkpointHighWatermarks(): Promise<void>;
}

/** How often flush.ms is looked at when the broker's own interval is never: topics may set it all the same. */
const FLUSH_CHECK_INTERVAL_MS = 1000;

/** Starts what goes on in the background: retention, flushes by time, checkpoints, forgetting of producers. */
export function startLogTasks(environment: Environment, settings: LogManagerSettings, target: TaskTarget): Timer[] {
  const { clock, logger } = environment;
  const failed = (error: unknown): void => logger.named('log').error('background work failed', { error: String(error) });
  const repeat = (
    intervalMs: Millis,
    work: () => void | Promise<void>,
    initialDelayMs: Millis = settings.initialTaskDelayMs,
  ): Timer => new RepeatedTask(clock, { initialDelayMs, intervalMs, work, failed });
  return [
    repeat(settings.retentionCheckIntervalMs, () => forEachUsable(target, (log) => void log.deleteOldSegments(clock.now()))),
    repeat(Math.min(settings.flushSchedulerIntervalMs, FLUSH_CHECK_INTERVAL_MS), () => flushDue(target, clock.now())),
    repeat(settings.recoveryPointCheckpointIntervalMs, () => target.checkpointRecoveryPoints()),
    repeat(settings.logStartCheckpointIntervalMs, () => target.checkpointLogStartOffsets()),
    repeat(settings.highWatermarkCheckpointIntervalMs, () => target.checkpointHighWatermarks()),
    repeat(
      settings.producerIdExpirationCheckIntervalMs,
      () => forEachUsable(target, (log) => log.producers.removeExpired(clock.now())),
      settings.producerIdExpirationCheckIntervalMs,
    ),
  ];
}

function forEachUsable(target: TaskTarget, work: (log: PartitionLog) => void): void {
  for (const log of target.logs) {
    if (log.isOffline) continue;
    try {
      work(log);
    } catch (error) {
      // The log's directory is offline now, and has been told of; the other logs are not concerned.
      if (!(error instanceof StorageError)) throw error;
    }
  }
}

function flushDue(target: TaskTarget, now: Millis): void {
  forEachUsable(target, (log) => {
    if (log.config.flushMs !== Infinity && now - log.lastFlushMs >= log.config.flushMs) log.flushInBackground();
  });
}

interface RepeatedTaskOptions {
  readonly initialDelayMs: Millis;
  readonly intervalMs: Millis;
  readonly work: () => void | Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Runs some work again and again, each run after the one before has ended. */
class RepeatedTask implements Timer {
  readonly #clock: Clock;
  readonly #options: RepeatedTaskOptions;
  #timer: Timer | null = null;
  #isCancelled = false;

  constructor(clock: Clock, options: RepeatedTaskOptions) {
    this.#clock = clock;
    this.#options = options;
    if (options.intervalMs !== Infinity) this.#schedule(options.initialDelayMs);
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#timer?.cancel();
  }

  #schedule(delayMs: Millis): void {
    this.#timer = this.#clock.schedule(delayMs, () => {
      this.#run().catch(this.#options.failed);
    });
  }

  async #run(): Promise<void> {
    try {
      await this.#options.work();
    } finally {
      if (!this.#isCancelled) this.#schedule(this.#options.intervalMs);
    }
  }
}
