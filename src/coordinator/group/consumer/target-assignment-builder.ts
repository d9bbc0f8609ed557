import type { Uuid } from '../../../base/uuid.ts';
import type { TopicsImage } from '../../../metadata/image/topics-image.ts';
import type { AssignorMember, MemberPartitions, PartitionAssignor } from '../assignors/partition-assignor.ts';
import type { GroupRecord } from '../group-record.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import { type ConsumerGroupMember, regexOf } from './consumer-group-member.ts';
import { namesInOrder } from './hash-order.ts';
import { targetAssignmentEpochRecord, targetAssignmentRecord } from './consumer-group-records.ts';

export interface TargetAssignmentOptions {
  readonly group: ConsumerGroup;
  /** As the member that asks is about to be: new, changed, or in the place of a static member. */
  readonly updatedMember: ConsumerGroupMember;
  readonly groupEpoch: number;
  readonly isHomogeneous: boolean;
  readonly assignor: PartitionAssignor;
  readonly topics: TopicsImage;
  /** What time it is when the assignment has been made. */
  readonly now: () => number;
}

const NO_PARTITIONS: MemberPartitions = new Map();

/**
 * A new target assignment: the records of members that get another one and of its epoch, and what the member that asks shall have. Kafka:
 * TargetAssignmentBuilder. Throws PartitionAssignorError.
 */
export function newTargetAssignment(options: TargetAssignmentOptions): {
  readonly records: GroupRecord[];
  readonly target: MemberPartitions;
} {
  const { group, updatedMember, groupEpoch, assignor, topics, now } = options;
  const subscriptionOf = subscriptionsOf(group, topics);
  const current = membersOf(group, updatedMember);
  const members = current.map(({ member, target }): AssignorMember => {
    const { memberId, instanceId, rackId } = member;
    return { memberId, instanceId, rackId, ...subscriptionOf(member), current: target ?? NO_PARTITIONS };
  });
  const known = new Map(current.map(({ member, target }) => [member.memberId, target]));
  const assigned = assignor.assign(
    { members, isHomogeneous: options.isHomogeneous },
    { partitionCount: (topicId) => topics.byId.get(topicId)?.partitions.length ?? -1 },
  );
  const records: GroupRecord[] = [];
  for (const memberId of [...assigned.keys(), ...[...known.keys()].filter((id) => !assigned.has(id))]) {
    const before = known.get(memberId);
    const after = assigned.get(memberId) ?? NO_PARTITIONS;
    if (before === undefined || !sameTarget(before, after)) records.push(targetAssignmentRecord(group.groupId, memberId, after));
  }
  records.push(targetAssignmentEpochRecord(group.groupId, groupEpoch, now()));
  return { records, target: assigned.get(updatedMember.memberId) ?? NO_PARTITIONS };
}

interface MemberAndTarget {
  readonly member: ConsumerGroupMember;
  /** Undefined for one that no assignment has been made for. */
  readonly target: MemberPartitions | undefined;
}

/** The members of the group with the one that asks; it takes over from a static member of its instance id. */
function membersOf(group: ConsumerGroup, updatedMember: ConsumerGroupMember): MemberAndTarget[] {
  const replaced = group.staticMember(updatedMember.instanceId);
  const isReplaced = (memberId: string): boolean => memberId === replaced?.memberId && memberId !== updatedMember.memberId;
  const own = group.targetOrNone(updatedMember.memberId);
  const target = replaced === undefined ? own : (group.targetOrNone(replaced.memberId) ?? own);
  const members = group.members().filter(({ memberId }) => !isReplaced(memberId));
  const updated = members.map((member) =>
    member.memberId === updatedMember.memberId
      ? { member: updatedMember, target }
      : { member, target: group.targetOrNone(member.memberId) },
  );
  return group.isMember(updatedMember.memberId) ? updated : [...updated, { member: updatedMember, target }];
}

type Subscription = Required<Pick<AssignorMember, 'subscribedTopicIds' | 'subscriptionSize'>>;

/** The topics that exist of those that a member subscribes to. Members with the same subscription share the answer. */
function subscriptionsOf(group: ConsumerGroup, topics: TopicsImage): (member: ConsumerGroupMember) => Subscription {
  const known = new Map<string | null, Map<ReadonlySet<string>, Subscription>>();
  return (member) => {
    const regex = regexOf(member);
    const names = member.subscribedTopicNames;
    let byNames = known.get(regex);
    if (byNames === undefined) known.set(regex, (byNames = new Map()));
    let subscription = byNames.get(names);
    if (subscription === undefined) {
      const matched = regex === null ? undefined : group.resolvedRegex(regex)?.topics;
      const all = new Set([...namesInOrder(names), ...(matched === undefined ? [] : namesInOrder(matched))]);
      const subscribedTopicIds = new Set<Uuid>();
      for (const name of all) {
        const topicId = topics.byName.get(name)?.id;
        if (topicId !== undefined) subscribedTopicIds.add(topicId);
      }
      subscription = { subscribedTopicIds, subscriptionSize: all.size };
      byNames.set(names, subscription);
    }
    return subscription;
  };
}

function sameTarget(a: MemberPartitions, b: MemberPartitions): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [topicId, partitions] of a) {
    const others = b.get(topicId);
    if (others === undefined || !samePartitions(partitions, others)) return false;
  }
  return true;
}

/** Mostly in the same order, if they are the same. */
function samePartitions(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  if (a.every((partition, at) => b[at] === partition)) return true;
  const others = new Set(b);
  return a.every((partition) => others.has(partition));
}
