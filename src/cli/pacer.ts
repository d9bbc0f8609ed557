import type { Clock, Millis } from '../base/clock.ts';

/** After so many records without a pause the event loop gets its turn, so that answers are read and Ctrl-C is heard. */
const RECORDS_A_TURN = 1000;
/** Being early by less than this is not worth a timer. */
const PAUSE_MIN_MS: Millis = 2;

/** Keeps a loop over records to a rate, and lets everything else run in between. */
export class Pacer {
  readonly #clock: Clock;
  readonly #perSecond: number | null;
  readonly #startedAt: Millis;
  #count = 0;

  /** `perSecond` null: as fast as it goes. */
  constructor(clock: Clock, perSecond: number | null) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#startedAt = clock.monotonic();
  }

  /** To be awaited after each record; null when there is nothing to wait for. */
  one(): Promise<void> | null {
    this.#count++;
    if (this.#perSecond !== null) {
      const early = this.#startedAt + (this.#count * 1000) / this.#perSecond - this.#clock.monotonic();
      if (early >= PAUSE_MIN_MS) return new Promise((resolve) => this.#clock.schedule(early, resolve));
    }
    return this.#count % RECORDS_A_TURN === 0 ? new Promise((resolve) => this.#clock.defer(resolve)) : null;
  }
}
