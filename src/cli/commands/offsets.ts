import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { type IsolationLevel, listOffsets, type OffsetQuery, offsetSpecs } from '../../client/list-offsets.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { CliError, usageError } from '../cli-error.ts';
import { addClusterOptions, type ClusterOptions, withClient } from '../cluster-option.ts';
import { partitionList } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { matchesSpec, parseTopicPartitions } from '../topic-partitions.ts';
import { selectTopics } from '../topic-names.ts';

interface OffsetsOptions extends ClusterOptions {
  readonly time: number;
  readonly partitions?: readonly number[];
  readonly topicPartitions?: string;
  readonly excludeInternal?: boolean;
  readonly isolation: IsolationLevel;
}

const TIME_HELP = `
Times:
  latest                   one past the last record (the default)
  earliest                 the first record
  max-timestamp            the record with the largest timestamp
  earliest-local           the first record on the brokers' own disks
  latest-tiered            the last record in tiered storage
  earliest-pending-upload  the first record not yet in tiered storage
  MILLIS or a date         the first record of that time or later`;

export function define(command: Command, terminal: Terminal): void {
  addClusterOptions(command)
    .argument('[topics...]', 'names or regular expressions; all topics if none is given')
    .addOption(
      new Option('-t, --time <time>', 'which offset (see below)').argParser(timeOf).default(offsetSpecs.latest, 'latest'),
    )
    .option('-p, --partitions <list>', 'only these: 0 or 0,2,5-8', partitionList)
    .option(
      '--topic-partitions <list>',
      'patterns of topics with partitions, as kafka-get-offsets takes them (0-2 is 0 and 1): orders:0-2,audit.*:0,:5-',
    )
    .option('--exclude-internal', 'leave out the topics the cluster keeps for itself')
    .addOption(
      new Option('--isolation <level>', 'read_committed: latest is the last stable offset')
        .choices(['read_uncommitted', 'read_committed'])
        .default('read_uncommitted'),
    )
    .addHelpText('after', TIME_HELP)
    .action((topics: string[], options: OffsetsOptions) => {
      if (options.topicPartitions !== undefined && (topics.length > 0 || options.partitions !== undefined)) {
        throw usageError('--topic-partitions excludes topics and --partitions');
      }
      return withClient(options, (client) => run(client, terminal, topics, options));
    });
}

/** A named offset, milliseconds, or a date. */
export function timeOf(text: string): number {
  const spec = Object.entries(offsetSpecs).find(([name]) => name === text.toLowerCase());
  if (spec !== undefined) return spec[1];
  if (/^-?\d+$/.test(text) && Number(text) >= -6) return Number(text);
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(date))
    throw new InvalidArgumentError(`It must be ${Object.keys(offsetSpecs).join(', ')}, milliseconds or a date.`);
  return date;
}

async function run(client: Client, terminal: Terminal, topics: readonly string[], options: OffsetsOptions): Promise<void> {
  const queries = await queriesOf(client, topics, options);
  if (queries.length === 0) {
    throw new CliError('No partition matches', { remedy: 'See what exists with "ottla topics describe".' });
  }
  const answers = await listOffsets(client, queries, options.isolation);
  const failed = answers.find((answer) => answer.error !== 'NONE');
  if (options.json === true) {
    const rows = answers.map(({ topic, partition, offset, offsetTimestamp, error }) => ({
      topic,
      partition,
      offset: offset < 0 ? null : offset,
      ...(offsetTimestamp < 0 ? {} : { timestamp: offsetTimestamp }),
      ...(error === 'NONE' ? {} : { error }),
    }));
    terminal.line(JSON.stringify(rows));
  } else {
    for (const { topic, partition, offset, error } of answers)
      if (error === 'NONE' && offset >= 0) terminal.line(`${topic}:${partition}:${offset}`);
  }
  if (failed !== undefined) {
    throw new KafkaError(failed.error, `${failed.topic}-${failed.partition}: ${new KafkaError(failed.error).message}`);
  }
}

async function queriesOf(client: Client, names: readonly string[], options: OffsetsOptions): Promise<OffsetQuery[]> {
  const specs = options.topicPartitions === undefined ? null : parseTopicPartitions(options.topicPartitions);
  const topics = await selectTopics(client, names, { excludeInternal: options.excludeInternal });
  const wanted = options.partitions === undefined ? null : new Set(options.partitions);
  const queries = topics.flatMap(({ name: topic, partitions }) =>
    partitions
      .filter(({ partition }) => wanted?.has(partition) ?? true)
      .filter(({ partition }) => specs?.some((spec) => matchesSpec(spec, topic, partition)) ?? true)
      .map(({ partition }) => ({ topic, partition, timestamp: options.time })),
  );
  for (const topic of new Set(queries.map((query) => query.topic))) await client.loadTopic(topic);
  return queries;
}
