import type { Millis } from '../src/base/clock.ts';

interface Event {
  readonly at: Millis;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

export interface ScheduledEvent {
  cancel(): void;
}

/**
 * The one thing that moves in a simulation. Everything that happens later is an event with a time; events of one time run in the
 * order in which they were asked for. Between two events all promises that can go on do so, so that a run depends on nothing else.
 */
export class Scheduler {
  #time: Millis = 0;
  #order = 0;
  readonly #heap: Event[] = [];
  /** Events that have run: tells whether two runs took the same way. */
  eventsRun = 0;

  /** Milliseconds since the simulation began. */
  get time(): Millis {
    return this.#time;
  }

  get pendingEvents(): number {
    return this.#heap.reduce((count, event) => count + (event.isCancelled ? 0 : 1), 0);
  }

  after(delayMs: Millis, run: () => void): ScheduledEvent {
    const event: Event = { at: this.#time + Math.max(0, delayMs), order: this.#order++, run, isCancelled: false };
    this.#push(event);
    return { cancel: () => void (event.isCancelled = true) };
  }

  /** Runs what is due within `durationMs`, then stands at its end. Promises go on between events. */
  async run(durationMs: Millis): Promise<void> {
    const end = this.#time + durationMs;
    await settled();
    while (this.#runNext(end)) await settled();
    this.#time = end;
  }

  /** Runs until the condition holds; throws if it does not within `limitMs` of simulated time. */
  async runUntil(condition: () => boolean, limitMs: Millis = 60_000): Promise<void> {
    const end = this.#time + limitMs;
    await settled();
    while (!condition()) {
      if (!this.#runNext(end)) throw new Error(`the condition does not hold after ${limitMs} simulated ms`);
      await settled();
    }
  }

  /** Runs until the promise is settled and gives its value. */
  async resolve<T>(promise: Promise<T>, limitMs: Millis = 60_000): Promise<T> {
    let isSettled = false;
    const settle = () => void (isSettled = true);
    promise.then(settle, settle);
    await this.runUntil(() => isSettled, limitMs);
    return promise;
  }

  /** The same as `run` for code without promises, in one go. */
  advance(durationMs: Millis): void {
    const end = this.#time + durationMs;
    while (this.#runNext(end));
    this.#time = end;
  }

  #runNext(end: Millis): boolean {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.at > end) return false;
      this.#pop();
      if (first.isCancelled) continue;
      this.#time = Math.max(this.#time, first.at);
      this.eventsRun++;
      first.run();
      return true;
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(last, child)) break;
      heap[at] = child;
      at = child === left ? 2 * at + 1 : 2 * at + 2;
    }
    heap[at] = last;
  }
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** One turn of the real event loop: by then every promise that waits for no event has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
