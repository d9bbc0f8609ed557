import { assert } from './assert.ts';
import type { Clock, Millis, Timer } from './clock.ts';

/** Where an entry that is no longer queued stands in the heap. */
const NOT_QUEUED = -1;

/** One callback that waits for its deadline. */
class TimerEntry implements Timer {
  readonly deadline: Millis;
  /** Entries of one deadline run in the order in which they were scheduled. */
  readonly sequence: number;
  readonly callback: () => void;
  heapIndex = NOT_QUEUED;
  readonly #queue: TimerQueue;

  constructor(queue: TimerQueue, deadline: Millis, sequence: number, callback: () => void) {
    this.#queue = queue;
    this.deadline = deadline;
    this.sequence = sequence;
    this.callback = callback;
  }

  cancel(): void {
    this.#queue.remove(this);
  }
}

const runsBefore = (a: TimerEntry, b: TimerEntry): boolean =>
  a.deadline < b.deadline || (a.deadline === b.deadline && a.sequence < b.sequence);

/**
 * Any number of timers over one armed timer of the clock: a binary heap ordered by deadline on the monotonic clock.
 *
 * Nearly every timer of a broker is cancelled long before its deadline (a fetch that got its data), so scheduling and
 * cancelling cost a few comparisons and never touch the clock's own timer unless the earliest deadline moved forward.
 */
export class TimerQueue {
  readonly #clock: Clock;
  readonly #heap: TimerEntry[] = [];
  #nextSequence = 0;
  #armed: Timer | null = null;
  #armedDeadline = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Timers that still wait. */
  get size(): number {
    return this.#heap.length;
  }

  /** Calls back once when `delayMs` have passed, never synchronously. After `close` nothing is called back any more. */
  schedule(delayMs: Millis, callback: () => void): Timer {
    const deadline = this.#clock.monotonic() + Math.max(0, delayMs);
    const entry = new TimerEntry(this, deadline, this.#nextSequence++, callback);
    if (this.#isClosed) return entry;
    entry.heapIndex = this.#heap.length;
    this.#heap.push(entry);
    this.#siftUp(entry);
    this.#arm();
    return entry;
  }

  /** Takes an entry out; one that has run or was removed before is ignored. */
  remove(entry: TimerEntry): void {
    const index = entry.heapIndex;
    if (index === NOT_QUEUED) return;
    assert(this.#heap[index] === entry, 'a timer entry knows its place in the heap');
    entry.heapIndex = NOT_QUEUED;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, index);
    this.#siftUp(last);
    this.#siftDown(last);
  }

  /** Drops all timers. */
  close(): void {
    this.#isClosed = true;
    for (const entry of this.#heap) entry.heapIndex = NOT_QUEUED;
    this.#heap.length = 0;
    this.#disarm();
  }

  /** A timer that was armed for an entry cancelled since then is left alone: it fires, finds nothing due and arms anew. */
  #arm(): void {
    const head = this.#heap[0];
    if (head === undefined || head.deadline >= this.#armedDeadline) return;
    this.#disarm();
    this.#armedDeadline = head.deadline;
    this.#armed = this.#clock.schedule(Math.max(0, head.deadline - this.#clock.monotonic()), () => this.#fire());
  }

  #disarm(): void {
    this.#armed?.cancel();
    this.#armed = null;
    this.#armedDeadline = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#armed = null;
    this.#armedDeadline = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    try {
      for (let head = this.#heap[0]; head !== undefined && head.deadline <= now; head = this.#heap[0]) {
        this.remove(head);
        head.callback();
      }
    } finally {
      this.#arm();
    }
  }

  #place(entry: TimerEntry, index: number): void {
    this.#heap[index] = entry;
    entry.heapIndex = index;
  }

  #siftUp(entry: TimerEntry): void {
    let index = entry.heapIndex;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#heap[parentIndex];
      if (parent === undefined || runsBefore(parent, entry)) break;
      this.#place(parent, index);
      index = parentIndex;
    }
    this.#place(entry, index);
  }

  #siftDown(entry: TimerEntry): void {
    let index = entry.heapIndex;
    for (;;) {
      let child = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      if (child === undefined) break;
      if (right !== undefined && runsBefore(right, child)) child = right;
      if (runsBefore(entry, child)) break;
      const childIndex = child.heapIndex;
      this.#place(child, index);
      index = childIndex;
    }
    this.#place(entry, index);
  }
}
