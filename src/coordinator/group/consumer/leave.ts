import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import { type ConsumerGroupMember, regexOf, STATIC_LEAVE_EPOCH } from './consumer-group-member.ts';
import {
  currentAssignmentRecord,
  groupEpochRecord,
  memberTombstones,
  regularExpressionTombstone,
  targetAssignmentEpochRecord,
} from './consumer-group-records.ts';
import { downgrade, isDowngradeDue } from './downgrade.ts';
import { knownConsumerGroup } from './find-group.ts';
import type { HeartbeatAnswer, HeartbeatRequest } from './heartbeat.ts';
import { knownStaticMember } from './member-checks.ts';
import { NO_PARTITIONS, withEpoch } from './partition-epochs.ts';
import { count, countMatches, countNames } from './subscription-count.ts';

/** When an assignment was made that nobody made: any time is long enough after it. */
const NO_TIMESTAMP = 0;

/** A heartbeat of a member that leaves; a static one may leave for a while, and keeps its partitions. Throws GROUP_ID_NOT_FOUND, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID. */
export function leave(
  context: ConsumerGroupContext,
  { groupId, memberId, instanceId, memberEpoch }: HeartbeatRequest,
): CoordinatorResult<GroupRecord, HeartbeatAnswer> {
  const group = knownConsumerGroup(context, groupId);
  const member = instanceId === null ? group.knownMember(memberId) : knownStaticMember(group, instanceId, memberId);
  const response = { memberId, memberEpoch, heartbeatIntervalMs: 0 };
  if (instanceId !== null && memberEpoch === STATIC_LEAVE_EPOCH)
    return { records: [currentAssignmentRecord(groupId, gone(member))], response };
  return { ...removeMembers(context, group, new Set([member])), response };
}

/** The static member while it is away. */
const gone = (member: ConsumerGroupMember): ConsumerGroupMember => ({
  ...member,
  memberEpoch: STATIC_LEAVE_EPOCH,
  assigned: withEpoch(
    Array.from(member.assigned, ([topicId, partitions]) => [topicId, partitions.keys()]),
    0,
  ),
  pendingRevocation: NO_PARTITIONS,
});

/** Members go, and the group has a new epoch; it becomes a classic group where only members of the classic protocol are left. */
export function removeMembers(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  members: ReadonlySet<ConsumerGroupMember>,
): Omit<CoordinatorResult<GroupRecord>, 'response'> {
  if (members.size === 0) return { records: [] };
  const { groupId } = group;
  if (isDowngradeDue(context, group, members)) {
    const kept: GroupRecord[] = [];
    downgrade(context, group, { leaving: members, joining: null, rebalanceReason: 'its last consumers have left' }, kept);
    return { records: kept, isReplayed: false };
  }
  const records = [...members].flatMap(({ memberId }) => memberTombstones(groupId, memberId));
  const subscriptions = group.copyOfSubscriptions();
  for (const member of members) countNames(subscriptions, member, null);
  for (const regex of regexesOfNobodyElse(group, members)) {
    records.push(regularExpressionTombstone(groupId, regex));
    countMatches(subscriptions, group.resolvedRegex(regex)?.topics, undefined);
  }
  const groupEpoch = group.epochs.groupEpoch + 1;
  records.push(groupEpochRecord(groupId, groupEpoch, context.hashes.ofGroup(subscriptions.keys(), context.metadata())));
  // Nobody is left who would ask for an assignment.
  if (group.size === members.size) records.push(targetAssignmentEpochRecord(groupId, groupEpoch, NO_TIMESTAMP));
  for (const { memberId } of members) context.timers.cancelAll({ groupId, memberId });
  return { records };
}

function regexesOfNobodyElse(group: ConsumerGroup, members: ReadonlySet<ConsumerGroupMember>): string[] {
  const leaving = new Map<string, number>();
  for (const member of members) {
    const regex = regexOf(member);
    if (regex !== null) count(leaving, regex, 1);
  }
  return [...leaving].flatMap(([regex, leavers]) => (group.membersWithRegex(regex) === leavers ? [regex] : []));
}
