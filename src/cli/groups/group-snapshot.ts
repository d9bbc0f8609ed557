import { describeGroups, type GroupDescription, type MemberDescription } from '../../client/admin-groups.ts';
import { listGroupOffsets } from '../../client/admin-group-offsets.ts';
import type { Client } from '../../client/client.ts';
import type { CommittedOffset, GroupOffsets } from '../../client/groups/group-offsets.ts';
import { listOffsets, offsetSpecs, type ReadableEnd } from '../../client/list-offsets.ts';
import { comparePlaces, keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { KafkaError } from '../../protocol/errors.ts';
import type { Terminal } from '../terminal.ts';

/** Where the log of a partition starts and ends; null where nobody could tell. */
export interface PartitionPositions {
  readonly logStart: number | null;
  readonly lastStable: number | null;
  readonly highWatermark: number | null;
  readonly logEnd: number | null;
}

/** One partition of a group. */
export interface GroupPartition extends TopicPartition {
  /** Null if nothing is committed. */
  readonly committed: CommittedOffset | null;
  readonly positions: PartitionPositions;
  /** Null if nobody owns it. */
  readonly member: MemberDescription | null;
}

export interface GroupSnapshot {
  readonly group: GroupDescription;
  /** Owned ones by member, the members with most first; then those that only have offsets. */
  readonly partitions: readonly GroupPartition[];
}

/** The high watermark and what was committed. */
export const lagOf = ({ committed, positions: { highWatermark } }: GroupPartition): number | null =>
  committed === null || highWatermark === null ? null : highWatermark - committed.offset;

/** Describes groups; throws the first error that one of them has. */
export async function describeAll(client: Client, groupIds: readonly string[]): Promise<GroupDescription[]> {
  const described = await describeGroups(client, groupIds);
  return [...described.values()].map((group) => {
    if (group instanceof KafkaError) throw group;
    return group;
  });
}

interface SnapshotOptions {
  readonly terminal: Terminal;
  /** Whether more than the high watermark is asked for. */
  readonly withAllPositions: boolean;
}

/** Groups with their offsets and with the ends of their partitions, in order of id. */
export async function takeSnapshots(
  client: Client,
  groupIds: readonly string[],
  { terminal, withAllPositions }: SnapshotOptions,
): Promise<GroupSnapshot[]> {
  const groups = await describeAll(client, groupIds);
  const offsets = await listGroupOffsets(client, groupIds, (done) => {
    if (groupIds.length > 1) terminal.progress(`Offsets of ${done} of ${groupIds.length} groups`);
  });
  const committed = new Map(
    [...offsets].map(([id, ofGroup]): [string, GroupOffsets] => {
      if (ofGroup instanceof KafkaError) throw ofGroup;
      return [id, ofGroup];
    }),
  );
  const places = new Map<string, TopicPartition>();
  for (const group of groups) {
    for (const place of partitionsOf(group, committed.get(group.groupId) ?? new Map())) places.set(keyOf(place), place);
  }
  terminal.progress(`Ends of ${places.size} partitions`);
  const positions = await positionsOf(client, [...places.values()], withAllPositions);
  return groups
    .toSorted((a, b) => (a.groupId < b.groupId ? -1 : 1))
    .map((group) => ({ group, partitions: rowsOf(group, committed.get(group.groupId) ?? new Map(), positions) }));
}

const partitionsOf = ({ members }: GroupDescription, committed: GroupOffsets): TopicPartition[] => [
  ...members.flatMap(({ assignment, target }) => [...assignment, ...(target ?? [])]),
  ...committed.values(),
];

const UNKNOWN: PartitionPositions = { logStart: null, lastStable: null, highWatermark: null, logEnd: null };

function rowsOf(
  group: GroupDescription,
  committed: GroupOffsets,
  positions: ReadonlyMap<string, PartitionPositions>,
): GroupPartition[] {
  const row = ({ topic, partition }: TopicPartition, member: MemberDescription | null): GroupPartition => {
    const key = keyOf({ topic, partition });
    return { topic, partition, committed: committed.get(key) ?? null, positions: positions.get(key) ?? UNKNOWN, member };
  };
  const owned = group.members
    .toSorted((a, b) => b.assignment.length - a.assignment.length)
    .flatMap((member) => member.assignment.toSorted(comparePlaces).map((place) => row(place, member)));
  const ownedKeys = new Set(owned.map(keyOf));
  const free = [...committed.values()].filter((place) => !ownedKeys.has(keyOf(place))).sort(comparePlaces);
  return [...owned, ...free.map((place) => row(place, null))];
}

/** Asks the leaders; a partition without one, or that does not exist any more, has no ends. */
async function positionsOf(
  client: Client,
  places: readonly TopicPartition[],
  withAll: boolean,
): Promise<Map<string, PartitionPositions>> {
  // Topics that are gone have no ends.
  await client.loadTopics(places.map(({ topic }) => topic));
  const led = places.filter(({ topic, partition }) => (client.metadata.partition(topic, partition)?.leader ?? -1) >= 0);
  const ask = async (timestamp: number, end: ReadableEnd): Promise<Map<string, number | null>> => {
    const queries = led.map(({ topic, partition }) => ({ topic, partition, timestamp }));
    const answers = queries.length === 0 ? [] : await listOffsets(client, queries, end);
    return new Map(answers.map((answer) => [keyOf(answer), answer.error === 'NONE' ? answer.offset : null]));
  };
  const nothing = new Map<string, number | null>();
  const highWatermarks = await ask(offsetSpecs.latest, 'read_uncommitted');
  const lastStable = withAll ? await ask(offsetSpecs.latest, 'read_committed') : nothing;
  const logEnds = withAll ? await ask(offsetSpecs.latest, 'log_end') : nothing;
  const logStarts = withAll ? await ask(offsetSpecs.earliest, 'read_uncommitted') : nothing;
  return new Map(
    led.map((place) => {
      const key = keyOf(place);
      const positions = {
        logStart: logStarts.get(key) ?? null,
        lastStable: lastStable.get(key) ?? null,
        highWatermark: highWatermarks.get(key) ?? null,
        logEnd: logEnds.get(key) ?? null,
      };
      return [key, positions];
    }),
  );
}
