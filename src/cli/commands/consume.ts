import { type Command, Option } from 'commander';
import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { Consumer, type StartPosition } from '../../client/consumer.ts';
import type { FetchedChunk } from '../../client/fetched-chunk.ts';
import { type IsolationLevel, listOffsets, offsetSpecs } from '../../client/list-offsets.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { CliError, usageError } from '../cli-error.ts';
import { addClusterOptions, type ClusterOptions, withClient } from '../cluster-option.ts';
import { interruption } from '../interruption.ts';
import { byteSize, duration, partitionList, wholeNumber } from '../option-values.ts';
import { FORMAT_HELP, parseFormat, printJson, printValue, type RecordPrinter } from '../record-format.ts';
import { type Place, placeOf } from '../start-position.ts';
import type { Terminal } from '../terminal.ts';
import { plural } from '../wording.ts';

interface ConsumeOptions extends ClusterOptions {
  readonly from: Place;
  readonly partitions?: readonly number[];
  readonly format?: RecordPrinter;
  readonly max?: number;
  readonly exit?: boolean;
  readonly idleExit?: number;
  readonly isolation: IsolationLevel;
  readonly fetchMaxBytes: number;
  readonly fetchMaxWait: number;
  readonly fetchMinBytes: number;
  readonly rack?: string;
  readonly checkCrcs: boolean;
  readonly quiet?: boolean;
}

const EXAMPLES = `
Examples:
  $ ottla consume orders                          everything, then what comes
  $ ottla consume orders --from latest            only what comes
  $ ottla consume orders --from -10 --exit        the last ten of each partition
  $ ottla consume orders --format '%p/%o %k=%s\\n'
  $ ottla consume orders --json --from 2026-11-30T08:00:00Z`;

const POLL_MS = 250;
const FETCH_BYTES = 52_428_800;
const WRITE_BYTES = 64 * 1024;

export function define(command: Command, terminal: Terminal): void {
  addClusterOptions(command)
    .argument('<topic>')
    .addOption(
      new Option('-o, --from <where>', 'earliest, latest, an offset, -N before the end, @MILLIS or a date')
        .argParser(placeOf)
        .default({ kind: 'earliest' }, 'earliest'),
    )
    .option('-p, --partitions <list>', 'only these: 0 or 0,2,5-8', partitionList)
    .option('-f, --format <format>', 'how to print a record (see below)', parseFormat)
    .option('-c, --max <number>', 'stop after so many records', wholeNumber(1))
    .option('-e, --exit', 'stop at the end as it is now, instead of waiting for more')
    .option('--idle-exit <time>', 'stop when nothing came for so long', duration)
    .addOption(
      new Option('--isolation <level>', 'read_committed leaves out what was not committed')
        .choices(['read_uncommitted', 'read_committed'])
        .default('read_uncommitted'),
    )
    .addOption(new Option('--fetch-max-bytes <bytes>', 'largest answer to ask for').argParser(byteSize).default(FETCH_BYTES))
    .addOption(
      new Option('--fetch-max-wait <time>', 'how long a broker may wait for records').argParser(duration).default(500, '500ms'),
    )
    .addOption(new Option('--fetch-min-bytes <bytes>', 'what a broker waits for').argParser(byteSize).default(1))
    .option('--rack <name>', 'read from a replica in this rack where there is one')
    .option('--no-check-crcs', 'do not check the checksums of batches')
    .option('-q, --quiet', 'say nothing about the work')
    .addHelpText('after', FORMAT_HELP + '\n' + EXAMPLES)
    .action((topic: string, options: ConsumeOptions) => {
      if (options.json === true && options.format !== undefined) throw usageError('--json and --format exclude each other');
      return withClient(options, (client) => run(client, terminal, topic, options));
    });
}

async function run(client: Client, terminal: Terminal, topic: string, options: ConsumeOptions): Promise<void> {
  const partitions = await partitionsOf(client, topic, options.partitions);
  const starts = await startsOf(client, topic, partitions, options);
  const ends = options.exit === true ? await endsOf(client, topic, partitions, options.isolation) : null;
  const consumer = new Consumer(client, {
    isolationLevel: options.isolation,
    autoOffsetReset: 'none',
    fetchMaxBytes: options.fetchMaxBytes,
    fetchMaxWaitMs: options.fetchMaxWait,
    fetchMinBytes: options.fetchMinBytes,
    checkCrcs: options.checkCrcs,
    ...(options.rack === undefined ? {} : { clientRack: options.rack }),
  });
  await consumer.assign(partitions.map((partition) => ({ topic, partition, start: starts.get(partition) ?? 'earliest' })));
  const session = new ConsumeSession(consumer, client.environment.clock, { terminal, topic, options, ends });
  try {
    await session.run();
  } finally {
    await consumer.close();
  }
  if (terminal.isInteractive && options.quiet !== true) terminal.note(`${plural(session.count, 'record')} of ${topic}.`);
}

