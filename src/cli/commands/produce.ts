import { type Command, Option } from 'commander';
import type { Clock, Millis } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { Producer } from '../../client/producer.ts';
import type { Delivery } from '../../client/producer-record.ts';
import { nodeDisk } from '../../platform/node-disk.ts';
import { EXIT_DONE, EXIT_FAILED } from '../cli-error.ts';
import { addClusterOptions, type ClusterOptions, withClient } from '../cluster-option.ts';
import { escapes } from '../escapes.ts';
import { fileChunks, linesOf } from '../line-source.ts';
import { type HeaderOption, header, repeated, wholeNumber } from '../option-values.ts';
import { addProduceTuning, type ProduceTuning, producerOptions } from '../producer-options.ts';
import { type InputRecord, recordOfJson, recordOfLine } from '../record-input.ts';
import type { Terminal } from '../terminal.ts';
import { Pacer } from '../pacer.ts';
import { plural, wholeText } from '../wording.ts';

interface ProduceOptions extends ClusterOptions, ProduceTuning {
  readonly file?: readonly string[];
  readonly input: 'lines' | 'json' | 'raw';
  readonly key?: string;
  readonly keySeparator?: string;
  readonly delimiter: string;
  readonly nullMarker?: string;
  readonly header?: readonly HeaderOption[];
  readonly partition?: number;
  readonly timestamp?: number;
  readonly max?: number;
  readonly rate?: number;
  readonly quiet?: boolean;
}

const EXAMPLES = `
Examples:
  $ echo 'hello' | ottla produce orders
  $ echo 'k1:v1' | ottla produce orders --key-separator :
  $ ottla produce orders --file events.jsonl --input json --compression zstd
  $ ottla consume orders --json --exit | ottla produce copy --input json`;

export function define(command: Command, terminal: Terminal): void {
  addClusterOptions(command)
    .argument('<topic>', 'made at first use where the cluster allows that')
    .option('-f, --file <path>', 'read this instead of standard input; may be repeated', repeated)
    .addOption(
      new Option('-i, --input <form>', 'lines: a record a line; json: an object a line; raw: all of it is one record')
        .choices(['lines', 'json', 'raw'])
        .default('lines'),
    )
    .option('-k, --key <text>', 'the key of every record')
    .option('-K, --key-separator <text>', 'what stands between key and value in a line (\\t and the like are understood)')
    .addOption(new Option('-D, --delimiter <text>', 'what ends a line').default('\\n', '\\n'))
    .option('-Z, --null-marker <text>', 'a value (or key) of just this text is none: a tombstone')
    .option('-H, --header <name=value>', 'a header of every record; may be repeated', header)
    .option('-p, --partition <number>', 'send everything to this partition', wholeNumber(0, 2 ** 31 - 1))
    .option('--timestamp <ms>', 'the time of every record', wholeNumber(0))
    .option('-c, --max <number>', 'stop after so many records', wholeNumber(1))
    .option('--rate <number>', 'records a second at most', wholeNumber(1))
    .option('-q, --quiet', 'say nothing about the work');
  addProduceTuning(command, { lingerMs: 5, batchSize: 16_384 })
    .addHelpText('after', EXAMPLES)
    .action((topic: string, options: ProduceOptions) => withClient(options, (client) => run(client, terminal, topic, options)));
}

const PROGRESS_EVERY_MS = 500;

/** A line that a person can watch while much is sent. */
class ProduceProgress {
  readonly #clock: Clock;
  readonly #terminal: Terminal;
  readonly #startedAt: Millis;
  #shownAt: Millis;

  constructor(clock: Clock, terminal: Terminal) {
    this.#clock = clock;
    this.#terminal = terminal;
    this.#startedAt = clock.monotonic();
    this.#shownAt = this.#startedAt;
  }

