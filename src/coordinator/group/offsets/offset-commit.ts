import type { Millis } from '../../../base/clock.ts';
import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import type { CommitPartitionCheck, OffsetCommitter } from '../group.ts';
import { offsetCommitRecord, UNKNOWN } from './committed-offset.ts';
import type { OffsetCommitRequest, OffsetsToCommit, TopicOutcomes, TxnOffsetCommitRequest } from './offset-requests.ts';

/** From here on clients know GROUP_ID_NOT_FOUND (KIP-848). */
const GROUP_ID_NOT_FOUND_VERSION = { plain: 9, transactional: 6 } as const;
/** From here on transactional commits may be told STALE_MEMBER_EPOCH. */
const STALE_MEMBER_EPOCH_VERSION = 6;

const TOO_LARGE = codeOf('OFFSET_METADATA_TOO_LARGE');

type CommitResult = CoordinatorResult<GroupRecord, readonly TopicOutcomes[]>;

/** Commits offsets. Throws the KafkaError of a group or a member that may not. */
export function commitOffsets(context: GroupShardContext, request: OffsetCommitRequest, apiVersion: number): CommitResult {
  const now = context.environment.clock.now();
  const { retentionTimeMs } = request;
  const expireTimestamp = retentionTimeMs === UNKNOWN ? UNKNOWN : Math.min(now + retentionTimeMs, Number.MAX_SAFE_INTEGER);
  return commit(context, request, { committer: committerOf(request, apiVersion, false), now, expireTimestamp });
}

/** The same for offsets that count when a transaction is committed. */
export function commitTransactionalOffsets(
  context: GroupShardContext,
  request: TxnOffsetCommitRequest,
  apiVersion: number,
): CommitResult {
  const now = context.environment.clock.now();
  try {
    return commit(context, request, { committer: committerOf(request, apiVersion, true), now, expireTimestamp: UNKNOWN });
  } catch (error) {
    const isStale = error instanceof KafkaError && error.errorName === 'STALE_MEMBER_EPOCH';
    throw isStale && apiVersion < STALE_MEMBER_EPOCH_VERSION ? new KafkaError('ILLEGAL_GENERATION') : error;
  }
}

const committerOf = (request: OffsetsToCommit, apiVersion: number, isTransactional: boolean): OffsetCommitter => ({
  memberId: request.memberId,
  groupInstanceId: request.groupInstanceId,
  generationIdOrMemberEpoch: request.generationIdOrMemberEpoch,
  isTransactional,
  apiVersion,
});

/** Gives what has to look at each partition; null for nothing. */
const validate = ({ groups }: GroupShardContext, groupId: string, committer: OffsetCommitter): CommitPartitionCheck | null => {
  const group = groups.get(groupId);
  if (group === undefined) {
    // Who is in no group may use one for its offsets: it comes into being with the first.
    if (committer.generationIdOrMemberEpoch < 0) return null;
    const { plain, transactional } = GROUP_ID_NOT_FOUND_VERSION;
    const isKnownError = committer.apiVersion >= (committer.isTransactional ? transactional : plain);
    throw new KafkaError(isKnownError ? 'GROUP_ID_NOT_FOUND' : 'ILLEGAL_GENERATION');
  }
  const check = group.validateOffsetCommit(committer);
  if (!committer.isTransactional) group.committed?.(committer.memberId);
  return check;
};

const commit = (
  context: GroupShardContext,
  { groupId, topics }: OffsetsToCommit,
  {
    committer,
    now,
    expireTimestamp,
  }: { readonly committer: OffsetCommitter; readonly now: Millis; readonly expireTimestamp: Millis },
): CommitResult => {
  const check = validate(context, groupId, committer);
  const metadataLengthMax = context.config()['offset.metadata.max.bytes'];
  const records: GroupRecord[] = [];
  const response = topics.map(({ partitions, ...topic }) => ({
    ...topic,
    partitions: partitions.map(({ partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata }) => {
      const metadata = committedMetadata ?? '';
      if (metadata.length > metadataLengthMax) return { partitionIndex, errorCode: TOO_LARGE };
      check?.(topic, partitionIndex);
      records.push(
        offsetCommitRecord(
          { group: groupId, topic: topic.name, partition: partitionIndex },
          {
            offset: committedOffset,
            leaderEpoch: committedLeaderEpoch,
            metadata,
            commitTimestamp: now,
            expireTimestamp,
            topicId: topic.topicId,
          },
        ),
      );
      return { partitionIndex, errorCode: 0 };
    }),
  }));
  return { records, response };
};
