import { unreachable } from '../../../base/assert.ts';
import type { Uuid } from '../../../base/uuid.ts';
import type { TopicsImage } from '../../../metadata/image/topics-image.ts';
import { KafkaError } from '../../../protocol/errors.ts';
import type { MemberPartitions } from '../assignors/partition-assignor.ts';
import { type ConsumerGroupMember, type MemberState, regexOf } from './consumer-group-member.ts';
import { partitionsInOrder, topicIdsInOrder, topicsInOrder } from './hash-order.ts';
import { hasPartition, NO_PARTITIONS, type PartitionEpochs, partitionsOf } from './partition-epochs.ts';
import type { ResolvedRegularExpression } from './resolved-regular-expression.ts';

/** Partitions by topic, as a member tells which it has. */
export type OwnedPartitions = readonly { readonly topicId: Uuid; readonly partitions: readonly number[] }[];

/** What the next step of a member depends on. */
export interface Reconciliation {
  readonly targetEpoch: number;
  readonly target: MemberPartitions;
  /** Topics that the member no longer subscribes to are taken from it at once. */
  readonly hasSubscriptionChanged: boolean;
  readonly topics: TopicsImage;
  readonly resolvedRegex: (regex: string) => ResolvedRegularExpression | undefined;
  /** Whether some member has the partition, or gives it back. */
  readonly isOwned: (topicId: Uuid, partition: number) => boolean;
  /** What the member says it has; null if it does not say. */
  readonly owned: OwnedPartitions | null;
}

/**
 * The next step of a member towards its target assignment: it gives back what it shall not have, it goes to the epoch of the target when it has, and it gets what is
 * free. Gives the member itself where there is no step to take. Kafka: CurrentAssignmentBuilder.
 */
export function nextAssignment(member: ConsumerGroupMember, given: Reconciliation): ConsumerGroupMember {
  switch (member.state) {
    case 'STABLE':
      if (member.memberEpoch !== given.targetEpoch) return reconciled(member, given);
      return given.hasSubscriptionChanged ? withoutUnsubscribed(member, given) : member;
    case 'UNREVOKED_PARTITIONS':
      if (!stillOwns(given.owned, member.pendingRevocation)) return reconciled(member, given);
      return given.hasSubscriptionChanged ? withoutUnsubscribed(member, given) : member;
    case 'UNRELEASED_PARTITIONS':
      return reconciled(member, given);
    case 'UNKNOWN':
      if (given.owned === null || given.owned.length > 0) {
        throw new KafkaError(
          'FENCED_MEMBER_EPOCH',
          'The consumer group member is in a unknown state. The member must abandon all its partitions and rejoin.',
        );
      }
      return reconciled(member, given);
    default:
      return unreachable(member.state);
  }
}

/** A member that does not say what it has still has everything. */
function stillOwns(owned: OwnedPartitions | null, revoked: PartitionEpochs): boolean {
  if (owned === null) return true;
  return owned.some(({ topicId, partitions }) => {
    const ofTopic = partitionsOf(revoked, topicId);
    return ofTopic.size > 0 && partitions.some((partition) => ofTopic.has(partition));
  });
}

interface Subscription {
  readonly isEmpty: boolean;
  has(topicId: Uuid): boolean;
}

function subscriptionOf(member: ConsumerGroupMember, { topics, resolvedRegex }: Reconciliation): Subscription {
  const regex = regexOf(member);
  const matched = regex === null ? undefined : resolvedRegex(regex)?.topics;
  return {
    isEmpty: member.subscribedTopicNames.size === 0 && (matched?.size ?? 0) === 0,
    has: (topicId) => {
      const name = topics.byId.get(topicId)?.name;
      return name !== undefined && (member.subscribedTopicNames.has(name) || matched?.has(name) === true);
    },
  };
}

/** Only takes away what the member does not subscribe to: the rest waits for the next target assignment. */
function withoutUnsubscribed(member: ConsumerGroupMember, given: Reconciliation): ConsumerGroupMember {
  const subscription = subscriptionOf(member, given);
  const taken: [Uuid, ReadonlyMap<number, number>][] = [];
  for (const [topicId, partitions] of member.assigned) {
    if (subscription.has(topicId)) continue;
    const before = partitionsOf(member.pendingRevocation, topicId);
    taken.push([
      topicId,
      before.size === 0 ? partitions : partitionsInOrder([...before, ...partitions], { copied: before.size }),
    ]);
  }
  const left = [...member.assigned].filter(([topicId]) => subscription.has(topicId));
  const assigned = topicsInOrder(left, { copied: member.assigned.size });
  const pendingRevocation = topicsInOrder(member.pendingRevocation, { joined: taken, copied: member.pendingRevocation.size });
  // Kafka writes a record for a member that subscribes to nothing and has nothing: its previous epoch is its epoch then.
  const hasNothing = subscription.isEmpty && member.pendingRevocation.size === 0;
  if (assigned.size === member.assigned.size && !hasNothing) return member;
  return pendingRevocation.size > 0 && stillOwns(given.owned, pendingRevocation)
    ? moved(member, { memberEpoch: member.memberEpoch, state: 'UNREVOKED_PARTITIONS', assigned, pendingRevocation })
    : moved(member, { ...member, assigned });
}

