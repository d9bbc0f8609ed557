import type { Client } from '../../client/client.ts';
import { Consumer } from '../../client/consumer.ts';
import { Producer } from '../../client/producer.ts';
import { benchContent } from '../bench-content.ts';
import { latencyJson, latencyText } from '../bench-report.ts';
import { CliError } from '../cli-error.ts';
import type { ClusterOptions } from '../cluster-option.ts';
import { interruption } from '../interruption.ts';
import { LatencyHistogram } from '../latency-histogram.ts';
import type { Terminal } from '../terminal.ts';

export interface BenchLatencyOptions extends ClusterOptions {
  readonly records: number;
  readonly size: number;
  readonly acks: 'all' | '1' | '0';
  readonly warmUp: number;
}

/** A record that does not come back within this time is lost. */
const ARRIVAL_MS = 60_000;
const LINE_EVERY = 1000;

export async function benchLatency(
  client: Client,
  terminal: Terminal,
  topic: string,
  options: BenchLatencyOptions,
): Promise<void> {
  const producer = new Producer(client, { acks: options.acks === 'all' ? 'all' : options.acks === '1' ? 1 : 0, lingerMs: 0 });
  const facts = await producer.prepare(topic);
  const consumer = new Consumer(client, { autoOffsetReset: 'latest' });
  await consumer.assign(facts.partitions.map(({ partition }) => ({ topic, partition, start: 'latest' })));
  const trip = new RoundTrip(client, producer, consumer, { topic, size: options.size });
  const latency = new LatencyHistogram();
  const stop = interruption();
  for (let index = -options.warmUp; index < options.records && !stop.requested; index++) {
    const ms = await trip.once();
    if (index < 0) continue;
    latency.record(ms);
    if (index % LINE_EVERY !== 0) continue;
    if (options.json === true) terminal.progress(`${index}\t${ms}`);
    else terminal.line(`${index}\t${ms.toFixed(6)}`);
  }
  await producer.close();
  await consumer.close();
  if (options.json === true) terminal.line(JSON.stringify({ records: latency.count, ...latencyJson(latency), topic }));
  else {
    terminal.line(`Avg latency: ${latency.average.toFixed(4)} ms`);
    const percentiles = [
      ['50th', 0.5],
      ['99th', 0.99],
      ['99.9th', 0.999],
    ] as const;
    terminal.line(
      `Percentiles: ${percentiles.map(([name, share]) => `${name} = ${latencyText(latency.percentile(share))}`).join(', ')}`,
    );
  }
}

/** Sends a record and waits until it comes back. */
class RoundTrip {
  readonly #client: Client;
  readonly #producer: Producer;
  readonly #consumer: Consumer;
  readonly #record: { readonly topic: string; readonly size: number };

  constructor(client: Client, producer: Producer, consumer: Consumer, record: { readonly topic: string; readonly size: number }) {
    this.#client = client;
    this.#producer = producer;
    this.#consumer = consumer;
    this.#record = record;
  }

  /** Milliseconds until the record was there. */
  async once(): Promise<number> {
    const { clock, random } = this.#client.environment;
    const { topic, size } = this.#record;
    const value = benchContent(random, size, 'random');
    const start = clock.monotonic();
    await this.#producer.send({ topic, value });
    for (;;) {
      const chunks = await this.#consumer.poll(ARRIVAL_MS);
      const elapsed = clock.monotonic() - start;
      for (const chunk of chunks)
        for (const record of chunk.records()) if (record.value !== null && value.equals(record.value)) return elapsed;
      if (elapsed >= ARRIVAL_MS) throw new CliError(`A record did not come back within ${ARRIVAL_MS} ms`);
    }
  }
}
