import type { Client } from '../../client/client.ts';
import { Producer } from '../../client/producer.ts';
import { latencyJson, producedText, windowJson } from '../bench-report.ts';
import { EXIT_FAILED } from '../cli-error.ts';
import type { ClusterOptions } from '../cluster-option.ts';
import { interruption } from '../interruption.ts';
import { LatencyHistogram } from '../latency-histogram.ts';
import { Pacer } from '../pacer.ts';
import { benchContent } from '../bench-content.ts';
import { InputTransactions, type TransactionLimits } from '../input-transactions.ts';
import { type ProduceTuning, producerOptions, type TransactionTuning } from '../producer-options.ts';
import type { Terminal } from '../terminal.ts';
import { plural, wholeText } from '../wording.ts';

export interface BenchProduceOptions extends ClusterOptions, ProduceTuning, TransactionTuning {
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
  const settings = producerOptions(options);
  const producer = new Producer(client, settings);
  const isTransactional = (settings.transactionalId ?? null) !== null;
  let committed = 0;
  const transactions = isTransactional
    ? new InputTransactions(producer, client.environment.clock, limitsOf(options), () => void committed++)
    : null;
  await producer.prepare(topic);
  await transactions?.init();
  const run = new ProduceRun(client, producer, { terminal, topic, options, transactions });
  if (options.warmUp > 0) {
    await run.send(options.warmUp);
    await producer.flush();
  }
  const start = run.begin();
  committed = 0;
  const sent = await run.send(options.records);
  if (run.firstError === null) await transactions?.commit();
  else await transactions?.abort().catch(() => undefined);
  await producer.close();
  const total = {
    records: run.delivered,
    bytes: run.delivered * options.size,
    seconds: (client.environment.clock.monotonic() - start) / 1000,
  };
  run.end();
  if (options.json === true)
    terminal.line(
      JSON.stringify({
        ...windowJson(total),
        ...latencyJson(run.latency),
        failed: run.failed,
        topic,
        ...(isTransactional ? { transactions: committed, transactionsPerSecond: committed / total.seconds } : {}),
      }),
    );
  else {
    terminal.line(producedText(total, run.latency, true));
    if (isTransactional)
      terminal.line(`${plural(committed, 'transaction')}, ${wholeText(committed / total.seconds)} transactions/sec`);
  }
  if (run.firstError !== null) throw run.firstError;
  if (sent < options.records) terminal.exitCode = EXIT_FAILED;
}

/** As kafka-producer-perf-test: three seconds, if nothing is said. */
const DEFAULT_DURATION_MS = 3000;

const limitsOf = ({ transactionSize, transactionDuration }: TransactionTuning): TransactionLimits => ({
  records: transactionSize ?? Infinity,
  durationMs: transactionDuration ?? (transactionSize === undefined ? DEFAULT_DURATION_MS : Infinity),
});

interface RunContext {
  readonly transactions: InputTransactions | null;
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
    const { topic, options, transactions } = this.#context;
    const { clock } = this.#client.environment;
    const pacer = new Pacer(clock, options.rate ?? null);
    const partition = options.partition ?? null;
    for (let index = 0; index < count; index++) {
      const value = this.#values[index % VARIANTS] as Buffer;
      const key = options.keys === 0 ? null : `key-${index % options.keys}`;
      const sentAt = clock.monotonic();
      const beginning = transactions?.beforeRecord() ?? null;
      if (beginning !== null) await beginning;
      const hasRoom = this.#producer.enqueue({ topic, key, value, partition }, (error) => this.#settled(error, sentAt));
      const ending = transactions?.afterRecord() ?? null;
      if (ending !== null) await ending;
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