function reconciled(member: ConsumerGroupMember, given: Reconciliation): ConsumerGroupMember {
  const { targetEpoch, owned } = given;
  const { kept, revoked, added, isWaiting } = comparison(member, given);
  if (revoked.size > 0 && stillOwns(owned, revoked)) {
    return moved(member, {
      memberEpoch: member.state === 'UNKNOWN' ? targetEpoch : member.memberEpoch,
      state: 'UNREVOKED_PARTITIONS',
      assigned: kept,
      pendingRevocation: revoked,
    });
  }
  return moved(member, {
    memberEpoch: targetEpoch,
    state: isWaiting ? 'UNRELEASED_PARTITIONS' : 'STABLE',
    assigned: gained(kept, added, targetEpoch, (topicId) => partitionsOf(member.assigned, topicId).size),
    pendingRevocation: NO_PARTITIONS,
  });
}

interface Comparison {
  /** What the member has and shall have. */
  readonly kept: PartitionEpochs;
  /** What it has and shall not have. */
  readonly revoked: PartitionEpochs;
  /** What it shall have, and nobody has. */
  readonly added: ReadonlyMap<Uuid, readonly number[]>;
  /** Whether there is something that it shall have and others have still. */
  readonly isWaiting: boolean;
}

function comparison(member: ConsumerGroupMember, given: Reconciliation): Comparison {
  const subscription = subscriptionOf(member, given);
  const kept: [Uuid, ReadonlyMap<number, number>][] = [];
  const revoked: [Uuid, ReadonlyMap<number, number>][] = [];
  const added: [Uuid, readonly number[]][] = [];
  let isWaiting = false;
  for (const topicId of topicIdsInOrder([...given.target.keys(), ...member.assigned.keys()])) {
    const target = new Set(subscription.has(topicId) ? given.target.get(topicId) : []);
    const current = partitionsOf(member.assigned, topicId);
    const isKept = ([partition]: [number, number]): boolean => target.has(partition);
    const order = { copied: current.size };
    const keptHere = partitionsInOrder([...current].filter(isKept), order);
    if (keptHere.size > 0) kept.push([topicId, keptHere]);
    if (keptHere.size < current.size)
      revoked.push([
        topicId,
        partitionsInOrder(
          [...current].filter((entry) => !isKept(entry)),
          order,
        ),
      ]);
    const missing = [...target].filter((partition) => !keptHere.has(partition));
    const free = missing.filter(
      (partition) => !given.isOwned(topicId, partition) || hasPartition(member.pendingRevocation, topicId, partition),
    );
    isWaiting ||= free.length < missing.length;
    if (free.length > 0) added.push([topicId, free]);
  }
  return { kept: topicsInOrder(kept), revoked: topicsInOrder(revoked), added: topicsInOrder(added), isWaiting };
}

/** What the member has when it gets what is free. `sizeBefore`: how much it had of a topic. */
function gained(
  kept: PartitionEpochs,
  added: ReadonlyMap<Uuid, readonly number[]>,
  epoch: number,
  sizeBefore: (topicId: Uuid) => number,
): PartitionEpochs {
  const topics = Array.from(added, ([topicId, partitions]): [Uuid, ReadonlyMap<number, number>] => {
    const before = partitionsOf(kept, topicId);
    const entries = [...before, ...partitions.map((index) => [index, epoch] as const)];
    return [topicId, partitionsInOrder(entries, { copied: before.size === 0 ? 0 : sizeBefore(topicId) })];
  });
  return topicsInOrder(kept, { joined: topics });
}

interface Position {
  readonly memberEpoch: number;
  readonly state: MemberState;
  readonly assigned: PartitionEpochs;
  readonly pendingRevocation: PartitionEpochs;
}

/** The epoch that the member had becomes its previous one, even if it stays the same. */
const moved = (
  member: ConsumerGroupMember,
  { memberEpoch, state, assigned, pendingRevocation }: Position,
): ConsumerGroupMember => ({
  ...member,
  memberEpoch,
  previousMemberEpoch: member.memberEpoch,
  state,
  assigned,
  pendingRevocation,
});
