import type { Clock, Millis, Timer } from '../src/base/clock.ts';
import { Scheduler } from './scheduler.ts';

/** 2026-01-01T00:00:00Z: where simulated wall clocks start. */
export const SIMULATED_EPOCH_MS: Millis = 1_767_225_600_000;

/**
 * The clock of one simulated node. Alone it is a clock that a test moves by hand: `advance` runs what falls due.
 */
export class SimulatedClock implements Clock {
  readonly scheduler: Scheduler;
  #wallOffsetMs: Millis;
  #isStopped = false;

  constructor(scheduler = new Scheduler(), startMs: Millis = SIMULATED_EPOCH_MS) {
    this.scheduler = scheduler;
    this.#wallOffsetMs = startMs;
  }

  now(): Millis {
    return Math.floor(this.scheduler.time) + this.#wallOffsetMs;
  }

  monotonic(): Millis {
    return this.scheduler.time;
  }

  schedule(delayMs: Millis, callback: () => void): Timer {
    return this.scheduler.after(delayMs, () => {
      if (!this.#isStopped) callback();
    });
  }

  defer(callback: () => void): void {
    this.schedule(0, callback);
  }

  advance(durationMs: Millis): void {
    this.scheduler.advance(durationMs);
  }

  /** The wall clock jumps, as when somebody sets it; durations go on as before. */
  jump(byMs: Millis): void {
    this.#wallOffsetMs += byMs;
  }

  /** The node is dead: nothing that it asked for happens any more. */
  stop(): void {
    this.#isStopped = true;
  }
}
