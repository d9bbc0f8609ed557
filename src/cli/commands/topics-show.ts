import { describeConfigs, type ConfigEntry } from '../../client/admin-configs.ts';
import { describeTopics, type PartitionDescription, type TopicDescription } from '../../client/admin-topics.ts';
import type { Client } from '../../client/client.ts';
import { CliError } from '../cli-error.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import { tableLines } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { selectTopics } from '../topic-names.ts';
import { plural } from '../wording.ts';

export async function listTopicsCommand(
  terminal: Terminal,
  names: readonly string[],
  options: ClusterOptions & { readonly excludeInternal?: boolean },
): Promise<void> {
  const topics = await withClient(options, (client) => selectTopics(client, names, options));
  if (options.json === true) {
    const rows = topics.map(({ name, id, isInternal, partitions }) => ({
      name,
      topicId: id,
      internal: isInternal,
      partitions: partitions.length,
    }));
    terminal.line(JSON.stringify(rows));
  } else for (const topic of topics) terminal.line(topic.name);
}

interface DescribeOptions extends ClusterOptions {
  readonly topicId?: string;
  readonly excludeInternal?: boolean;
  readonly ifExists?: boolean;
  readonly allConfigs?: boolean;
  readonly topicsWithOverrides?: boolean;
  readonly underReplicatedPartitions?: boolean;
  readonly underMinIsrPartitions?: boolean;
  readonly atMinIsrPartitions?: boolean;
  readonly unavailablePartitions?: boolean;
  readonly format: 'table' | 'kafka' | 'json';
}

/** A topic with its settings and those of its partitions that are to be shown. */
interface ShownTopic {
  readonly topic: TopicDescription;
  readonly configs: readonly ConfigEntry[];
  readonly partitions: readonly PartitionDescription[];
}

export async function describeTopicsCommand(
  terminal: Terminal,
  names: readonly string[],
  options: DescribeOptions,
): Promise<void> {
  const shown = await withClient(options, (client) => collect(client, names, options));
  const format = options.json === true ? 'json' : options.format;
  const isFiltered = partitionTest(options) !== null;
  if (format === 'json') terminal.line(JSON.stringify(shown.map(jsonOf)));
  else if (format === 'kafka') {
    for (const one of shown)
      for (const line of kafkaLines(one, { heading: !isFiltered, partitions: options.topicsWithOverrides !== true }))
        terminal.line(line);
  } else if (isFiltered) printFiltered(terminal, shown);
  else printTopics(terminal, shown, options.topicsWithOverrides !== true);
}

async function collect(client: Client, names: readonly string[], options: DescribeOptions): Promise<ShownTopic[]> {
  const found = await selectTopics(client, options.topicId === undefined ? names : [], options);
  const selected = options.topicId === undefined ? found : found.filter((topic) => topic.id === options.topicId);
  if (selected.length === 0 && options.topicId !== undefined && options.ifExists !== true) {
    throw new CliError(`No topic has the id ${options.topicId}`, { remedy: 'See ids with "ottla topics list --json".' });
  }
  const topics = await describeTopics(
    client,
    selected.map((topic) => topic.name),
  );
  const configs = await describeConfigs(
    client,
    topics.map((topic) => ({ type: 'topic', name: topic.name })),
  );
  const test = partitionTest(options);
  const live = new Set(client.metadata.brokers.map((broker) => broker.id));
  return topics.flatMap((topic, index) => {
    const all = configs[index] ?? [];
    const overrides = all.filter((config) => options.allConfigs === true || config.source !== 'default');
    if (options.topicsWithOverrides === true && overrides.length === 0) return [];
    const minIsr = Number(all.find((config) => config.name === 'min.insync.replicas')?.value ?? 1);
    const partitions =
      test === null ? topic.partitions : topic.partitions.filter((partition) => test(partition, { minIsr, live }));
    return test !== null && partitions.length === 0 ? [] : [{ topic, configs: overrides, partitions }];
  });
}

type PartitionTest = (
  partition: PartitionDescription,
  facts: { readonly minIsr: number; readonly live: ReadonlySet<number> },
) => boolean;

/** The filter that was asked for; null shows every partition. */
export function partitionTest(options: Partial<DescribeOptions>): PartitionTest | null {
  if (options.underReplicatedPartitions === true) return ({ isr, replicas }) => isr.length < replicas.length;
  if (options.underMinIsrPartitions === true) return ({ isr }, { minIsr }) => isr.length < minIsr;
  if (options.atMinIsrPartitions === true) return ({ isr }, { minIsr }) => isr.length === minIsr;
  if (options.unavailablePartitions === true) return ({ leader }, { live }) => !live.has(leader);
  return null;
}

