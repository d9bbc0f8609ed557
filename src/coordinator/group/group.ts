import type { TimelineEpoch } from '../../base/timeline-map.ts';
import type { Millis } from '../../base/clock.ts';
import type { Uuid } from '../../base/uuid.ts';
import type { GroupRecord } from './group-record.ts';

export type GroupType = 'classic' | 'consumer' | 'share' | 'streams';

/** Who commits offsets, as it says itself. */
export interface OffsetCommitter {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** The generation of a classic group, the member epoch of a consumer group; −1 for somebody who is in no group. */
  readonly generationIdOrMemberEpoch: number;
  readonly isTransactional: boolean;
  /** Of OffsetCommit or TxnOffsetCommit: which errors there are depends on it. */
  readonly apiVersion: number;
}

/** Looks at one partition that is committed to. Throws the KafkaError that the whole request gets: nothing of it is committed then. */
export type CommitPartitionCheck = (topic: { readonly name: string; readonly topicId: Uuid }, partition: number) => void;

/** When a committed offset of a group may be forgotten (KIP-211). */
export interface OffsetExpiration {
  /** The time from which the retention counts. */
  baseTimestamp(offset: { readonly commitTimestamp: Millis }): Millis;
}

/** What all kinds of groups have in common. State that is asked for "at" an offset is what was true when everything below it was written. */
export interface Group {
  readonly groupId: string;
  readonly type: GroupType;
  /** As Kafka spells it: Empty, PreparingRebalance, CompletingRebalance, Stable, Dead; Assigning, Reconciling … */
  stateAt(committedOffset: TimelineEpoch): string;
  /** What ListGroups says: `consumer` for consumers; null or empty for a group that only holds offsets. */
  protocolTypeAt(committedOffset: TimelineEpoch): string;
  isEmpty(): boolean;
  isMember(memberId: string): boolean;
  /**
   * Throws the KafkaError that somebody gets who may not commit. Gives what has to look at each of the partitions as well, for a member whose epoch is older
   * than the group's (KIP-1251); null for nothing.
   */
  validateOffsetCommit(committer: OffsetCommitter): CommitPartitionCheck | null;
  /** The same for fetching; only somebody who gives a member id or epoch is checked. */
  validateOffsetFetch(
    reader: { readonly memberId: string | null; readonly memberEpoch: number },
    committedOffset: TimelineEpoch,
  ): void;
  /** Throws GROUP_ID_NOT_FOUND or NON_EMPTY_GROUP. */
  validateOffsetDelete(): void;
  /** Throws GROUP_ID_NOT_FOUND or NON_EMPTY_GROUP. */
  validateDelete(): void;
  /** Whether offsets of the topic are in use. */
  isSubscribedTo(topic: string): boolean;
  /** Null while offsets of the group do not expire. */
  offsetExpiration(): OffsetExpiration | null;
  /** The records that remove the group, without its offsets. */
  tombstones(): GroupRecord[];
  /** A commit of this member has come, which counts as a sign of life where it does in Kafka (classic groups). */
  committed?(memberId: string): void;
}
