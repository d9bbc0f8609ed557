import type { Clock, Millis, Timer } from '../base/clock.ts';

/** Node refuses longer delays than this; longer ones are waited for in pieces. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

class SystemTimer implements Timer {
  readonly #dueAt: Millis;
  readonly #callback: () => void;
  #handle: NodeJS.Timeout | null = null;

  constructor(delayMs: Millis, callback: () => void) {
    this.#dueAt = performance.now() + Math.max(0, delayMs);
    this.#callback = callback;
    this.#wait(delayMs);
  }

  cancel(): void {
    if (this.#handle !== null) clearTimeout(this.#handle);
    this.#handle = null;
  }

  #wait(delayMs: Millis): void {
    this.#handle = setTimeout(this.#fired, Math.min(Math.max(0, delayMs), LONGEST_DELAY_MS));
  }

  /** libuv counts whole milliseconds, so a timer may come up to one early, and a very long one comes in pieces. */
  readonly #fired = (): void => {
    const left = this.#dueAt - performance.now();
    if (left > 0) {
      this.#wait(Math.ceil(left));
      return;
    }
    this.#handle = null;
    this.#callback();
  };
}

/** The computer's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (delayMs, callback) => new SystemTimer(delayMs, callback),
  defer: (callback) => void setImmediate(callback),
};
