/** What the APIs of offsets ask of the coordinator and are told, beyond versions of the wire. */

interface OfTopic {
  readonly name: string;
  /** All zero where it is not known. */
  readonly topicId: string;
}

export interface OffsetToCommit {
  readonly partitionIndex: number;
  readonly committedOffset: number;
  readonly committedLeaderEpoch: number;
  readonly committedMetadata: string | null;
}

export interface OffsetsToCommit {
  readonly groupId: string;
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  /** −1 for somebody who is in no group. */
  readonly generationIdOrMemberEpoch: number;
  readonly topics: readonly (OfTopic & { readonly partitions: readonly OffsetToCommit[] })[];
}

export interface OffsetCommitRequest extends OffsetsToCommit {
  /** How long the offsets are kept; −1 for as long as the broker says. */
  readonly retentionTimeMs: number;
}

export interface TxnOffsetCommitRequest extends OffsetsToCommit {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

export interface PartitionOutcome {
  readonly partitionIndex: number;
  readonly errorCode: number;
}

/** How it went with each partition, in the order of the request. */
export type TopicOutcomes = OfTopic & { readonly partitions: readonly PartitionOutcome[] };

export interface OffsetFetchRequest {
  readonly groupId: string;
  readonly memberId: string | null;
  /** −1 for somebody who is in no group. */
  readonly memberEpoch: number;
  /** Null for all. */
  readonly topics: readonly (OfTopic & { readonly partitionIndexes: readonly number[] })[] | null;
}

export interface FetchedOffset {
  readonly partitionIndex: number;
  readonly committedOffset: number;
  readonly committedLeaderEpoch: number;
  readonly metadata: string;
  readonly errorCode: number;
}

export type FetchedOffsets = OfTopic & { readonly partitions: readonly FetchedOffset[] };

export interface OffsetDeleteRequest {
  readonly groupId: string;
  readonly topics: readonly {
    readonly name: string;
    readonly partitions: readonly { readonly partitionIndex: number }[];
  }[];
}
