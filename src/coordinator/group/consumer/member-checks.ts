import { KafkaError } from '../../../protocol/errors.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import { type ConsumerGroupMember, JOIN_EPOCH, STATIC_LEAVE_EPOCH } from './consumer-group-member.ts';
import type { OwnedPartitions } from './current-assignment.ts';
import { hasPartition, type PartitionEpochs } from './partition-epochs.ts';

/** Throws GROUP_MAX_SIZE_REACHED for somebody who is no member yet of a group that is full. */
export function checkRoom(
  group: ConsumerGroup,
  { memberId, instanceId }: { readonly memberId: string; readonly instanceId: string | null },
  membersMax: number,
): void {
  if (group.hasStaticMember(instanceId) || group.size < membersMax || (memberId !== '' && group.isMember(memberId))) return;
  throw new KafkaError('GROUP_MAX_SIZE_REACHED', `The consumer group has reached its maximum capacity of ${membersMax} members.`);
}

/**
 * Throws FENCED_MEMBER_EPOCH unless the epoch is the member's. The previous one is good as well while the member has nothing that it may not have: it did not get the
 * answer that told it the new one.
 */
export function checkEpoch(member: ConsumerGroupMember, epoch: number, owned: OwnedPartitions | null): void {
  if (epoch === JOIN_EPOCH || epoch === member.memberEpoch) return;
  const isLate = epoch < member.memberEpoch;
  if (isLate && epoch === member.previousMemberEpoch && isPartOf(owned, member.assigned)) return;
  throw new KafkaError(
    'FENCED_MEMBER_EPOCH',
    `The consumer group member has a ${isLate ? 'smaller' : 'greater'} member epoch (${epoch}) than the one known by the group coordinator (${member.memberEpoch}). The member must abandon all its partitions and rejoin.`,
  );
}

function isPartOf(owned: OwnedPartitions | null, assigned: PartitionEpochs): boolean {
  if (owned === null) return false;
  return owned.every(
    ({ topicId, partitions }) =>
      assigned.has(topicId) && partitions.every((partition) => hasPartition(assigned, topicId, partition)),
  );
}

/** Throws UNRELEASED_INSTANCE_ID while the static member has not left. */
export function checkReleased(existing: ConsumerGroupMember, memberId: string): void {
  if (existing.memberEpoch === STATIC_LEAVE_EPOCH) return;
  throw new KafkaError(
    'UNRELEASED_INSTANCE_ID',
    `Static member ${memberId} with instance id ${existing.instanceId} cannot join the group because the instance id is owned by ${existing.memberId} member.`,
  );
}

/** The member with the instance id, which has to be the one that asks. Throws UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID. */
export function knownStaticMember(group: ConsumerGroup, instanceId: string, memberId: string): ConsumerGroupMember {
  const existing = group.staticMember(instanceId);
  if (existing === undefined) throw new KafkaError('UNKNOWN_MEMBER_ID', `Instance id ${instanceId} is unknown.`);
  checkNotFenced(existing, memberId);
  return existing;
}

/** Throws FENCED_INSTANCE_ID when another member has the instance id. */
export function checkNotFenced(existing: ConsumerGroupMember, memberId: string): void {
  if (existing.memberId === memberId) return;
  throw new KafkaError(
    'FENCED_INSTANCE_ID',
    `Static member ${memberId} with instance id ${existing.instanceId} was fenced by member ${existing.memberId}.`,
  );
}
