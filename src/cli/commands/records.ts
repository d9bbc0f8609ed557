import { type Command, InvalidArgumentError, Option } from 'commander';
import { deleteRecords } from '../../client/admin-records.ts';
import type { Client } from '../../client/client.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { addClusterOptions, type ClusterOptions, withClient } from '../cluster-option.ts';
import { partitionList } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

interface DeleteOptions extends ClusterOptions {
  readonly before: number;
  readonly partitions?: readonly number[];
}

/** What the broker takes for "all that can be read now". */
const HIGH_WATERMARK = -1;

export function define(command: Command, terminal: Terminal): void {
  command.helpCommand(false);
  addClusterOptions(
    command
      .command('delete')
      .summary('delete the oldest records')
      .description('Deletes the records before an offset; the log then starts there.'),
  )
    .argument('<topic>', 'whose records go')
    .addOption(
      new Option('--before <offset>', 'the first offset to keep; latest: keep nothing').argParser(beforeOf).makeOptionMandatory(),
    )
    .option('-p, --partitions <list>', 'only of these: 0 or 0,2,5-8 (default: all)', partitionList)
    .action((topic: string, options: DeleteOptions) => withClient(options, (client) => run(client, terminal, topic, options)));
}

function beforeOf(text: string): number {
  if (text === 'latest') return HIGH_WATERMARK;
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be an offset or latest.');
  return Number(text);
}

async function run(client: Client, terminal: Terminal, topic: string, options: DeleteOptions): Promise<void> {
  const facts = await client.loadTopic(topic);
  const partitions = options.partitions ?? facts.partitions.map(({ partition }) => partition);
  const deleted = await deleteRecords(
    client,
    partitions.map((partition) => ({ topic, partition, beforeOffset: options.before })),
  );
  if (options.json === true) {
    const rows = deleted.map(({ partition, lowWatermark, error }) => ({
      topic,
      partition,
      ...(error === null ? { lowWatermark } : { error: error.errorName }),
    }));
    terminal.line(JSON.stringify(rows));
  } else {
    for (const { partition, lowWatermark, error } of deleted) {
      if (error === null) terminal.line(`${topic}:${partition}:${lowWatermark}`);
    }
  }
  for (const { partition, error } of deleted) {
    if (error !== null) throw new KafkaError(error.errorName, `${topic}-${partition}: ${error.message}`);
  }
}
