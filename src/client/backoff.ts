import type { Millis } from '../base/clock.ts';
import type { Random } from '../base/random.ts';

const JITTER_PER_MILLE = 200;

/** Pauses that double from `firstMs` to `maxMs`, each up to 20 % longer or shorter so that clients do not come back together. */
export class Backoff {
  readonly #random: Random;
  readonly #firstMs: Millis;
  readonly #maxMs: Millis;
  #attempts = 0;

  constructor(random: Random, firstMs: Millis, maxMs: Millis) {
    this.#random = random;
    this.#firstMs = firstMs;
    this.#maxMs = Math.max(firstMs, maxMs);
  }

  get attempts(): number {
    return this.#attempts;
  }

  /** The pause before the next attempt. */
  next(): Millis {
    const pause = Math.min(this.#maxMs, this.#firstMs * 2 ** Math.min(this.#attempts, 30));
    this.#attempts++;
    const perMille = 1000 - JITTER_PER_MILLE + this.#random.integer(2 * JITTER_PER_MILLE + 1);
    return (pause * perMille) / 1000;
  }

  reset(): void {
    this.#attempts = 0;
  }
}
