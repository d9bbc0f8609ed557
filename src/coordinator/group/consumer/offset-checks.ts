import type { TimelineEpoch } from '../../../base/timeline-map.ts';
import { type ErrorName, KafkaError } from '../../../protocol/errors.ts';
import type { CommitPartitionCheck, OffsetCommitter } from '../group.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupMember } from './consumer-group-member.ts';

/** From this version of OffsetCommit on it can tell a stale member epoch (KIP-848). */
const STALE_EPOCH_VERSION = 9;

/**
 * Who may commit offsets: a member, with its epoch or with an older one for partitions that it has had since then (KIP-1251); anybody while there are no members;
 * a transaction that does not say who it is. Throws UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH, ILLEGAL_GENERATION, UNSUPPORTED_VERSION.
 */
export function checkOffsetCommit(group: ConsumerGroup, committer: OffsetCommitter): CommitPartitionCheck | null {
  const { memberId, groupInstanceId, generationIdOrMemberEpoch: epoch, isTransactional, apiVersion } = committer;
  if (epoch < 0 && group.isEmpty()) return null;
  if (isTransactional && epoch === -1 && memberId === '' && groupInstanceId === null) return null;
  const member = group.knownMember(memberId);
  if (!isTransactional && member.classic === null && apiVersion < STALE_EPOCH_VERSION) {
    throw new KafkaError(
      'UNSUPPORTED_VERSION',
      `OffsetCommit version ${STALE_EPOCH_VERSION} or above must be used by members using the consumer group protocol`,
    );
  }
  if (epoch === member.memberEpoch) return null;
  const { error, word } = wordsFor(member);
  if (epoch > member.memberEpoch)
    throw new KafkaError(error, `Received ${word} ${epoch} is newer than current member epoch ${member.memberEpoch}.`);
  return ({ name, topicId }, partition) => {
    const since = member.assigned.get(topicId)?.get(partition) ?? member.pendingRevocation.get(topicId)?.get(partition);
    if (since === undefined)
      throw new KafkaError(error, `Partition ${name}-${partition} is not assigned or pending revocation for member.`);
    if (epoch < since) {
      throw new KafkaError(
        error,
        `Received ${word} ${epoch} is older than assignment epoch ${since} for partition ${name}-${partition}.`,
      );
    }
  };
}

/** Who may fetch offsets: anybody who does not say that he is a member, and members with their epoch. */
export function checkOffsetFetch(
  group: ConsumerGroup,
  { memberId, memberEpoch }: { readonly memberId: string | null; readonly memberEpoch: number },
  committedOffset: TimelineEpoch,
): void {
  if (memberId === null && memberEpoch < 0) return;
  const member = memberId === null ? undefined : group.memberAt(memberId, committedOffset);
  if (member === undefined)
    throw new KafkaError('UNKNOWN_MEMBER_ID', `Member ${memberId} is not a member of group ${group.groupId}.`);
  if (memberEpoch === member.memberEpoch) return;
  const { error, word } = wordsFor(member);
  throw new KafkaError(
    error,
    `The received ${word} ${memberEpoch} does not match the expected member epoch ${member.memberEpoch}.`,
  );
}

const wordsFor = ({ classic }: ConsumerGroupMember): { readonly error: ErrorName; readonly word: string } =>
  classic === null
    ? { error: 'STALE_MEMBER_EPOCH', word: 'member epoch' }
    : { error: 'ILLEGAL_GENERATION', word: 'generation id' };
