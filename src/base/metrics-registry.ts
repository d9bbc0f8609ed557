import type { Counter, Histogram, Metrics } from './metrics.ts';

/** How many of the latest values a histogram keeps for its percentiles. */
const RESERVOIR_SIZE = 1024;

class RegisteredCounter implements Counter {
  value = 0;
  add(count: number): void {
    this.value += count;
  }
}

/** Count, sum and extremes of all values, percentiles of the latest ones. */
export class RegisteredHistogram implements Histogram {
  count = 0;
  sum = 0;
  max = 0;
  #latest: Float64Array | null = null;

  record(value: number): void {
    // Most histograms of a node are never used: the room for values is made by the first one.
    this.#latest ??= new Float64Array(RESERVOIR_SIZE);
    this.#latest[this.count % RESERVOIR_SIZE] = value;
    this.count++;
    this.sum += value;
    if (value > this.max) this.max = value;
  }

  /** `share` is between 0 and 1; 0 when nothing was recorded. */
  percentile(share: number): number {
    if (this.#latest === null) return 0;
    const values = this.#latest.slice(0, Math.min(this.count, RESERVOIR_SIZE)).sort();
    return values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0;
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.sum / this.count;
  }
}

/** All numbers of one node. A name always gives the same instrument. */
export class MetricsRegistry implements Metrics {
  readonly counters = new Map<string, Counter>();
  readonly gauges = new Map<string, () => number>();
  readonly histograms = new Map<string, RegisteredHistogram>();

  counter(name: string): Counter {
    let counter = this.counters.get(name);
    if (counter === undefined) this.counters.set(name, (counter = new RegisteredCounter()));
    return counter;
  }

  removeCounter(name: string): void {
    this.counters.delete(name);
  }

  gauge(name: string, read: () => number): void {
    this.gauges.set(name, read);
  }

  histogram(name: string): RegisteredHistogram {
    let histogram = this.histograms.get(name);
    if (histogram === undefined) this.histograms.set(name, (histogram = new RegisteredHistogram()));
    return histogram;
  }
}
