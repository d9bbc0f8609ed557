import { type Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { Consumer } from '../../client/consumer.ts';
import type { IsolationLevel } from '../../client/list-offsets.ts';
import { keyOf } from '../../client/topic-partition.ts';
import { usageError } from '../cli-error.ts';
import { addClusterOptions, type ClusterOptions, withClient } from '../cluster-option.ts';
import { byteSize, duration, partitionList, wholeNumber } from '../option-values.ts';
import { FORMAT_HELP, parseFormat } from '../record-format.ts';
import { type Place, placeOf } from '../start-position.ts';
import type { Terminal } from '../terminal.ts';
import { plural } from '../wording.ts';
import { addGroupOptions, consumeAsMember, type MemberOptions, refuseMemberOptions } from './consume-group.ts';
import { endsOf, partitionsOf, startsOf } from './consume-places.ts';
import { ConsumeSession, type SessionOptions } from './consume-session.ts';

export interface ConsumeOptions extends ClusterOptions, SessionOptions, MemberOptions {
  readonly json?: boolean;
  readonly from?: Place;
  readonly fromBeginning?: boolean;
  readonly partitions?: readonly number[];
  readonly exit?: boolean;
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
  $ ottla consume orders --json --from 2026-11-30T08:00:00Z
  $ ottla consume orders --group billing --from-beginning`;

const FETCH_BYTES = 52_428_800;

export function define(command: Command, terminal: Terminal): void {
  addClusterOptions(command)
    .argument('[topic]', 'its name; with --group also several with commas between them')
    .addOption(
      new Option(
        '-o, --from <where>',
        'earliest (the default), latest, an offset, -N before the end, @MILLIS or a date; with --group earliest or latest (the default), for partitions of which nothing is committed',
      ).argParser(placeOf),
    )
    .option('--from-beginning', 'the same as --from earliest')
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
    .option('-q, --quiet', 'say nothing about the work');
  addGroupOptions(command)
    .addHelpText('after', FORMAT_HELP + '\n' + EXAMPLES)
    .action(async (topic: string | undefined, options: ConsumeOptions) => {
      if (options.json === true && options.format !== undefined) throw usageError('--json and --format exclude each other');
      if (options.from !== undefined && options.fromBeginning === true)
        throw usageError('--from and --from-beginning exclude each other');
      if (options.group !== undefined) return await consumeAsMember(terminal, topic, { ...options, group: options.group });
      refuseMemberOptions(options);
      if (topic === undefined) throw usageError('No topic is named', 'Write "ottla consume TOPIC".');
      return await withClient(options, (client) => run(client, terminal, topic, options));
    });
}

async function run(client: Client, terminal: Terminal, topic: string, options: ConsumeOptions): Promise<void> {
  const partitions = await partitionsOf(client, topic, options.partitions);
  const { isolation, from = { kind: 'earliest' } } = options;
  const starts = await startsOf(client, topic, partitions, { from, isolation });
  const ends = options.exit === true ? await endsOf(client, topic, partitions, isolation) : null;
  const consumer = new Consumer(client, {
    isolationLevel: isolation,
    autoOffsetReset: 'none',
    fetchMaxBytes: options.fetchMaxBytes,
    fetchMaxWaitMs: options.fetchMaxWait,
    fetchMinBytes: options.fetchMinBytes,
    checkCrcs: options.checkCrcs,
    ...(options.rack === undefined ? {} : { clientRack: options.rack }),
  });
  await consumer.assign(partitions.map((partition) => ({ topic, partition, start: starts.get(partition) ?? 'earliest' })));
  const session = new ConsumeSession(consumer, {
    clock: client.environment.clock,
    terminal,
    options,
    ends: ends === null ? null : new Map([...ends].map(([partition, end]) => [keyOf({ topic, partition }), end])),
    isAtEnd: () => ends !== null && [...ends].every(([partition, end]) => (consumer.position({ topic, partition }) ?? 0) >= end),
  });
  try {
    await session.run();
  } finally {
    await consumer.close();
  }
  if (terminal.isInteractive && options.quiet !== true) terminal.note(`${plural(session.count, 'record')} of ${topic}.`);
}
