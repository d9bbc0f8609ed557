import { KafkaError } from '../../../protocol/errors.ts';
import type { OffsetCommitter, OffsetExpiration } from '../group.ts';
import type { ClassicGroup } from './classic-group.ts';

/** Throws what somebody gets who may not commit an offset of the group. */
export function validateOffsetCommit(group: ClassicGroup, committer: OffsetCommitter): void {
  const { memberId, groupInstanceId, generationIdOrMemberEpoch: generationId, isTransactional } = committer;
  if (group.state === 'Dead') throw new KafkaError('COORDINATOR_NOT_AVAILABLE');
  // Somebody who is in no group, a consumer with partitions of its own or an administrator, commits while there are no members.
  if (generationId < 0 && group.isEmpty()) return;
  if (generationId >= 0 || memberId !== '' || groupInstanceId !== null) {
    group.validateMember(memberId, groupInstanceId);
    if (generationId !== group.generationId) throw new KafkaError('ILLEGAL_GENERATION');
  } else if (!isTransactional && !group.isEmpty()) throw new KafkaError('UNKNOWN_MEMBER_ID');
  // It knows the generation from its JoinGroup, so it is not told that it is wrong, but that it comes too early.
  if (!isTransactional && group.state === 'CompletingRebalance') throw new KafkaError('REBALANCE_IN_PROGRESS');
}

/** Throws GROUP_ID_NOT_FOUND for a group that is no longer served. */
export function validateAlive(group: ClassicGroup): void {
  if (group.state === 'Dead') throw new KafkaError('GROUP_ID_NOT_FOUND', `Group ${group.groupId} is in dead state.`);
}

/** KIP-211. */
export function offsetExpiration(group: ClassicGroup): OffsetExpiration | null {
  const sinceCommit: OffsetExpiration = { baseTimestamp: ({ commitTimestamp }) => commitTimestamp };
  // A group without members: its offsets were committed by consumers that are in no group.
  if (group.protocolType === null) return sinceCommit;
  if (group.isEmpty()) {
    const { stateTimestamp } = group;
    return stateTimestamp === null ? sinceCommit : { baseTimestamp: () => stateTimestamp };
  }
  // Offsets of topics that no member wants any more expire while the group lives.
  return group.isOfConsumers && group.subscribedTopics !== null && group.state === 'Stable' ? sinceCommit : null;
}
