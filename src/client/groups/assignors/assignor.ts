import { keyOf, type TopicPartition } from '../../topic-partition.ts';

/** What a member of a classic group told its leader. */
export interface MemberSubscription {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly topics: readonly string[];
  readonly owned: readonly TopicPartition[];
  /** The generation in which it got what it owns; −1 if it does not know. */
  readonly generation: number;
}

/** Who gets what; every member has an entry. */
export type MemberAssignments = Map<string, TopicPartition[]>;

/** The way a leader divides the partitions. Given the same it gives the same. */
export interface Assignor {
  /** Kafka's name, by which members find a strategy that all of them know. */
  readonly name: string;
  /** Members keep what they own during a rebalance; a partition that moves is free for one rebalance (KIP-429). */
  readonly isCooperative: boolean;
  assign(members: readonly MemberSubscription[], partitionCounts: ReadonlyMap<string, number>): MemberAssignments;
}

/** Kafka's order of members: static ones first, by instance; the others by member id. */
export function compareMembers(a: MemberSubscription, b: MemberSubscription): number {
  if ((a.instanceId === null) !== (b.instanceId === null)) return a.instanceId === null ? 1 : -1;
  const [left, right] = a.instanceId === null ? [a.memberId, b.memberId] : [a.instanceId, b.instanceId ?? ''];
  return left === right ? 0 : left < right ? -1 : 1;
}

export const emptyAssignments = (members: readonly MemberSubscription[]): MemberAssignments =>
  new Map(members.map(({ memberId }) => [memberId, []]));

/** Every partition of the topics that anybody wants, in order of topic. */
export function wantedPartitions(
  members: readonly MemberSubscription[],
  partitionCounts: ReadonlyMap<string, number>,
): TopicPartition[] {
  const topics = [...new Set(members.flatMap((member) => member.topics))].sort();
  return topics.flatMap((topic) =>
    Array.from({ length: partitionCounts.get(topic) ?? 0 }, (_, partition) => ({ topic, partition })),
  );
}

/** Which member may say that it owns a partition: the one of the newest generation that claims it, unless two do. */
export function validOwners(members: readonly MemberSubscription[]): Map<string, string> {
  const owners = new Map<string, { readonly memberId: string; readonly generation: number; readonly isDisputed: boolean }>();
  for (const { memberId, generation, owned } of members) {
    for (const key of owned.map(keyOf)) {
      const other = owners.get(key);
      if (other === undefined || other.generation < generation) owners.set(key, { memberId, generation, isDisputed: false });
      else if (other.generation === generation) owners.set(key, { ...other, isDisputed: true });
    }
  }
  return new Map([...owners].flatMap(([key, { memberId, isDisputed }]) => (isDisputed ? [] : [[key, memberId]])));
}
