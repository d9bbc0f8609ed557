import type { Client } from '../../client/client.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import { type Finding, findingsOf, stuckFindings } from '../groups/group-findings.ts';
import { type GroupSelection, selectedGroups } from '../groups/group-selection.ts';
import { describeAll, type GroupPartition, type GroupSnapshot, lagOf, takeSnapshots } from '../groups/group-snapshot.ts';
import { announceState, printMembers, printOffsets, printState } from '../groups/group-tables.ts';
import { inKafkaWords } from '../groups/kafka-words.ts';
import { tableLines } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** What is shown of a group. */
export type GroupView = 'offsets' | 'members' | 'state' | 'positions';

export interface DescribeOptions extends ClusterOptions, GroupSelection {
  readonly verbose?: boolean;
  /** Look twice, so long apart. */
  readonly sample?: number;
}

/** Shows groups as kafka-consumer-groups does, and after that what keeps them from going on. */
export async function describeGroupsCommand(
  terminal: Terminal,
  named: readonly string[],
  options: DescribeOptions,
  view: GroupView,
): Promise<void> {
  const isVerbose = options.verbose === true;
  await withClient(options, (client) =>
    inKafkaWords(terminal, options, async () => {
      const ids = await selectedGroups(client, named, options);
      const before = options.sample === undefined ? null : await sampleBefore(client, terminal, ids, options.sample);
      if (options.json === true) await printJson(client, terminal, ids, before);
      else if (view === 'members' || view === 'state') await printGroups(client, terminal, ids, { view, isVerbose });
      else await printPartitions(client, terminal, ids, { view, isVerbose, before });
    }),
  );
}

/** What was there some time ago. */
interface Sample {
  readonly snapshots: ReadonlyMap<string, GroupSnapshot>;
  readonly apartMs: number;
}

async function sampleBefore(client: Client, terminal: Terminal, ids: readonly string[], apartMs: number): Promise<Sample> {
  const snapshots = await takeSnapshots(client, ids, { terminal, withAllPositions: true });
  terminal.progress(`Looking again in ${apartMs} ms`);
  await client.sleep(apartMs);
  return { snapshots: new Map(snapshots.map((snapshot) => [snapshot.group.groupId, snapshot])), apartMs };
}

/** All that holds a group up. */
function allFindings(snapshot: GroupSnapshot, metadata: Client['metadata'], before: Sample | null): Finding[] {
  const earlier = before?.snapshots.get(snapshot.group.groupId);
  const stuck = before === null || earlier === undefined ? [] : stuckFindings(earlier, snapshot, before.apartMs);
  return [...findingsOf(snapshot, metadata), ...stuck];
}

interface PrintOptions<V extends GroupView> {
  readonly view: V;
  readonly isVerbose: boolean;
}

async function printGroups(
  client: Client,
  terminal: Terminal,
  ids: readonly string[],
  { view, isVerbose }: PrintOptions<'members' | 'state'>,
): Promise<void> {
  const groups = await describeAll(client, ids);
  for (const group of groups.toSorted((a, b) => (a.groupId < b.groupId ? -1 : 1))) {
    if (view === 'members') printMembers(terminal, group, isVerbose);
    else printState(terminal, group, isVerbose);
    printFindings(
      terminal,
      group.groupId,
      findingsOf({ group, partitions: [] }, await topicsOf(client, [{ group, partitions: [] }])),
    );
  }
}

async function printPartitions(
  client: Client,
  terminal: Terminal,
  ids: readonly string[],
  { view, isVerbose, before }: PrintOptions<'offsets' | 'positions'> & { readonly before: Sample | null },
): Promise<void> {
  const snapshots = await takeSnapshots(client, ids, { terminal, withAllPositions: true });
  const metadata = await topicsOf(client, snapshots);
  for (const snapshot of snapshots) {
    if (view === 'offsets') printOffsets(terminal, snapshot, isVerbose);
    else printPositions(terminal, snapshot);
    printFindings(terminal, snapshot.group.groupId, allFindings(snapshot, metadata, before));
  }
}

/** Knows the topics that members subscribe to, so that partitions without an owner can be found. */
async function topicsOf(client: Client, snapshots: readonly GroupSnapshot[]): Promise<Client['metadata']> {
  await client.loadTopics(snapshots.flatMap(({ group }) => group.members.flatMap(({ topics }) => topics)));
  return client.metadata;
}

/** The positions of a partition side by side. Where a member stands between two commits, no broker knows. */
function printPositions(terminal: Terminal, { group, partitions }: GroupSnapshot): void {
  if (!announceState(terminal, group, partitions.length)) return;
  const cell = (value: number | string | null | undefined): string =>
    value === null || value === undefined ? '-' : String(value);
  const rows = partitions.map((partition) => {
    const { topic, committed, member, positions } = partition;
    const { logStart, lastStable, highWatermark, logEnd } = positions;
    const numbers = [logStart, committed?.offset, null, lastStable, highWatermark, logEnd, lagOf(partition)];
    return [group.groupId, topic, String(partition.partition), ...numbers.map(cell), cell(member?.memberId)];
  });
  const numeric = ['PARTITION', 'LOG START', 'COMMITTED', 'POSITION', 'LAST STABLE', 'HIGH WATERMARK', 'LOG END', 'LAG'];
  const columns = [
    { title: 'GROUP' },
    { title: 'TOPIC' },
    ...numeric.map((title) => ({ title, align: 'right' as const })),
    { title: 'OWNER' },
  ];
  terminal.line('');
  for (const line of tableLines(columns, rows, (title) => terminal.style('dim', title))) terminal.line(line);
}

function printFindings(terminal: Terminal, groupId: string, findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  terminal.note(`\nWhat holds up group '${groupId}':`);
  for (const { text, remedy } of findings) terminal.note(`* ${text}${remedy === null ? '' : ` ${remedy}`}`);
}

async function printJson(client: Client, terminal: Terminal, ids: readonly string[], before: Sample | null): Promise<void> {
  const snapshots = await takeSnapshots(client, ids, { terminal, withAllPositions: true });
  const metadata = await topicsOf(client, snapshots);
  terminal.line(
    JSON.stringify(snapshots.map((snapshot) => ({ ...groupJson(snapshot), findings: allFindings(snapshot, metadata, before) }))),
  );
}

const groupJson = ({ group, partitions }: GroupSnapshot): object => ({ ...group, partitions: partitions.map(partitionJson) });

const partitionJson = (row: GroupPartition): object => ({
  topic: row.topic,
  partition: row.partition,
  committed: row.committed?.offset ?? null,
  leaderEpoch: row.committed?.leaderEpoch ?? null,
  metadata: row.committed?.metadata ?? null,
  ...row.positions,
  lag: lagOf(row),
  memberId: row.member?.memberId ?? null,
});
