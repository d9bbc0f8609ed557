import type { Clock, Millis } from '../base/clock.ts';

/** A pause that can be cut short. A call that comes while nobody pauses ends the next pause at once. */
export class WakeUp {
  readonly #clock: Clock;
  #end: (() => void) | null = null;
  #isCalled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after so many milliseconds, or when called. Infinity: only when called. One pause at a time. */
  pause(ms: Millis): Promise<void> {
    if (this.#isCalled) {
      this.#isCalled = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = ms === Infinity ? null : this.#clock.schedule(Math.max(0, ms), () => this.#end?.());
      this.#end = () => {
        this.#end = null;
        timer?.cancel();
        resolve();
      };
    });
  }

  call(): void {
    if (this.#end === null) this.#isCalled = true;
    else this.#end();
  }
}
