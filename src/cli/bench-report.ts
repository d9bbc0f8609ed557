import type { LatencyHistogram } from './latency-histogram.ts';
import { mebibytes } from './wording.ts';

const PERCENTILES = [
  ['50th', 0.5],
  ['95th', 0.95],
  ['99th', 0.99],
  ['99.9th', 0.999],
] as const;

/** `29 ms`, but `0.42 ms` where whole milliseconds would hide everything. */
export const latencyText = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`;

const rates = (records: number, bytes: number, seconds: number): string =>
  `${(records / seconds).toFixed(1)} records/sec (${(mebibytes(bytes) / seconds).toFixed(2)} MB/sec)`;

export interface Window {
  readonly records: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** A line in the form of kafka-producer-perf-test, for a part of the run or with percentiles for all of it. */
export function producedText({ records, bytes, seconds }: Window, latency: LatencyHistogram, withPercentiles: boolean): string {
  const averages = `${latency.average.toFixed(2)} ms avg latency, ${latency.max.toFixed(2)} ms max latency`;
  const percentiles = PERCENTILES.map(([name, share]) => `${latencyText(latency.percentile(share))} ${name}`);
  const parts = [`${records} records sent`, rates(records, bytes, seconds), averages, ...(withPercentiles ? percentiles : [])];
  return `${parts.join(', ')}.`;
}

export const consumedText = ({ records, bytes, seconds }: Window): string =>
  `${records} records consumed, ${rates(records, bytes, seconds)}, ${seconds.toFixed(3)} s.`;

/** The same facts for programs. */
export const windowJson = ({ records, bytes, seconds }: Window): Record<string, number> => ({
  records,
  bytes,
  seconds,
  recordsPerSecond: records / seconds,
  mebibytesPerSecond: mebibytes(bytes) / seconds,
});

export const latencyJson = (latency: LatencyHistogram): Record<string, number> => ({
  averageMs: latency.average,
  maxMs: latency.max,
  ...Object.fromEntries(PERCENTILES.map(([name, share]) => [`p${name.replace('th', '')}Ms`, latency.percentile(share)])),
});
