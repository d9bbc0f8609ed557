import type { ConsumerGroup } from '../../../../../src/coordinator/group/consumer/consumer-group.ts';
import { NO_EPOCH } from '../../../../../src/coordinator/group/consumer/consumer-group.ts';

/** All that a group knows, as values that can be compared. */
export function stateOf(group: ConsumerGroup | null): unknown {
  if (group === null) return null;
  const members = [...group.members()].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
  return {
    epochs: group.epochs,
    members: members.map((member) => ({
      ...member,
      subscribedTopicNames: [...member.subscribedTopicNames].sort(),
      assigned: partitionsOf(member.assigned),
      pendingRevocation: partitionsOf(member.pendingRevocation),
      target: partitionsOf(group.target(member.memberId)),
      byInstance: group.staticMember(member.instanceId)?.memberId,
      epochsOfPartitions: [...member.assigned, ...member.pendingRevocation].flatMap(([topicId, partitions]) =>
        [...partitions.keys()].map((partition) => group.partitionEpoch(topicId, partition)),
      ),
    })),
    subscriptions: sorted(group.copyOfSubscriptions()),
    regexes: sorted(group.copyOfRegexes()),
    resolved: sorted(new Map([...group.resolvedRegexes].map(([regex, { topics }]) => [regex, [...topics].sort()]))),
    assignors: sorted(group.copyOfServerAssignors()),
  };
}

/** The members that have a partition, or have to give it back, by the coordinator's books. */
export function holders(group: ConsumerGroup): Map<string, string[]> {
  const held = new Map<string, string[]>();
  for (const { memberId, assigned, pendingRevocation } of group.members()) {
    for (const [topicId, partitions] of [...assigned, ...pendingRevocation]) {
      for (const partition of partitions.keys()) {
        const key = `${topicId}/${partition}`;
        held.set(key, [...(held.get(key) ?? []), memberId]);
        if (group.partitionEpoch(topicId, partition) === NO_EPOCH) throw new Error(`${key} is held and counts as free`);
      }
    }
  }
  return held;
}

const partitionsOf = (topics: ReadonlyMap<string, ReadonlyMap<number, number> | readonly number[]>): unknown =>
  sorted(new Map([...topics].map(([topicId, partitions]) => [topicId, [...partitions].map(String).sort()])));

const sorted = <V>(entries: ReadonlyMap<string, V>): [string, V][] => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
