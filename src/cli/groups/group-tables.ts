import type { GroupDescription, MemberDescription } from '../../client/admin-groups.ts';
import { partitionsByTopic, type TopicPartition } from '../../client/topic-partition.ts';
import type { Terminal } from '../terminal.ts';
import { type GroupPartition, type GroupSnapshot, lagOf } from './group-snapshot.ts';

/** The tables of kafka-consumer-groups, to the last space. */

const MISSING = '-';
const text = (value: number | string | null | undefined): string =>
  value === null || value === undefined || value === '' ? MISSING : String(value);

/** At least so wide, and wide enough for all. */
const width = (least: number, values: readonly string[]): number =>
  values.reduce((most, value) => Math.max(most, value.length), least);

/** Cells next to each other, each as wide as its column; the last one as it is. */
const line = (widths: readonly number[], cells: readonly string[]): string =>
  cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' ');

/** Says what the state of a group means for the table that follows. Gives whether there is anything to put into one. */
export function announceState(terminal: Terminal, { groupId, state }: GroupDescription, rows: number): boolean {
  switch (state) {
    case 'Empty':
      terminal.note(`\nConsumer group '${groupId}' has no active members.`);
      break;
    case 'PreparingRebalance':
    case 'CompletingRebalance':
    case 'Assigning':
    case 'Reconciling':
      terminal.note(`\nWarning: Consumer group '${groupId}' is rebalancing.`);
      break;
    default:
  }
  return rows > 0;
}

export function printOffsets(terminal: Terminal, { group, partitions }: GroupSnapshot, isVerbose: boolean): void {
  if (!announceState(terminal, group, partitions.length)) return;
  const owners = partitions.map(({ member }) => member);
  const widths = [
    width(15, [group.groupId]),
    width(
      15,
      partitions.map(({ topic }) => topic),
    ),
    10,
    ...(isVerbose ? [15] : []),
    15,
    15,
    15,
    width(
      15,
      owners.map((member) => text(member?.memberId)),
    ),
    width(
      15,
      owners.map((member) => text(member?.host)),
    ),
    0,
  ];
  const epochTitle = isVerbose ? ['LEADER-EPOCH'] : [];
  const titles = [
    'GROUP',
    'TOPIC',
    'PARTITION',
    ...epochTitle,
    'CURRENT-OFFSET',
    'LOG-END-OFFSET',
    'LAG',
    'CONSUMER-ID',
    'HOST',
    'CLIENT-ID',
  ];
  const lines = [titles, ...partitions.map((partition) => offsetCells(group.groupId, partition, isVerbose))];
  terminal.data(`${lines.map((cells) => `\n${line(widths, cells)}`).join('')}\n`);
}

function offsetCells(groupId: string, partition: GroupPartition, isVerbose: boolean): string[] {
  const { topic, committed, positions, member } = partition;
  const epoch = committed === null || committed.leaderEpoch < 0 ? null : committed.leaderEpoch;
  return [
    groupId,
    topic,
    String(partition.partition),
    ...(isVerbose ? [text(epoch)] : []),
    text(committed?.offset),
    text(positions.highWatermark),
    text(lagOf(partition)),
    text(member?.memberId),
    text(member?.host),
    text(member?.clientId),
  ];
}

/** `orders:0,1;other:3`. */
export const assignmentText = (places: readonly TopicPartition[]): string =>
  [...partitionsByTopic(places)]
    .map(([topic, partitions]) => `${topic}:${partitions.join(',')}`)
    .sort()
    .join(';');

export function printMembers(terminal: Terminal, group: GroupDescription, isVerbose: boolean): void {
  const hasRows = announceState(terminal, group, group.members.length);
  const members = hasRows ? group.members : [];
  const hasInstances = members.some(({ instanceId }) => text(instanceId) !== MISSING);
  const isMixed = members.some(({ isUpgraded }) => isUpgraded === true) && members.some(({ isUpgraded }) => isUpgraded === false);
  const plain = (instance: string, pick: (member: MemberDescription) => string): string[] => [instance, ...members.map(pick)];
  const columns: { readonly least: number; readonly cells: string[] }[] = [
    { least: width(15, hasRows ? [group.groupId] : []), cells: plain('GROUP', () => group.groupId) },
    { least: 15, cells: plain('CONSUMER-ID', ({ memberId }) => memberId) },
    ...(hasInstances ? [{ least: 17, cells: plain('GROUP-INSTANCE-ID', ({ instanceId }) => instanceId ?? '') }] : []),
    { least: 15, cells: plain('HOST', ({ host }) => host) },
    { least: 15, cells: plain('CLIENT-ID', ({ clientId }) => clientId) },
    { least: 15, cells: plain('#PARTITIONS', ({ assignment }) => String(assignment.length)) },
  ];
  if (isVerbose) {
    columns.push(
      { least: 15, cells: plain('CURRENT-EPOCH', ({ epoch }) => text(epoch)) },
      { least: 20, cells: plain('CURRENT-ASSIGNMENT', ({ assignment }) => text(assignmentText(assignment))) },
      { least: 15, cells: plain('TARGET-EPOCH', () => text(group.targetEpoch)) },
      { least: 20, cells: plain('TARGET-ASSIGNMENT', ({ target }) => text(assignmentText(target ?? []))) },
    );
    if (isMixed)
      columns.push({
        least: 0,
        cells: plain('UPGRADED', ({ isUpgraded }) => text(isUpgraded === null ? null : String(isUpgraded))),
      });
  }
  const lines = (columns[0]?.cells ?? []).map((_, row) =>
    columns.map(({ least, cells }) => (cells[row] ?? '').padEnd(width(least, cells.slice(1)))).join(' '),
  );
  // Only the short table ends its lines with a space.
  terminal.data(`\n${lines.map((one) => `${one}${isVerbose ? '' : ' '}\n`).join('')}`);
}

export function printState(terminal: Terminal, group: GroupDescription, isVerbose: boolean): void {
  announceState(terminal, group, 1);
  const { groupId, assignor, state, groupEpoch, targetEpoch, members, coordinator } = group;
  const address = `${coordinator.host}:${coordinator.port}  (${coordinator.id})`;
  const epochs = isVerbose
    ? { widths: [15, 25], titles: ['GROUP-EPOCH', 'TARGET-ASSIGNMENT-EPOCH'], cells: [text(groupEpoch), text(targetEpoch)] }
    : { widths: [], titles: [], cells: [] };
  const widths = [width(15, [groupId]), width(25, [address]), 20, 20, ...epochs.widths, 0];
  const titles = ['GROUP', 'COORDINATOR (ID)', 'ASSIGNMENT-STRATEGY', 'STATE', ...epochs.titles, '#MEMBERS'];
  const cells = [groupId, address, text(assignor), state, ...epochs.cells, String(members.length)];
  terminal.data(`\n${line(widths, titles)}\n${line(widths, cells)}\n`);
}
