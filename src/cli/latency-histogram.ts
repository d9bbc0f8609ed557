const MICROS_IN_MILLI = 1000;
/** Values below 2^PRECISION_BITS microseconds are kept exactly, larger ones to one part in 2^(PRECISION_BITS − 1). */
const PRECISION_BITS = 8;
const EXACT = 2 ** PRECISION_BITS;
const HALF = EXACT / 2;

/** Latencies of millions of records in a few kilobytes; in milliseconds, kept to the microsecond where that matters. */
export class LatencyHistogram {
  readonly #counts: number[] = [];
  #count = 0;
  #sum = 0;
  #max = 0;

  record(ms: number): void {
    const micros = Math.max(0, Math.round(ms * MICROS_IN_MILLI));
    const index = indexOf(micros);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count++;
    this.#sum += ms;
    if (ms > this.#max) this.#max = ms;
  }

  get count(): number {
    return this.#count;
  }

  get max(): number {
    return this.#max;
  }

  get average(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  /** The latency that this share (0 to 1) of the records did not exceed. */
  percentile(share: number): number {
    let left = Math.max(1, Math.ceil(this.#count * share));
    for (const [index, count] of this.#counts.entries()) {
      left -= count ?? 0;
      if (left <= 0) return Math.min(this.#max, upperBound(index) / MICROS_IN_MILLI);
    }
    return this.#max;
  }

  reset(): void {
    this.#counts.length = 0;
    this.#count = 0;
    this.#sum = 0;
    this.#max = 0;
  }
}

function indexOf(micros: number): number {
  if (micros < EXACT) return micros;
  const shift = Math.floor(Math.log2(micros)) - (PRECISION_BITS - 1);
  return shift * HALF + Math.floor(micros / 2 ** shift);
}

/** The largest value that has this index. */
function upperBound(index: number): number {
  if (index < EXACT) return index;
  const shift = Math.floor(index / HALF) - 1;
  return (index - shift * HALF + 1) * 2 ** shift - 1;
}
