import type { Millis } from './clock.ts';

const MILLIS_PER_SECOND = 1000;

export interface SampledRateOptions {
  /** How many samples count, the one under way among them. */
  readonly samples: number;
  readonly sampleMs: Millis;
}

interface Sample {
  readonly startedAt: Millis;
  lastAt: Millis;
  count: number;
}

/**
 * How much comes in a second, measured over the last samples, as Kafka's quotas measure it. A rate that has just begun is taken over the time of all samples but one,
 * so that a burst at the start is no violation.
 */
export class SampledRate {
  readonly #options: SampledRateOptions;
  /** The oldest first. One more than count is kept: it may reach into the time that does. */
  #samples: Sample[] = [];

  constructor(options: SampledRateOptions) {
    this.#options = options;
  }

  record(count: number, now: Millis): void {
    const { samples, sampleMs } = this.#options;
    let current = this.#samples.at(-1);
    if (current === undefined || now - current.startedAt >= sampleMs) {
      current = { startedAt: now, lastAt: now, count: 0 };
      this.#samples.push(current);
      if (this.#samples.length > samples + 1) this.#samples.shift();
    }
    current.lastAt = now;
    current.count += count;
  }

  perSecond(now: Millis): number {
    const total = this.#live(now).reduce((sum, { count }) => sum + count, 0);
    return (total * MILLIS_PER_SECOND) / this.windowMs(now);
  }

  /** The time that the rate is measured over. */
  windowMs(now: Millis): Millis {
    const { samples, sampleMs } = this.#options;
    const elapsed = now - (this.#live(now)[0]?.startedAt ?? now);
    const missing = Math.max(0, samples - 1 - Math.floor(elapsed / sampleMs));
    return Math.max(1, elapsed + missing * sampleMs);
  }

  #live(now: Millis): readonly Sample[] {
    const { samples, sampleMs } = this.#options;
    this.#samples = this.#samples.filter(({ lastAt }) => now - lastAt < samples * sampleMs);
    return this.#samples;
  }
}
