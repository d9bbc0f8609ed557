import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { createTopic } from '../../src/client/admin-topics.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { audit, type AuditProgress } from './audit.ts';
import { checkDirectory } from './directory-check.ts';
import { Ledger } from './ledger.ts';
import { LoadProducer, type LoadTopic } from './load.ts';
import { movingClient } from './moving-client.ts';
import { MovingNetwork } from './moving-network.ts';
import { NodeProcess } from './node-process.ts';
import { between } from './sequenced-value.ts';
import { TopicChurn } from './topic-churn.ts';

export interface CrashOptions {
  readonly seed: number;
  readonly rounds: number;
  /** An empty place for data directories; what failed stays there. */
  readonly workspace: string;
  /** Rounds that one data directory goes through before the next one begins, with flush.messages=1 and without by turns. */
  readonly roundsADirectory: number;
  readonly isBuilt?: boolean;
  readonly report?: (line: string) => void;
}

export interface CrashRound {
  readonly flushes: boolean;
  readonly acknowledged: number;
  /** From the spawning of the process until Metadata tells all leaders. */
  readonly startMs: number;
  /** What the start cost of the processor; null where the system does not tell. */
  readonly startCpuMs: number | null;
  /** Whether the start before was killed as well. */
  readonly killedAtStart: boolean;
}

type Started = Pick<CrashRound, 'startMs' | 'startCpuMs'>;

export interface CrashReport {
  readonly rounds: CrashRound[];
  readonly acknowledged: number;
  readonly recordsRead: number;
  readonly topicChanges: number;
}

const FLUSHED: Readonly<Record<string, string>> = { 'log.flush.interval.messages': '1' };
const PROPERTIES: Readonly<Record<string, string>> = {
  'log.retention.check.interval.ms': '300',
  'log.initial.task.delay.ms': '100',
};
/** `kept` has Kafka's defaults, `rolled` many segments, and `short` loses its oldest ones. */
const TOPICS: readonly (LoadTopic & { readonly configs: Readonly<Record<string, string>> })[] = [
  { name: 'kept', partitions: 4, configs: {} },
  { name: 'rolled', partitions: 3, configs: { 'segment.bytes': '1048576' } },
  { name: 'short', partitions: 2, isShortened: true, configs: { 'segment.bytes': '1048576', 'retention.bytes': '4194304' } },
];
const TOPIC_NAMES = TOPICS.map(({ name }) => name);
const IDEMPOTENT_PRODUCERS = 3;
/** The load goes on for a time between these before the node is killed. */
const KILL_AFTER_MS = [20, 1_000] as const;
const KILL_AT_START_MS = [5, 300] as const;
/** Every so many rounds everything is read again, not only what is new. */
const FULL_AUDIT_EVERY = 8;

/** Kills a node under load again and again. Throws at the first promise that it breaks. */
export async function runCrashRounds(options: CrashOptions): Promise<CrashReport> {
  const random = new SimulatedRandom(options.seed);
  const report = { rounds: [] as CrashRound[], acknowledged: 0, recordsRead: 0, topicChanges: 0 };
  for (let start = 0; start < options.rounds; start += options.roundsADirectory) {
    const chapter = new Chapter(options, random.fork(), {
      directory: join(options.workspace, `rounds-${start}`),
      flushes: (start / options.roundsADirectory) % 2 === 0,
    });
    const rounds = Math.min(options.roundsADirectory, options.rounds - start);
    await chapter.run(rounds, report);
  }
  return report;
}

/** The life of one data directory. */
class Chapter {
  readonly #options: CrashOptions;
  readonly #random: SimulatedRandom;
  readonly #directory: string;
  readonly #flushes: boolean;
  readonly #network = new MovingNetwork();
  readonly #client: Client;
  readonly #ledger = new Ledger();
  readonly #producers: readonly LoadProducer[];
  readonly #churn: TopicChurn;
  readonly #progress: AuditProgress = new Map();
  #node: NodeProcess | null = null;

