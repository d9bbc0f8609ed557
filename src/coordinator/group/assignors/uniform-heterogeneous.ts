import { assert } from '../../../base/assert.ts';
import { compareUuids, type Uuid } from '../../../base/uuid.ts';
import { hashOfUuid } from './java-hash-map.ts';
import { LoadBalancer } from './load-balancer.ts';
import {
  type AssignorMember,
  type MemberPartitions,
  PartitionAssignorError,
  type SubscribedTopics,
} from './partition-assignor.ts';
import { TargetAssignment } from './target-assignment.ts';

/** Balancing a topic unbalances others of the same members. Each round is taken to halve the difference. */
const ROUNDS_MAX = 16;

const NOBODY = -1;

interface WantedTopic {
  readonly topicId: Uuid;
  readonly hash: number;
  /** Indices of members, ascending. */
  readonly subscribers: number[];
  /** The member of each partition. */
  readonly owners: Int32Array;
}

/**
 * The uniform assignment of members that want different topics: each keeps what it still wants, what nobody has goes to the least loaded members
 * that want it, and then partitions move, topic by topic, from the most to the least loaded of its subscribers until that helps no more.
 */
export function assignHeterogeneous(
  members: readonly AssignorMember[],
  topics: SubscribedTopics,
): ReadonlyMap<string, MemberPartitions> {
  const balancing = new Balancing(members, wantedTopics(members, topics));
  balancing.keepWanted();
  balancing.handOut();
  balancing.balance();
  return balancing.result();
}

function wantedTopics(members: readonly AssignorMember[], topics: SubscribedTopics): ReadonlyMap<Uuid, WantedTopic> {
  const wanted = new Map<Uuid, WantedTopic>();
  for (const [index, { subscribedTopicIds }] of members.entries()) {
    for (const topicId of subscribedTopicIds) {
      const known = wanted.get(topicId);
      if (known !== undefined) {
        known.subscribers.push(index);
        continue;
      }
      const count = topics.partitionCount(topicId);
      if (count < 0) {
        throw new PartitionAssignorError(`Members are subscribed to topic ${topicId} which doesn't exist in the topic metadata.`);
      }
      wanted.set(topicId, {
        topicId,
        hash: hashOfUuid(topicId),
        subscribers: [index],
        owners: new Int32Array(count).fill(NOBODY),
      });
    }
  }
  return wanted;
}

class Balancing {
  readonly #members: readonly AssignorMember[];
  readonly #wanted: ReadonlyMap<Uuid, WantedTopic>;
  readonly #targets: readonly TargetAssignment[];
  /** How many partitions each member has. */
  readonly #loads: Int32Array;
  readonly #balancer: LoadBalancer;
  /** Those with the most partitions a subscriber come first. */
  readonly #sorted: readonly WantedTopic[];

  constructor(members: readonly AssignorMember[], wanted: ReadonlyMap<Uuid, WantedTopic>) {
    const hashOf = (topicId: Uuid): number => wanted.get(topicId)?.hash ?? hashOfUuid(topicId);
    this.#members = members;
    this.#wanted = wanted;
    this.#targets = members.map(({ current }) => new TargetAssignment(current, hashOf));
    this.#loads = new Int32Array(members.length);
    this.#balancer = new LoadBalancer(this.#loads);
    this.#sorted = [...wanted.values()].toSorted(compareTopics);
  }

  result(): ReadonlyMap<string, MemberPartitions> {
    return new Map(this.#members.map(({ memberId }, index) => [memberId, this.#target(index).partitions()]));
  }

  keepWanted(): void {
    for (const [index, { current, subscribedTopicIds }] of this.#members.entries()) {
      for (const [topicId, partitions] of current) {
        if (!subscribedTopicIds.has(topicId)) {
          this.#target(index).deleteTopic(topicId);
          continue;
        }
        this.#load(index, partitions.length);
        const owners = this.#wanted.get(topicId)?.owners;
        for (const partition of partitions) owners?.fill(index, partition, partition + 1);
      }
    }
  }

  handOut(): void {
    for (const topic of this.#sorted) {
      if (!topic.owners.includes(NOBODY)) continue;
      this.#balancer.start(topic.subscribers);
      for (const [partition, owner] of topic.owners.entries()) {
        if (owner === NOBODY) this.#give(topic, partition, this.#balancer.nextReceiver());
      }
    }
  }

  /** Goes round the topics until none has changed since it was last here. */
  balance(): void {
    const shared = this.#sorted.filter(({ subscribers }) => subscribers.length > 1);
    let lastChanged = NOBODY;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      for (const [index, topic] of shared.entries()) {
        if (index === lastChanged) return;
        const hasChanged = this.#balanceTopic(topic);
        if (hasChanged || lastChanged === NOBODY) lastChanged = index;
      }
    }
  }

  #balanceTopic(topic: WantedTopic): boolean {
    const difference = this.#balancer.start(topic.subscribers);
    if (difference <= 1) return false;

    // What each member can still give: its highest partition first. What it gets here it keeps.
    const givable = new Map<number, number[]>();
    for (const [partition, owner] of topic.owners.entries()) {
      const partitions = givable.get(owner);
      if (partitions === undefined) givable.set(owner, [partition]);
      else partitions.push(partition);
    }
    const canGive = (member: number): boolean => (givable.get(member)?.length ?? 0) > 0;

    let hasChanged = false;
    while (!this.#balancer.isBalanced) {
      const giver = this.#balancer.nextGiver(canGive);
      if (giver === null) break;
      const partition = givable.get(giver)?.pop();
      assert(partition !== undefined, 'a member that can give has a partition');
      const receiver = this.#balancer.nextReceiver();
      if (this.#balancer.isBalanced) break;
      this.#target(giver).delete(topic.topicId, partition);
      this.#load(giver, -1);
      this.#give(topic, partition, receiver);
      hasChanged = true;
    }
    return hasChanged;
  }

  #give(topic: WantedTopic, partition: number, member: number): void {
    const share = Math.ceil(topic.owners.length / topic.subscribers.length);
    this.#target(member).add(topic.topicId, partition, share);
    topic.owners[partition] = member;
    this.#load(member, 1);
  }

  #target(member: number): TargetAssignment {
    const target = this.#targets[member];
    assert(target !== undefined, 'each member has a target');
    return target;
  }

  #load(member: number, partitions: number): void {
    this.#loads[member] = (this.#loads[member] ?? 0) + partitions;
  }
}

function compareTopics(left: WantedTopic, right: WantedTopic): number {
  const partitionsEach = right.owners.length / right.subscribers.length - left.owners.length / left.subscribers.length;
  return partitionsEach || left.subscribers.length - right.subscribers.length || compareUuids(left.topicId, right.topicId);
}
