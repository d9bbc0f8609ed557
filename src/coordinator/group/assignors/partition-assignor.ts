import type { Uuid } from '../../../base/uuid.ts';

/**
 * Topic id → partitions, as a list a topic. The order is Kafka's, not ascending: it is the order in which its hash tables give topics and partitions
 * back, which is the order in its records. Which partitions a member gives up depends on it, so keep it when it is written and read again.
 */
export type MemberPartitions = ReadonlyMap<Uuid, readonly number[]>;

export interface AssignorMember {
  readonly memberId: string;
  /** Of a static member (KIP-345). */
  readonly instanceId: string | null;
  /** No assignor of Kafka 4.4.0 looks at racks. */
  readonly rackId: string | null;
  /** Only topics that exist: names without a topic have no id. */
  readonly subscribedTopicIds: ReadonlySet<Uuid>;
  /** How many names it subscribes to, those without a topic among them; as many as there are ids where it is left out. */
  readonly subscriptionSize?: number;
  /** What the last target assignment gives to this member; of the static member that it replaces, if it does. */
  readonly current: MemberPartitions;
}

/** What an assignor may know of topics. */
export interface SubscribedTopics {
  /** −1 for a topic that does not exist. */
  partitionCount(topicId: Uuid): number;
}

export interface AssignorGroup {
  /** Members whose ids share a bin of Kafka's hash table are served in the order of this list. */
  readonly members: readonly AssignorMember[];
  /** Whether all members have the same subscription. */
  readonly isHomogeneous: boolean;
}

/**
 * Decides who reads what (KIP-848). The results are those of Apache Kafka 4.4.0, down to the order of members, topics and partitions, so that a
 * group which moves from one to the other does not rebalance.
 */
export interface PartitionAssignor {
  readonly name: string;
  /**
   * The partitions of all members, in the order in which Kafka writes its records. The uniform assignor gives a member that keeps what it has its
   * `current` itself back. Throws PartitionAssignorError.
   */
  assign(group: AssignorGroup, topics: SubscribedTopics): ReadonlyMap<string, MemberPartitions>;
}

/** No assignment can be made; the message is Kafka's. */
export class PartitionAssignorError extends Error {
  override readonly name = 'PartitionAssignorError';
}
