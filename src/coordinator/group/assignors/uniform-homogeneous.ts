import { assert } from '../../../base/assert.ts';
import type { Uuid } from '../../../base/uuid.ts';
import { hashOfUuid, javaSetOrder } from './java-hash-map.ts';
import {
  type AssignorMember,
  type MemberPartitions,
  PartitionAssignorError,
  type SubscribedTopics,
} from './partition-assignor.ts';
import { TargetAssignment } from './target-assignment.ts';

interface FreePartition {
  readonly topicId: Uuid;
  readonly partition: number;
}

interface MemberWithRoom {
  readonly assignment: TargetAssignment;
  readonly room: number;
}

/**
 * The uniform assignment of members that want the same topics: each keeps what it has as far as its share goes, and what is left over goes to those
 * that have less than their share.
 */
export function assignHomogeneous(
  members: readonly AssignorMember[],
  topics: SubscribedTopics,
): ReadonlyMap<string, MemberPartitions> {
  const [first] = members;
  assert(first !== undefined, 'a group that gets an assignment has a member');
  const wanted = first.subscribedTopicIds;
  const hashes = new Map([...wanted].map((topicId) => [topicId, hashOfUuid(topicId)]));
  const hashOf = (topicId: Uuid): number => hashes.get(topicId) ?? hashOfUuid(topicId);
  const partitionCounts = countPartitions(javaSetOrder(wanted, wanted.size, hashOf), topics);
  const free = freePartitions(partitionCounts, members);

  const partitionCount = [...partitionCounts.values()].reduce((sum, count) => sum + count, 0);
  const share = Math.floor(partitionCount / members.length);
  let extraShares = partitionCount % members.length;
  const withRoom: MemberWithRoom[] = [];
  const targets = new Map<string, TargetAssignment>();

  for (const [index, { memberId, current }] of members.entries()) {
    const assignment = new TargetAssignment(current, hashOf);
    targets.set(memberId, assignment);
    let mayHaveExtra = extraShares > 0;
    let room = keepShare(assignment, { current, wanted, share: mayHaveExtra ? share + 1 : share, free });
    // Who does not need its extra partition leaves it to a later member that may have one already, while there are more of them than extras.
    if (room > 0 && mayHaveExtra && members.length - index > extraShares) {
      room--;
      mayHaveExtra = false;
    }
    if (room > 0) withRoom.push({ assignment, room });
    if (mayHaveExtra) extraShares--;
  }

  handOut(free, withRoom);
  return new Map([...targets].map(([memberId, assignment]) => [memberId, assignment.partitions()]));
}

function countPartitions(topicIds: readonly Uuid[], topics: SubscribedTopics): ReadonlyMap<Uuid, number> {
  const counts = new Map<Uuid, number>();
  for (const topicId of topicIds) {
    const count = topics.partitionCount(topicId);
    if (count < 0) {
      throw new PartitionAssignorError(`Members are subscribed to topic ${topicId} which doesn't exist in the topic metadata.`);
    }
    counts.set(topicId, count);
  }
  return counts;
}

/** The partitions that no member has, topic by topic. */
function freePartitions(partitionCounts: ReadonlyMap<Uuid, number>, members: readonly AssignorMember[]): FreePartition[] {
  const owned = new Map<Uuid, Set<number>>([...partitionCounts.keys()].map((topicId) => [topicId, new Set<number>()]));
  for (const { current } of members) {
    for (const [topicId, partitions] of current) {
      const ownedOfTopic = owned.get(topicId);
      if (ownedOfTopic === undefined) continue;
      for (const partition of partitions) ownedOfTopic.add(partition);
    }
  }
  const free: FreePartition[] = [];
  for (const [topicId, count] of partitionCounts) {
    const ownedOfTopic = owned.get(topicId);
    for (let partition = 0; partition < count; partition++) {
      if (ownedOfTopic?.has(partition) !== true) free.push({ topicId, partition });
    }
  }
  return free;
}

interface Holding {
  readonly current: MemberPartitions;
  readonly wanted: ReadonlySet<Uuid>;
  readonly share: number;
  /** Gets what is given up. */
  readonly free: FreePartition[];
}

/** Takes from a member what it does not want any more and what exceeds its share; gives how many partitions its share has room for. */
function keepShare(assignment: TargetAssignment, { current, wanted, share, free }: Holding): number {
  let held = 0;
  let hasUnwanted = false;
  for (const [topicId, partitions] of current) {
    if (wanted.has(topicId)) held += partitions.length;
    else hasUnwanted = true;
  }
  if (held <= share && !hasUnwanted) return share - held;

  let room = share;
  for (const [topicId, partitions] of assignment.entries()) {
    if (!wanted.has(topicId)) {
      assignment.deleteTopic(topicId);
      continue;
    }
    for (const partition of partitions.slice(room)) {
      assignment.delete(topicId, partition);
      free.push({ topicId, partition });
    }
    room = Math.max(0, room - partitions.length);
  }
  return room;
}

function handOut(free: readonly FreePartition[], members: readonly MemberWithRoom[]): void {
  let next = 0;
  for (const { assignment, room } of members) {
    for (const { topicId, partition } of free.slice(next, next + room)) assignment.add(topicId, partition);
    next += room;
  }
  if (next < free.length) throw new PartitionAssignorError('Partitions were left unassigned');
}
