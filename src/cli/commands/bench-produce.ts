import type { Client } from '../../client/client.ts';
import { Producer } from '../../client/producer.ts';
import { latencyJson, producedText, windowJson } from '../bench-report.ts';
import { EXIT_FAILED } from '../cli-error.ts';
import type { ClusterOptions } from '../cluster-option.ts';
import { interruption } from '../interruption.ts';
import { LatencyHistogram } from '../latency-histogram.ts';
import { Pacer } from '../pacer.ts';
import { benchContent } from '../bench-content.ts';
import { type ProduceTuning, producerOptions } from '../producer-options.ts';
import type { Terminal } from '../terminal.ts';

export interface BenchProduceOptions extends ClusterOptions, ProduceTuning {
  readonly records: number;
  readonly size: number;
  readonly rate?: number;
  readonly keys: number;
  readonly warmUp: number;
  readonly partition?: number;
  readonly content: 'random' | 'text';
  readonly reportEvery: number;
}

/** Different values, so that compression and page caches see something like real records. */
const VARIANTS = 256;

export async function benchProduce(
  client: Client,
  terminal: Terminal,
  topic: string,
  options: BenchProduceOptions,
): Promise<void> {
  const producer = new Producer(client, producerOptions(options));
  await producer.prepare(topic);
  const run = new ProduceRun(client, producer, { terminal, topic, options });
  if (options.warmUp > 0) {
    await run.send(options.warmUp);
    await producer.flush();
  }
  const start = run.begin();
  const sent = await run.send(options.records);
  await producer.close();
  const total = {
    records: run.delivered,
    bytes: run.delivered * options.size,
    seconds: (client.environment.clock.monotonic() - start) / 1000,
  };
  run.end();
  if (options.json === true)
    terminal.line(JSON.stringify({ ...windowJson(total), ...latencyJson(run.latency), failed: run.failed, topic }));
  else terminal.line(producedText(total, run.latency, true));
  if (run.firstError !== null) throw run.firstError;
  if (sent < options.records) terminal.exitCode = EXIT_FAILED;
}

interface RunContext {
  readonly terminal: Terminal;
  readonly topic: string;
  readonly options: BenchProduceOptions;
}

class ProduceRun {
  readonly #client: Client;
  readonly #producer: Producer;
  readonly #context: RunContext;
  readonly #values: readonly Buffer[];
  readonly #stop = interruption();
  readonly #window = new LatencyHistogram();
  readonly latency = new LatencyHistogram();
  #windowStart = 0;
  #cancelReports: () => void = () => undefined;
  delivered = 0;
  failed = 0;
  firstError: Error | null = null;

  constructor(client: Client, producer: Producer, context: RunContext) {
    this.#client = client;
    this.#producer = producer;
    this.#context = context;
    const { size, content } = context.options;
    this.#values = Array.from({ length: VARIANTS }, () => benchContent(client.environment.random, size, content));
  }

  begin(): number {
    this.latency.reset();
    this.#window.reset();
    this.delivered = 0;
    this.#windowStart = this.#client.environment.clock.monotonic();
    this.#reportLater();
    return this.#windowStart;
  }

  end(): void {
    this.#cancelReports();
  }

  /** Enqueues so many records, or fewer if interrupted or refused; gives their number. */
  async send(count: number): Promise<number> {
    const { topic, options } = this.#context;
    const { clock } = this.#client.environment;
    const pacer = new Pacer(clock, options.rate ?? null);
    const partition = options.partition ?? null;
    for (let index = 0; index < count; index++) {
      const value = this.#values[index % VARIANTS] as Buffer;
      const key = options.keys === 0 ? null : `key-${index % options.keys}`;
      const sentAt = clock.monotonic();
      const hasRoom = this.#producer.enqueue({ topic, key, value, partition }, (error) => this.#settled(error, sentAt));
      if (!hasRoom) await this.#producer.room();
      const pause = pacer.one();
      if (pause !== null) await pause;
      if (this.#stop.requested || this.firstError !== null) return index + 1;
    }
    return count;
  }

  #settled(error: Error | null, sentAt: number): void {
    if (error !== null) {
      this.failed++;
      this.firstError ??= error;
      return;
    }
    this.delivered++;
    const ms = this.#client.environment.clock.monotonic() - sentAt;
    this.latency.record(ms);
    this.#window.record(ms);
  }

  #reportLater(): void {
    const { terminal, options } = this.#context;
    const { clock } = this.#client.environment;
    const timer = clock.schedule(options.reportEvery, () => {
      const now = clock.monotonic();
      const records = this.#window.count;
      const window = { records, bytes: records * options.size, seconds: (now - this.#windowStart) / 1000 };
      // With --json the data is the one object at the end.
      const text = producedText(window, this.#window, false);
      if (options.json === true) terminal.progress(text);
      else terminal.line(text);
      this.#window.reset();
      this.#windowStart = now;
      this.#reportLater();
    });
    this.#cancelReports = () => timer.cancel();
  }
}