interface SessionContext {
  readonly terminal: Terminal;
  readonly topic: string;
  readonly options: ConsumeOptions;
  /** Where each partition ends, if reading ends there. */
  readonly ends: ReadonlyMap<number, number> | null;
}

/** The loop from the first record to whatever ends it. */
class ConsumeSession {
  readonly #consumer: Consumer;
  readonly #clock: Clock;
  readonly #terminal: Terminal;
  readonly #topic: string;
  readonly #options: ConsumeOptions;
  readonly #ends: ReadonlyMap<number, number> | null;
  readonly #print: RecordPrinter;
  count = 0;

  constructor(consumer: Consumer, clock: Clock, { terminal, topic, options, ends }: SessionContext) {
    this.#consumer = consumer;
    this.#clock = clock;
    this.#terminal = terminal;
    this.#topic = topic;
    this.#options = options;
    this.#ends = ends;
    this.#print = options.json === true ? printJson : (options.format ?? printValue);
  }

  async run(): Promise<void> {
    const stop = interruption();
    let lastArrival = this.#clock.monotonic();
    while (!stop.requested && !this.#isAtEnd()) {
      const chunks = await this.#consumer.poll(POLL_MS);
      if (chunks.length > 0) lastArrival = this.#clock.monotonic();
      for (const chunk of chunks) if (await this.#write(chunk)) return;
      if (this.#options.idleExit !== undefined && this.#clock.monotonic() - lastArrival >= this.#options.idleExit) return;
    }
  }

  /** Gives true when enough was printed. */
  async #write(chunk: FetchedChunk): Promise<boolean> {
    const end = this.#ends?.get(chunk.partition) ?? Infinity;
    let isEnough = false;
    let pieces: Uint8Array[] = [];
    let size = 0;
    for (const record of chunk.records()) {
      if (record.offset >= end) break;
      const piece = this.#print(record);
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      pieces.push(bytes);
      size += bytes.length;
      this.count++;
      isEnough = this.count === this.#options.max;
      if (isEnough) break;
      if (size < WRITE_BYTES) continue;
      await this.#flush(pieces, size);
      pieces = [];
      size = 0;
    }
    await this.#flush(pieces, size);
    return isEnough;
  }

  /** One write for many records: a system call each would be most of the work. */
  async #flush(pieces: readonly Uint8Array[], size: number): Promise<void> {
    if (size > 0) this.#terminal.data(Buffer.concat(pieces, size));
    await this.#terminal.ready();
  }

  #isAtEnd(): boolean {
    if (this.#ends === null) return false;
    for (const [partition, end] of this.#ends) {
      if ((this.#consumer.position({ topic: this.#topic, partition }) ?? 0) < end) return false;
    }
    return true;
  }
}

async function partitionsOf(client: Client, topic: string, wanted: readonly number[] | undefined): Promise<number[]> {
  const facts = await client.loadTopic(topic);
  const all = facts.partitions.map((partition) => partition.partition);
  const missing = wanted?.find((partition) => !all.includes(partition));
  if (missing !== undefined) {
    throw new CliError(`Topic "${topic}" has no partition ${missing}`, {
      remedy: `It has ${plural(all.length, 'partition')}, 0 to ${all.length - 1}.`,
    });
  }
  return wanted === undefined ? all : [...wanted];
}

async function startsOf(
  client: Client,
  topic: string,
  partitions: readonly number[],
  { from, isolation }: ConsumeOptions,
): Promise<Map<number, StartPosition>> {
  switch (from.kind) {
    case 'earliest':
    case 'latest':
      return new Map(partitions.map((partition) => [partition, from.kind]));
    case 'offset':
      return new Map(partitions.map((partition) => [partition, from.offset]));
    case 'time':
      return new Map(partitions.map((partition) => [partition, { timestamp: from.timestamp }]));
    case 'before-end': {
      const [ends, firsts] = await Promise.all([
        endsOf(client, topic, partitions, isolation),
        boundaries(client, topic, partitions, { isolation, spec: offsetSpecs.earliest }),
      ]);
      return new Map(
        partitions.map((partition) => [partition, Math.max(firsts.get(partition) ?? 0, (ends.get(partition) ?? 0) - from.count)]),
      );
    }
    default:
      return unreachable(from);
  }
}

const endsOf = (
  client: Client,
  topic: string,
  partitions: readonly number[],
  isolation: IsolationLevel,
): Promise<Map<number, number>> => boundaries(client, topic, partitions, { isolation, spec: offsetSpecs.latest });

async function boundaries(
  client: Client,
  topic: string,
  partitions: readonly number[],
  { isolation, spec }: { readonly isolation: IsolationLevel; readonly spec: number },
): Promise<Map<number, number>> {
  const answers = await listOffsets(
    client,
    partitions.map((partition) => ({ topic, partition, timestamp: spec })),
    isolation,
  );
  for (const { error, partition } of answers) {
    if (error !== 'NONE') throw new KafkaError(error, `${topic}-${partition}: ${new KafkaError(error).message}`);
  }
  return new Map(answers.map(({ partition, offset }) => [partition, offset]));
}
