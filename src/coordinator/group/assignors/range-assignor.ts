import type { Uuid } from '../../../base/uuid.ts';
import { capacityFor, hashOfUuid, JavaHashMap } from './java-hash-map.ts';
import { inHashOrder } from './member-order.ts';
import {
  type AssignorGroup,
  type AssignorMember,
  type MemberPartitions,
  type PartitionAssignor,
  PartitionAssignorError,
  type SubscribedTopics,
} from './partition-assignor.ts';

/** How the partitions of one topic are handed out, from the first to the last. */
interface TopicRanges {
  readonly hash: number;
  readonly partitionCount: number;
  subscriberCount: number;
  /** How many members have taken their range. */
  servedCount: number;
  nextPartition: number;
}

/**
 * Gives each subscriber of a topic a range of its partitions; the first ones get one more if it does not come out even. Members come in the order of
 * their instance ids, static ones first, then in that of their member ids, for every topic: so topics with as many partitions and the same
 * subscribers are cut alike, and partitions that are joined are read by the same member. What members have is not looked at.
 */
export const rangeAssignor: PartitionAssignor = {
  name: 'range',

  assign({ members, isHomogeneous }: AssignorGroup, topics: SubscribedTopics): ReadonlyMap<string, MemberPartitions> {
    const sorted = members.toSorted(compareMembers);
    const [first] = sorted;
    if (first === undefined) return new Map();
    // In a group of one mind the first member speaks for all.
    const subscriptionOf = ({ subscribedTopicIds }: AssignorMember): ReadonlySet<Uuid> =>
      isHomogeneous ? first.subscribedTopicIds : subscribedTopicIds;

    const ranges = new Map<Uuid, TopicRanges>();
    for (const member of sorted) countSubscriber(ranges, subscriptionOf(member), topics);
    const taken = new Map(
      sorted.map((member) => {
        const topicIds = subscriptionOf(member);
        const size = isHomogeneous ? topicIds.size : (member.subscriptionSize ?? topicIds.size);
        return [member.memberId, takeRanges(ranges, topicIds, size)];
      }),
    );
    return new Map(inHashOrder(members).map(({ memberId }) => [memberId, taken.get(memberId) ?? new Map()]));
  },
};

function countSubscriber(ranges: Map<Uuid, TopicRanges>, topicIds: ReadonlySet<Uuid>, topics: SubscribedTopics): void {
  for (const topicId of topicIds) {
    const known = ranges.get(topicId);
    if (known !== undefined) {
      known.subscriberCount++;
      continue;
    }
    const partitionCount = topics.partitionCount(topicId);
    if (partitionCount < 0) throw new PartitionAssignorError('Member is subscribed to a non-existent topic');
    ranges.set(topicId, { hash: hashOfUuid(topicId), partitionCount, subscriberCount: 1, servedCount: 0, nextPartition: 0 });
  }
}

/** `expected`: how many topics Kafka makes room for. */
function takeRanges(ranges: ReadonlyMap<Uuid, TopicRanges>, topicIds: ReadonlySet<Uuid>, expected: number): MemberPartitions {
  const taken = new JavaHashMap<Uuid, number[]>((topicId) => ranges.get(topicId)?.hash ?? 0, capacityFor(expected));
  for (const topicId of topicIds) {
    const range = ranges.get(topicId);
    if (range === undefined) continue;
    const partitions = takeRange(range);
    if (partitions.length > 0) taken.set(topicId, partitions);
  }
  return new Map(taken.entries());
}

function takeRange(range: TopicRanges): number[] {
  const { partitionCount, subscriberCount, nextPartition } = range;
  const share = Math.floor(partitionCount / subscriberCount);
  const size = range.servedCount < partitionCount % subscriberCount ? share + 1 : share;
  range.servedCount++;
  range.nextPartition += size;
  return Array.from({ length: size }, (_, index) => nextPartition + index);
}

function compareMembers(left: AssignorMember, right: AssignorMember): number {
  if (left.instanceId !== null && right.instanceId !== null) return compareTexts(left.instanceId, right.instanceId);
  if (left.instanceId !== null) return -1;
  if (right.instanceId !== null) return 1;
  return compareTexts(left.memberId, right.memberId);
}

/** By UTF-16 units, as Java compares. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
