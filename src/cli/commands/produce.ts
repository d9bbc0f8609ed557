import { type Command, Option } from 'commander';
import type { Clock, Millis } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { Producer } from '../../client/producer.ts';
import type { Delivery } from '../../client/producer-record.ts';
import { nodeDisk } from '../../platform/node-disk.ts';
import { CliError, EXIT_DONE, EXIT_FAILED } from '../cli-error.ts';
import { addClusterOptions, type ClusterOptions, withClient } from '../cluster-option.ts';
import { escapes } from '../escapes.ts';
import { fileChunks, linesOf } from '../line-source.ts';
import { type HeaderOption, header, repeated, wholeNumber } from '../option-values.ts';
import { InputTransactions } from '../input-transactions.ts';
import { type Interruption, interruption, untilInterrupted } from '../interruption.ts';
import {
  addProduceTuning,
  addTransactionTuning,
  type ProduceTuning,
  producerOptions,
  type TransactionTuning,
} from '../producer-options.ts';
import { type InputRecord, recordOfJson, recordOfLine } from '../record-input.ts';
import type { Terminal } from '../terminal.ts';
import { Pacer } from '../pacer.ts';
import { plural, wholeText } from '../wording.ts';

interface ProduceOptions extends ClusterOptions, ProduceTuning, TransactionTuning {
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
  $ ottla consume orders --json --exit | ottla produce copy --input json
  $ ottla produce orders --transactional loader-1 --file events.txt    all of it, or nothing
  $ tail -f log | ottla produce orders --transactional loader-1 --transaction-duration 1s

A transaction is aborted when something fails, and by Ctrl-C. One that a killed
process left behind is aborted by the next with its id, or by its time-out.
Readers leave it out with "ottla consume --isolation read_committed".`;

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
  addTransactionTuning(addProduceTuning(command, { lingerMs: 5, batchSize: 16_384 }), { whole: 'all of the input is one' })
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
  /** Of transactions. */
  committed: number;
  failed: number;
  firstError: Error | null;
  readonly partitions: Set<number>;
}

async function run(client: Client, terminal: Terminal, topic: string, options: ProduceOptions): Promise<void> {
  const settings = producerOptions(options);
  const producer = new Producer(client, settings);
  const isTransactional = (settings.transactionalId ?? null) !== null;
  await producer.prepare(topic);
  if (terminal.isTyped && options.file === undefined && options.quiet !== true) {
    const ends = isTransactional ? 'Ctrl-D commits, Ctrl-C aborts' : 'Ctrl-D ends';
    terminal.note(terminal.styleNote('dim', `Type a record a line for ${topic}; ${ends}.`));
  }
  const tally: Tally = { delivered: 0, committed: 0, failed: 0, firstError: null, partitions: new Set() };
  const transactions = isTransactional ? transactionsOf(producer, { client, terminal, options, tally }) : null;
  const stop = transactions === null ? null : interruption();
  const failure = new AbortController();
  try {
    await transactions?.init();
    await sendAll({ client, producer, terminal, topic, options, tally, transactions, stop, failure });
    if (stop?.requested === true) throw new CliError('Interrupted');
    if (tally.firstError === null) await transactions?.commit();
  } catch (error) {
    // What was read before a line that is no record is delivered all the same, but in transactions.
    tally.firstError ??= error instanceof Error ? error : new Error(String(error));
  }
  if (transactions !== null && tally.firstError !== null) await abort(transactions, terminal);
  await producer.close();
  terminal.endInput();
  tell(terminal, topic, options, { tally, isTransactional });
}

interface Sending {
  readonly client: Client;
  readonly producer: Producer;
  readonly terminal: Terminal;
  readonly topic: string;
  readonly options: ProduceOptions;
  readonly tally: Tally;
  readonly transactions: InputTransactions | null;
  readonly stop: Interruption | null;
  /** Aborted when a record is not delivered: who waits for input that may never come is told at once. */
  readonly failure: AbortController;
}

/** Sends until the input or the patience ends, or something fails. */
async function sendAll(sending: Sending): Promise<void> {
  const { client, producer, terminal, topic, options, tally, transactions, stop, failure } = sending;
  const callback = (error: Error | null, delivery: Delivery | null): void => {
    if (delivery === null) {
      tally.failed++;
      tally.firstError ??= error;
      failure.abort();
      return;
    }
    tally.delivered++;
    tally.partitions.add(delivery.partition);
    if (options.json === true) terminal.line(JSON.stringify(delivery));
  };
  const pacer = new Pacer(client.environment.clock, options.rate ?? null);
  const progress = terminal.isTyped || options.quiet === true ? null : new ProduceProgress(client.environment.clock, terminal);
  const ending = whenEither(stop, failure);
  for await (const record of inputRecords(options, terminal, ending)) {
    // What was read of it may be a part.
    if (ending.aborted) return;
    if (transactions !== null) await transactions.beforeRecord();
    const hasRoom = producer.enqueue({ ...recordOf(record, options), topic }, callback);
    if (transactions !== null) await transactions.afterRecord();
    if (!hasRoom) await producer.room();
    await pacer.one();
    progress?.show(tally.delivered);
  }
}

const whenEither = (stop: Interruption | null, { signal }: AbortController): AbortSignal =>
  stop === null ? signal : AbortSignal.any([stop.signal, signal]);

function transactionsOf(
  producer: Producer,
  { client, terminal, options, tally }: Pick<Sending, 'client' | 'terminal' | 'options' | 'tally'>,
): InputTransactions {
  const limits = { records: options.transactionSize ?? Infinity, durationMs: options.transactionDuration ?? Infinity };
  return new InputTransactions(producer, client.environment.clock, limits, (records) => {
    tally.committed += records;
    if (options.json === true) terminal.line(JSON.stringify({ transaction: 'committed', records }));
  });
}

/** Tells how much of what was sent readers of committed records will not see. */
async function abort(transactions: InputTransactions, terminal: Terminal): Promise<void> {
  const { openRecords } = transactions;
  if (openRecords === 0) return;
  try {
    await transactions.abort();
    terminal.note(`${plural(openRecords, 'record')} aborted with the transaction.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.note(`The transaction of ${plural(openRecords, 'record')} was left to its coordinator: ${reason}`);
  }
}

function tell(
  terminal: Terminal,
  topic: string,
  options: ProduceOptions,
  { tally, isTransactional }: { readonly tally: Tally; readonly isTransactional: boolean },
): void {
  const arrived = isTransactional ? tally.committed : tally.delivered;
  const what = isTransactional ? 'committed' : 'delivered';
  if (tally.firstError !== null) {
    if (arrived > 0) terminal.note(`${plural(arrived, 'record')} of ${topic} ${what} before the failure.`);
    if (tally.failed > 1) terminal.note(`${plural(tally.failed, 'record')} not delivered.`);
    throw tally.firstError;
  }
  if (options.json !== true && options.quiet !== true && terminal.isInteractive) {
    terminal.note(`${plural(arrived, 'record')} to ${topic}${partitionsText(tally.partitions)}.`);
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

async function* inputRecords(options: ProduceOptions, terminal: Terminal, stop: AbortSignal): AsyncGenerator<InputRecord, void> {
  let left = options.max ?? Infinity;
  const format = {
    keySeparator: options.keySeparator === undefined ? null : escapes(options.keySeparator),
    nullMarker: options.nullMarker === undefined ? null : Buffer.from(options.nullMarker),
  };
  for await (const input of inputs(options.file, terminal)) {
    const chunks = untilInterrupted(input, stop);
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
