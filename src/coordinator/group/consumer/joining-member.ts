import type { GroupRecord } from '../group-record.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import { type ConsumerGroupMember, newMember } from './consumer-group-member.ts';
import {
  currentAssignmentRecord,
  memberMetadataRecord,
  memberTombstones,
  targetAssignmentRecord,
} from './consumer-group-records.ts';
import type { OwnedPartitions } from './current-assignment.ts';
import { checkEpoch, checkReleased, knownStaticMember } from './member-checks.ts';

/** Who asks, as it says itself. */
export interface AskingMember {
  readonly memberId: string;
  readonly instanceId: string | null;
  /** Whether somebody who is no member becomes one. */
  readonly mayJoin: boolean;
}

/** The same for a member that speaks the consumer protocol. */
export interface HeartbeatingMember extends AskingMember {
  readonly memberEpoch: number;
  readonly owned: OwnedPartitions | null;
}

/** The member that a heartbeat comes from. Throws UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, UNRELEASED_INSTANCE_ID, FENCED_INSTANCE_ID. */
export function memberOfHeartbeat(group: ConsumerGroup, asking: HeartbeatingMember, records: GroupRecord[]): ConsumerGroupMember {
  const { memberId, instanceId, mayJoin, memberEpoch, owned } = asking;
  if (instanceId === null) {
    const member = mayJoin ? (group.member(memberId) ?? newMember(memberId)) : group.knownMember(memberId);
    checkEpoch(member, memberEpoch, owned);
    return member;
  }
  if (!mayJoin) {
    const member = knownStaticMember(group, instanceId, memberId);
    checkEpoch(member, memberEpoch, owned);
    return member;
  }
  const existing = group.staticMember(instanceId);
  // A member of the classic protocol cannot say that it has left for a while.
  if (existing !== undefined && existing.classic === null) checkReleased(existing, memberId);
  return existing === undefined ? (group.member(memberId) ?? newMember(memberId)) : inPlaceOf(group, existing, memberId, records);
}

/** The member that a JoinGroup of the classic protocol comes from. Throws UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID. */
export function memberOfJoinGroup(group: ConsumerGroup, asking: AskingMember, records: GroupRecord[]): ConsumerGroupMember {
  const { memberId, instanceId, mayJoin } = asking;
  if (instanceId === null) return group.member(memberId) ?? newMember(memberId);
  if (!mayJoin) return knownStaticMember(group, instanceId, memberId);
  const existing = group.staticMember(instanceId);
  return existing === undefined ? (group.member(memberId) ?? newMember(memberId)) : inPlaceOf(group, existing, memberId, records);
}

/** A static member that comes back under another id has what it had. */
function inPlaceOf(
  group: ConsumerGroup,
  existing: ConsumerGroupMember,
  memberId: string,
  records: GroupRecord[],
): ConsumerGroupMember {
  const { groupId } = group;
  const member = { ...existing, memberId, memberEpoch: 0, previousMemberEpoch: 0 };
  records.push(
    ...memberTombstones(groupId, existing.memberId),
    memberMetadataRecord(groupId, member),
    targetAssignmentRecord(groupId, memberId, group.target(existing.memberId)),
    currentAssignmentRecord(groupId, member),
  );
  return member;
}
