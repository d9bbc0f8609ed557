import type { Millis, Timer } from '../../base/clock.ts';
import type { TimerQueue } from '../../base/timer-queue.ts';
import type { CoordinatorResult, CoordinatorTimer } from './coordinator-shard.ts';

/** How long a timer waits whose operation was not written. */
const RETRY_MS: Millis = 500;

interface Entry<Rec> {
  readonly operation: () => CoordinatorResult<Rec>;
  timer: Timer;
}

/** Runs an operation in its turn; rejects when it was not written. `isCancelled` is asked when the turn has come. */
export type RunTimer<Rec> = (key: string, operation: () => CoordinatorResult<Rec>) => Promise<void>;

/** The timers of one shard, over the one queue of the node. */
export class ShardTimers<Rec> implements CoordinatorTimer<Rec> {
  readonly #timers: TimerQueue;
  readonly #run: RunTimer<Rec>;
  readonly #entries = new Map<string, Entry<Rec>>();
  #isClosed = false;

  constructor(timers: TimerQueue, run: RunTimer<Rec>) {
    this.#timers = timers;
    this.#run = run;
  }

  get size(): number {
    return this.#entries.size;
  }

  schedule(key: string, delayMs: Millis, operation: () => CoordinatorResult<Rec>): void {
    this.cancel(key);
    if (this.#isClosed) return;
    const entry: Entry<Rec> = { operation, timer: this.#timers.schedule(delayMs, () => void this.#fire(key, entry)) };
    this.#entries.set(key, entry);
  }

  scheduleIfAbsent(key: string, delayMs: Millis, operation: () => CoordinatorResult<Rec>): void {
    if (!this.#entries.has(key)) this.schedule(key, delayMs, operation);
  }

  cancel(key: string): void {
    this.#entries.get(key)?.timer.cancel();
    this.#entries.delete(key);
  }

  isScheduled(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Nothing runs any more, and nothing can be scheduled. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#entries.values()) timer.cancel();
    this.#entries.clear();
  }

  async #fire(key: string, entry: Entry<Rec>): Promise<void> {
    try {
      await this.#run(key, () => {
        // The operation may schedule the timer again.
        this.#entries.delete(key);
        return entry.operation();
      });
    } catch {
      // It was told to the log by whoever ran it. A timer that was set since then counts instead.
      if (!this.#entries.has(key)) this.schedule(key, RETRY_MS, entry.operation);
    }
  }
}