const ids = (list: readonly number[] | null): string => (list === null ? 'N/A' : list.join(','));

/** The lines kafka-topics prints. */
export function kafkaLines(shown: ShownTopic, options: { readonly heading: boolean; readonly partitions: boolean }): string[] {
  const { topic, configs, partitions } = shown;
  const settings = configs.map((config) => `${config.name}=${config.value ?? ''}`).join(',');
  const replication = topic.partitions[0]?.replicas.length ?? 0;
  const heading = [
    `Topic: ${topic.name}`,
    `TopicId: ${topic.id}`,
    `PartitionCount: ${topic.partitions.length}`,
    `ReplicationFactor: ${replication}`,
    `Configs: ${settings}`,
  ];
  const rows = partitions.map(
    (partition) =>
      `\tTopic: ${topic.name}\tPartition: ${partition.partition}\tLeader: ${partition.leader < 0 ? 'none' : partition.leader}\tReplicas: ${ids(partition.replicas)}` +
      `\tIsr: ${ids(partition.isr)}\tElr: ${ids(partition.eligibleLeaderReplicas)}\tLastKnownElr: ${ids(partition.lastKnownElr)}`,
  );
  return [...(options.heading ? [heading.join('\t')] : []), ...(options.partitions ? rows : [])];
}

const jsonOf = ({ topic, configs, partitions }: ShownTopic): unknown => ({
  name: topic.name,
  topicId: topic.id,
  internal: topic.isInternal,
  partitionCount: topic.partitions.length,
  replicationFactor: topic.partitions[0]?.replicas.length ?? 0,
  configs: Object.fromEntries(configs.map(({ name, value, source }) => [name, { value, source }])),
  partitions: partitions.map((partition) => ({
    partition: partition.partition,
    leader: partition.leader < 0 ? null : partition.leader,
    leaderEpoch: partition.leaderEpoch,
    replicas: partition.replicas,
    isr: partition.isr,
    offlineReplicas: partition.offlineReplicas,
    eligibleLeaderReplicas: partition.eligibleLeaderReplicas,
    lastKnownElr: partition.lastKnownElr,
  })),
});

const PARTITION_COLUMNS = [
  { title: 'PARTITION', align: 'right' },
  { title: 'LEADER', align: 'right' },
  { title: 'EPOCH', align: 'right' },
  { title: 'REPLICAS' },
  { title: 'IN SYNC' },
  { title: 'ELIGIBLE' },
] as const;

/** One row; what needs attention is coloured. */
function cellsOf(terminal: Terminal, partition: PartitionDescription): string[] {
  const inSync = ids(partition.isr);
  return [
    String(partition.partition),
    partition.leader < 0 ? terminal.style('red', 'none') : String(partition.leader),
    partition.leaderEpoch < 0 ? '-' : String(partition.leaderEpoch),
    ids(partition.replicas),
    partition.isr.length < partition.replicas.length ? terminal.style('yellow', inSync === '' ? '-' : inSync) : inSync,
    partition.eligibleLeaderReplicas === null || partition.eligibleLeaderReplicas.length === 0
      ? '-'
      : ids(partition.eligibleLeaderReplicas),
  ];
}

function printTopics(terminal: Terminal, shown: readonly ShownTopic[], withPartitions: boolean): void {
  for (const [index, { topic, configs, partitions }] of shown.entries()) {
    if (index > 0) terminal.line('');
    const replication = topic.partitions[0]?.replicas.length ?? 0;
    const facts = `${plural(topic.partitions.length, 'partition')}, replication factor ${replication}, id ${topic.id}`;
    terminal.line(`${terminal.style('bold', topic.name)}  ${facts}`);
    for (const { name, value, source } of configs) {
      terminal.line(`  ${name} = ${value ?? '(hidden)'}${source === 'topic' ? '' : terminal.style('dim', ` (${source})`)}`);
    }
    if (!withPartitions) continue;
    const rows = partitions.map((partition) => cellsOf(terminal, partition));
    for (const line of tableLines(PARTITION_COLUMNS, rows, (title) => terminal.style('dim', title))) terminal.line(`  ${line}`);
  }
}

function printFiltered(terminal: Terminal, shown: readonly ShownTopic[]): void {
  if (shown.length === 0) {
    terminal.note('No partition is in that state.');
    return;
  }
  const rows = shown.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => [topic.name, ...cellsOf(terminal, partition)]),
  );
  for (const line of tableLines([{ title: 'TOPIC' }, ...PARTITION_COLUMNS], rows, (title) => terminal.style('dim', title)))
    terminal.line(line);
}
