import { type Command, Option } from 'commander';
import { addClusterOptions, withClient } from '../cluster-option.ts';
import { byteSize, duration, wholeNumber } from '../option-values.ts';
import { addProduceTuning, addTransactionTuning } from '../producer-options.ts';
import type { Terminal } from '../terminal.ts';
import { benchConsume, type BenchConsumeOptions } from './bench-consume.ts';
import { benchLatency, type BenchLatencyOptions } from './bench-latency.ts';
import { benchProduce, type BenchProduceOptions } from './bench-produce.ts';

const RECORDS = 1_000_000;
const LATENCY_RECORDS = 10_000;
const REPORT_MS = 5000;

export function define(command: Command, terminal: Terminal): void {
  command.helpCommand(false);
  defineProduce(command, terminal);
  defineConsume(command, terminal);
  defineLatency(command, terminal);
}

const recordSize = (): Option => new Option('-s, --size <bytes>', 'bytes of a value').argParser(byteSize).default(100);
const reportEvery = (): Option =>
  new Option('--report-every <time>', 'time between lines').argParser(duration).default(REPORT_MS, '5s');

function defineProduce(command: Command, terminal: Terminal): void {
  const produce = addClusterOptions(
    command
      .command('produce')
      .summary('how fast records are taken')
      .description('Sends records as fast as they are taken and prints rates and latencies.'),
  )
    .argument('<topic>', 'made if it does not exist and the cluster allows that')
    .addOption(new Option('-n, --records <number>', 'records to send').argParser(wholeNumber(1)).default(RECORDS))
    .addOption(recordSize())
    .option('--rate <number>', 'records a second at most', wholeNumber(1))
    .addOption(new Option('--keys <number>', 'use so many different keys; 0 for none').argParser(wholeNumber(0)).default(0))
    .addOption(new Option('--warm-up <number>', 'records to send before measuring').argParser(wholeNumber(0)).default(0))
    .option('-p, --partition <number>', 'send everything to this partition', wholeNumber(0))
    .addOption(
      new Option('--content <kind>', 'random: compresses badly; text: compresses well')
        .choices(['random', 'text'])
        .default('random'),
    )
    .addOption(reportEvery());
  const tuned = addProduceTuning(produce, { lingerMs: 5, batchSize: 131_072 });
  addTransactionTuning(tuned, { whole: 'one after the other of 3 s' }).action((topic: string, options: BenchProduceOptions) =>
    withClient(options, (client) => benchProduce(client, terminal, topic, options)),
  );
}

function defineConsume(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('consume')
      .summary('how fast records are read')
      .description('Reads a topic from its start as fast as it comes and prints rates.'),
  )
    .argument('<topic>')
    .option('-n, --records <number>', 'records to read (default: all there are)', wholeNumber(1))
    .addOption(new Option('--fetch-max-bytes <bytes>', 'largest answer to ask for').argParser(byteSize).default(52_428_800))
    .addOption(
      new Option('--max-partition-fetch-bytes <bytes>', 'most of one partition in an answer')
        .argParser(byteSize)
        .default(1_048_576),
    )
    .addOption(
      new Option('--idle-exit <time>', 'give up when nothing came for so long').argParser(duration).default(10_000, '10s'),
    )
    .option('--no-check-crcs', 'do not check the checksums of batches')
    .addOption(reportEvery())
    .action((topic: string, options: BenchConsumeOptions) =>
      withClient(options, (client) => benchConsume(client, terminal, topic, options)),
    );
}

function defineLatency(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('latency')
      .summary('how long a record takes from producer to consumer')
      .description('Sends one record at a time and measures until a consumer has it.'),
  )
    .argument('<topic>', 'made if it does not exist and the cluster allows that')
    .addOption(new Option('-n, --records <number>', 'records to send').argParser(wholeNumber(1)).default(LATENCY_RECORDS))
    .addOption(recordSize())
    .addOption(new Option('-a, --acks <who>', 'who must have a record').choices(['all', '1', '0']).default('all'))
    .addOption(new Option('--warm-up <number>', 'records to send before measuring').argParser(wholeNumber(0)).default(0))
    .action((topic: string, options: BenchLatencyOptions) =>
      withClient(options, (client) => benchLatency(client, terminal, topic, options)),
    );
}
