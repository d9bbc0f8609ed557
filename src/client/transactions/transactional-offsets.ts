import { ZERO_UUID } from '../../base/uuid.ts';
import { errorNameOf, KafkaError } from '../../protocol/errors.ts';
import { txnOffsetCommit } from '../../protocol/messages/28-txn-offset-commit.ts';
import type { ClusterMetadata } from '../cluster-metadata.ts';
import type { GroupCoordinator } from '../groups/group-coordinator.ts';
import type { OffsetToCommit } from '../groups/group-offsets.ts';
import type { MemberIdentity } from '../groups/membership.ts';

/** The last version that names topics; later ones need their ids. */
const LAST_VERSION_WITH_NAMES = 5;
/** The last version for clients that have added the group to the transaction by themselves. */
const LAST_ADDED_VERSION = 4;

export interface TransactionalCommit {
  readonly groupId: string;
  readonly identity: MemberIdentity;
  readonly offsets: readonly OffsetToCommit[];
  readonly producer: { readonly transactionalId: string; readonly producerId: number; readonly producerEpoch: number };
  readonly brokersAdd: boolean;
  readonly metadata: ClusterMetadata;
}

/** Commits offsets as part of a transaction. Throws the error of the first partition that was refused. */
export async function commitInTransaction(group: GroupCoordinator, commit: TransactionalCommit): Promise<void> {
  const { groupId, identity, offsets, producer, brokersAdd, metadata } = commit;
  const topics = [...Map.groupBy(offsets, ({ topic }) => topic)].map(([name, ofTopic]) => ({
    name,
    topicId: metadata.topic(name)?.id ?? ZERO_UUID,
    partitions: ofTopic.map(({ partition, offset, leaderEpoch, metadata: text }) => ({
      partitionIndex: partition,
      committedOffset: offset,
      committedLeaderEpoch: leaderEpoch ?? -1,
      committedMetadata: text ?? '',
    })),
  }));
  const hasIds = topics.every(({ topicId }) => topicId !== ZERO_UUID);
  const newest = hasIds ? txnOffsetCommit.maxVersion : LAST_VERSION_WITH_NAMES;
  const answer = await group.request(
    txnOffsetCommit,
    {
      ...producer,
      groupId,
      generationIdOrMemberEpoch: identity.epoch,
      memberId: identity.memberId,
      groupInstanceId: identity.instanceId,
      topics,
    },
    { maxVersion: brokersAdd ? newest : LAST_ADDED_VERSION },
  );
  for (const { partitions } of answer.topics)
    for (const { errorCode } of partitions) if (errorCode !== 0) throw new KafkaError(errorNameOf(errorCode));
}
