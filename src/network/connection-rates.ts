import type { Millis } from '../base/clock.ts';
import { SampledRate, type SampledRateOptions } from '../base/sampled-rate.ts';

/** How many connections may come in a second. The numbers can change while a node runs. */
export interface ConnectionRateSettings {
  /** max.connection.creation.rate: of all listeners together. */
  readonly perSecond: number;
  /** listener.name.{name}.max.connection.creation.rate by listener, where there is one. */
  readonly perSecondOfListener: ReadonlyMap<string, number>;
  /** The listener between brokers is held back by its own rate only. */
  readonly interBrokerListener: string | null;
}

/** Counts connections as they come, and says how long the next ones of their listener have to wait. */
export class ConnectionRates {
  settings: ConnectionRateSettings;
  readonly #sampling: SampledRateOptions;
  readonly #all: SampledRate;
  readonly #byListener = new Map<string, SampledRate>();

  constructor(settings: ConnectionRateSettings, sampling: SampledRateOptions) {
    this.settings = settings;
    this.#sampling = sampling;
    this.#all = new SampledRate(sampling);
  }

  /** One connection of a listener has come; it, and whoever comes after it, waits for so long. */
  record(listener: string, now: Millis): Millis {
    const { perSecond, perSecondOfListener, interBrokerListener } = this.settings;
    const ofAll = listener === interBrokerListener ? 0 : this.#take(this.#all, perSecond, now);
    const own = perSecondOfListener.get(listener);
    if (own === undefined) return ofAll;
    let rate = this.#byListener.get(listener);
    if (rate === undefined) this.#byListener.set(listener, (rate = new SampledRate(this.#sampling)));
    return Math.max(ofAll, this.#take(rate, own, now));
  }

  /** Long enough for the rate to fall to what is allowed, but no longer than a sample. */
  #take(rate: SampledRate, allowed: number, now: Millis): Millis {
    rate.record(1, now);
    const excess = rate.perSecond(now) - allowed;
    return excess <= 0 ? 0 : Math.min(this.#sampling.sampleMs, Math.round((excess / allowed) * rate.windowMs(now)));
  }
}
