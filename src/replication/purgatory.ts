import type { Timer } from '../base/clock.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Millis } from '../base/clock.ts';
import type { TimerQueue } from '../base/timer-queue.ts';

/**
 * A request that cannot be answered yet: an object, not a thread. It is completed exactly once, by an event that makes
 * `tryComplete` succeed or by its deadline, whichever comes first.
 */
export abstract class DelayedOperation {
  /** How long it may wait. */
  readonly delayMs: Millis;
  #isCompleted = false;
  #timer: Timer | null = null;
  #unwatch: (() => void) | null = null;

  constructor(delayMs: Millis) {
    this.delayMs = delayMs;
  }

  get isCompleted(): boolean {
    return this.#isCompleted;
  }

  /**
   * Looks whether the wait is over and then calls `forceComplete`; gives whether this call completed the operation. `changed` is the place, among the keys
   * that the operation is watched under, of the only one that something has happened to since the last look; absent if it may be any of them.
   */
  abstract tryComplete(changed?: number): boolean;

  /** Makes the answer. Called exactly once. */
  protected abstract onComplete(): void;

  /** Called before `onComplete` when the deadline came first. */
  protected onExpiration(): void {
    // Most operations answer the same way whether they expired or not.
  }

  /** Completes the operation unless that has happened; gives whether this call did it. */
  forceComplete(): boolean {
    if (this.#isCompleted) return false;
    this.#isCompleted = true;
    this.#timer?.cancel();
    this.#timer = null;
    this.#unwatch?.();
    this.#unwatch = null;
    this.onComplete();
    return true;
  }

  /** Called by the purgatory that holds the operation. */
  beginWaiting(timers: TimerQueue, unwatch: () => void): void {
    this.#unwatch = unwatch;
    this.#timer = timers.schedule(this.delayMs, () => {
      if (this.#isCompleted) return;
      this.onExpiration();
      this.forceComplete();
    });
  }
}

/** In place of the place of a key that an operation has more than once. */
const SEVERAL = -1;

/**
 * Holds the operations that wait, by the keys (objects, by identity) whose events may complete them.
 *
 * A completed operation leaves all its watch lists at once, so that both metrics are exact and a list never grows over dead entries.
 */
export class Purgatory<Key extends object, Operation extends DelayedOperation = DelayedOperation> {
  readonly #timers: TimerQueue;
  /** With each operation, the place of the key among its keys. */
  readonly #watchers = new Map<Key, Map<Operation, number>>();
  #delayedCount = 0;
  #watchCount = 0;

  constructor(options: { readonly name: string; readonly timers: TimerQueue; readonly metrics: Metrics }) {
    this.#timers = options.timers;
    const type = `kafka.server:type=DelayedOperationPurgatory`;
    options.metrics.gauge(`${type},name=NumDelayedOperations,delayedOperation=${options.name}`, () => this.#delayedCount);
    options.metrics.gauge(`${type},name=PurgatorySize,delayedOperation=${options.name}`, () => this.#watchCount);
  }

  /** Operations that wait. */
  get delayedCount(): number {
    return this.#delayedCount;
  }

  /** Entries in all watch lists: an operation on three keys counts three times. */
  get watchCount(): number {
    return this.#watchCount;
  }

  /** Completes the operation now if it can be; otherwise keeps it under its keys. Gives whether it was completed. */
  tryCompleteElseWatch(operation: Operation, keys: readonly Key[]): boolean {
    if (operation.tryComplete()) return true;
    if (operation.isCompleted) return true;
    for (const [place, key] of keys.entries()) this.#watch(key, operation, place);
    this.#delayedCount++;
    operation.beginWaiting(this.#timers, () => this.#unwatch(operation, keys));
    return false;
  }

  /** Something happened to `key`: completes what can be completed now and gives how many were. */
  checkAndComplete(key: Key): number {
    const operations = this.#watchers.get(key);
    if (operations === undefined) return 0;
    let completedCount = 0;
    // Whatever a completion adds to the list waits for the next event: it has just been tried.
    let left = operations.size;
    for (const [operation, place] of operations) {
      if (left-- === 0) break;
      if (operation.tryComplete(place === SEVERAL ? undefined : place)) completedCount++;
    }
    return completedCount;
  }

  /** The operations that wait for `key`. */
  watching(key: Key): Iterable<Operation> {
    return this.#watchers.get(key)?.keys() ?? [];
  }

  /** Completes everything that waits, as if its time were over: for shutdown. */
  completeAll(): void {
    const all = new Set<Operation>();
    for (const operations of this.#watchers.values()) for (const operation of operations.keys()) all.add(operation);
    for (const operation of all) operation.forceComplete();
  }

  #watch(key: Key, operation: Operation, place: number): void {
    let operations = this.#watchers.get(key);
    if (operations === undefined) this.#watchers.set(key, (operations = new Map()));
    const isWatched = operations.has(operation);
    operations.set(operation, isWatched ? SEVERAL : place);
    if (!isWatched) this.#watchCount++;
  }

  #unwatch(operation: Operation, keys: readonly Key[]): void {
    this.#delayedCount--;
    for (const key of keys) {
      const operations = this.#watchers.get(key);
      if (operations?.delete(operation) !== true) continue;
      this.#watchCount--;
      if (operations.size === 0) this.#watchers.delete(key);
    }
  }
}