  constructor(
    options: CrashOptions,
    random: SimulatedRandom,
    chapter: { readonly directory: string; readonly flushes: boolean },
  ) {
    this.#options = options;
    this.#random = random;
    this.#directory = chapter.directory;
    this.#flushes = chapter.flushes;
    this.#client = movingClient(this.#network);
    this.#churn = new TopicChurn(this.#client, random.fork());
    this.#producers = Array.from({ length: IDEMPOTENT_PRODUCERS + 1 }, (_, index) => {
      const acks = index < IDEMPOTENT_PRODUCERS ? 'all' : 1;
      return new LoadProducer(this.#client, { index, acks, topics: TOPICS, random: random.fork(), ledger: this.#ledger });
    });
  }

  async run(rounds: number, report: { rounds: CrashRound[] } & Record<keyof Omit<CrashReport, 'rounds'>, number>): Promise<void> {
    mkdirSync(this.#directory, { recursive: true });
    try {
      await this.#start();
      for (const { name, partitions, configs } of TOPICS) await createTopic(this.#client, { name, partitions, configs });
      for (let round = 0; round < rounds; round++) {
        const acknowledgedBefore = this.#ledger.acknowledgedCount;
        const { killedAtStart, ...started } = await this.#round();
        const isFull = (round + 1) % FULL_AUDIT_EVERY === 0 || round === rounds - 1;
        const { records } = await this.#audit(isFull);
        const acknowledged = this.#ledger.acknowledgedCount - acknowledgedBefore;
        report.recordsRead += records;
        report.rounds.push({ flushes: this.#flushes, acknowledged, ...started, killedAtStart });
        this.#options.report?.(
          `round ${report.rounds.length}: ${this.#flushes ? 'flushing' : 'not flushing'}, ${acknowledged} acknowledged, ` +
            `${killedAtStart ? 'killed again at the start, ' : ''}leaders after ${started.startMs.toFixed(0)} ms (${started.startCpuMs} ms of CPU), ${records} records read`,
        );
      }
      report.acknowledged += this.#ledger.acknowledgedCount;
      report.topicChanges += this.#churn.answered;
      await this.#end();
    } catch (error) {
      const log = this.#node?.log.slice(-4000) ?? '';
      throw new Error(`seed ${this.#options.seed}, ${this.#directory}: ${String(error)}\n${log}`, { cause: error });
    } finally {
      this.#client.close();
      await this.#node?.kill();
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Load, death, life, and everybody has their answers. */
  async #round(): Promise<Started & { readonly killedAtStart: boolean }> {
    await Promise.all(this.#producers.map((producer) => producer.run()));
    this.#churn.run();
    await this.#killAfter(between(this.#random, ...KILL_AFTER_MS));
    const killedAtStart = this.#random.oneIn(4);
    if (killedAtStart) {
      this.#node = this.#spawn();
      await this.#killAfter(between(this.#random, ...KILL_AT_START_MS));
    }
    const started = await this.#start(TOPIC_NAMES);
    await this.#churn.pause();
    await Promise.all(this.#producers.map((producer) => producer.pause()));
    return { ...started, killedAtStart };
  }

  async #audit(isFull: boolean): Promise<{ readonly records: number }> {
    for (const { failure } of this.#producers) if (failure !== null) throw failure;
    await this.#churn.check();
    const idempotent = new Set(this.#producers.filter(({ isIdempotent }) => isIdempotent).map(({ index }) => index));
    const progress: AuditProgress = isFull ? new Map() : this.#progress;
    return audit({ client: this.#client, ledger: this.#ledger, topics: TOPICS, idempotent, progress });
  }

  /** Stops in order; the files are looked at, and a start finds them as they are. */
  async #end(): Promise<void> {
    for (const producer of this.#producers) await producer.close();
    await this.#node?.stop();
    this.#network.port = null;
    const facts = checkDirectory(this.#directory);
    this.#options.report?.(
      `${facts.partitions} partitions, ${facts.segments} segments, ${facts.batches} batches, ${facts.bytes} bytes are well`,
    );
    await this.#start(TOPIC_NAMES);
    await this.#audit(true);
    await this.#node?.stop();
  }

  #spawn(): NodeProcess {
    const properties = this.#flushes ? { ...PROPERTIES, ...FLUSHED } : PROPERTIES;
    return new NodeProcess({ directory: this.#directory, properties, isBuilt: this.#options.isBuilt ?? false });
  }

  /** Resolves when the leaders of the topics are known. */
  async #start(topics: readonly string[] = []): Promise<Started> {
    this.#node = this.#spawn();
    const startMs = await this.#node.leadersKnown(topics);
    const { cpuMs: startCpuMs } = this.#node;
    this.#network.port = this.#node.port;
    return { startMs, startCpuMs };
  }

  #killAfter(delayMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      setTimeout(() => {
        this.#network.port = null;
        (this.#node?.kill() ?? Promise.resolve()).then(resolve, reject);
      }, delayMs);
    });
  }
}