  show(delivered: number): void {
    const now = this.#clock.monotonic();
    if (now - this.#shownAt < PROGRESS_EVERY_MS) return;
    this.#shownAt = now;
    const rate = wholeText((delivered * 1000) / (now - this.#startedAt));
    this.#terminal.progress(`${plural(delivered, 'record')} delivered, ${rate} a second`);
  }
}

/** What became of the records. */
interface Tally {
  delivered: number;
  failed: number;
  firstError: Error | null;
  readonly partitions: Set<number>;
}

async function run(client: Client, terminal: Terminal, topic: string, options: ProduceOptions): Promise<void> {
  const producer = new Producer(client, producerOptions(options));
  await producer.prepare(topic);
  if (terminal.isTyped && options.file === undefined && options.quiet !== true) {
    terminal.note(terminal.styleNote('dim', `Type a record a line for ${topic}; Ctrl-D ends.`));
  }
  const tally: Tally = { delivered: 0, failed: 0, firstError: null, partitions: new Set() };
  const callback = (error: Error | null, delivery: Delivery | null): void => {
    if (delivery === null) {
      tally.failed++;
      tally.firstError ??= error;
      return;
    }
    tally.delivered++;
    tally.partitions.add(delivery.partition);
    if (options.json === true) terminal.line(JSON.stringify(delivery));
  };
  const pacer = new Pacer(client.environment.clock, options.rate ?? null);
  const progress = terminal.isTyped || options.quiet === true ? null : new ProduceProgress(client.environment.clock, terminal);
  try {
    for await (const record of inputRecords(options, terminal)) {
      const hasRoom = producer.enqueue({ ...recordOf(record, options), topic }, callback);
      if (!hasRoom) await producer.room();
      await pacer.one();
      progress?.show(tally.delivered);
      if (tally.firstError !== null) break;
    }
  } catch (error) {
    // What was read before a line that is no record is delivered all the same.
    tally.firstError ??= error instanceof Error ? error : new Error(String(error));
  }
  await producer.close();
  if (tally.firstError !== null) {
    if (tally.delivered > 0) terminal.note(`${plural(tally.delivered, 'record')} of ${topic} delivered before the failure.`);
    if (tally.failed > 1) terminal.note(`${plural(tally.failed, 'record')} not delivered.`);
    throw tally.firstError;
  }
  if (options.json !== true && options.quiet !== true && terminal.isInteractive) {
    terminal.note(`${plural(tally.delivered, 'record')} to ${topic}${partitionsText(tally.partitions)}.`);
  }
  terminal.exitCode = tally.failed > 0 ? EXIT_FAILED : EXIT_DONE;
}

const partitionsText = (partitions: ReadonlySet<number>): string => {
  const sorted = [...partitions].sort((a, b) => a - b);
  if (sorted.length === 0) return '';
  return sorted.length > 8
    ? `, ${sorted.length} partitions`
    : `, partition${sorted.length === 1 ? '' : 's'} ${sorted.join(', ')}`;
};

/** What the command line says about every record, and the input about this one. */
function recordOf(record: InputRecord, options: ProduceOptions): InputRecord {
  const headers = [...(options.header ?? []), ...(record.headers ?? [])];
  return {
    value: record.value,
    key: record.key ?? options.key ?? null,
    ...(headers.length === 0 ? {} : { headers }),
    ...(options.partition === undefined ? {} : { partition: options.partition }),
    ...(record.partition === undefined ? {} : { partition: record.partition }),
    ...(options.timestamp === undefined ? {} : { timestamp: options.timestamp }),
    ...(record.timestamp === undefined ? {} : { timestamp: record.timestamp }),
  };
}

async function* inputRecords(options: ProduceOptions, terminal: Terminal): AsyncGenerator<InputRecord, void> {
  let left = options.max ?? Infinity;
  const format = {
    keySeparator: options.keySeparator === undefined ? null : escapes(options.keySeparator),
    nullMarker: options.nullMarker === undefined ? null : Buffer.from(options.nullMarker),
  };
  for await (const chunks of inputs(options.file, terminal)) {
    if (options.input === 'raw') {
      yield { value: await wholeOf(chunks) };
      continue;
    }
    let lineNumber = 0;
    for await (const lines of linesOf(chunks, escapes(options.delimiter))) {
      for (const line of lines) {
        lineNumber++;
        if (options.input === 'json' && line.length === 0) continue;
        yield options.input === 'json' ? recordOfJson(line, lineNumber) : recordOfLine(line, format, lineNumber);
        if (--left <= 0) return;
      }
    }
  }
}

async function* inputs(
  files: readonly string[] | undefined,
  { input }: Terminal,
): AsyncGenerator<AsyncIterable<Uint8Array>, void> {
  if (files === undefined) yield input;
  else for (const file of files) yield file === '-' ? input : fileChunks(nodeDisk, file);
}

async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return Buffer.concat(pieces);
}
