import type { Clock, Millis, Timer } from '../../src/base/clock.ts';
import { systemClock } from '../../src/platform/system-clock.ts';

interface Armed {
  readonly dueAt: Millis;
  readonly callback: () => void;
  timer: Timer;
}

/**
 * The clock of a node whose time hardly passes by itself, so that a busy computer does not make it late, and passes at once when a test says so. What is due
 * at once happens at once.
 */
export class SteeredClock implements Clock {
  readonly #slowness: number;
  readonly #armed = new Set<Armed>();
  #passedMs: Millis = 0;

  constructor(slowness = 20) {
    this.#slowness = slowness;
  }

  now(): Millis {
    return Math.floor(systemClock.now() + this.#passedMs);
  }

  monotonic(): Millis {
    return systemClock.monotonic() / this.#slowness + this.#passedMs;
  }

  schedule(delayMs: Millis, callback: () => void): Timer {
    const armed: Armed = { dueAt: this.monotonic() + delayMs, callback, timer: { cancel: () => undefined } };
    this.#armed.add(armed);
    this.#arm(armed);
    return {
      cancel: () => {
        armed.timer.cancel();
        this.#armed.delete(armed);
      },
    };
  }

  defer(callback: () => void): void {
    systemClock.defer(callback);
  }

  /** Lets time pass. Resolves when what is due has happened. */
  async pass(durationMs: Millis): Promise<void> {
    // In the order in which it is due: what happens may ask for more to happen.
    const end = this.monotonic() + durationMs;
    for (;;) {
      const next = [...this.#armed].filter(({ dueAt }) => dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];
      if (next === undefined) break;
      this.#passedMs += Math.max(0, next.dueAt - this.monotonic());
      this.#run(next);
      for (let turns = 0; turns < TURNS; turns++) await new Promise<void>((resolve) => systemClock.defer(resolve));
    }
    this.#passedMs += Math.max(0, end - this.monotonic());
    for (const armed of this.#armed) {
      armed.timer.cancel();
      this.#arm(armed);
    }
  }

  #arm(armed: Armed): void {
    const realMs = Math.max(0, armed.dueAt - this.monotonic()) * this.#slowness;
    armed.timer = systemClock.schedule(realMs, () => this.#run(armed));
  }

  #run(armed: Armed): void {
    armed.timer.cancel();
    if (this.#armed.delete(armed)) armed.callback();
  }
}

/** Enough for what one event leads to: records are gathered, written and committed. */
const TURNS = 4;
