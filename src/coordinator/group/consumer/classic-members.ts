import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import type {
  ClassicProtocol,
  HeartbeatAnswer,
  HeartbeatRequest,
  LeaveAnswer,
  LeaveRequest,
  SyncAnswer,
  SyncRequest,
} from '../classic-protocol.ts';
import type { GroupRecord } from '../group-record.ts';
import { joinConsumerGroup } from './classic-join.ts';
import { type ConsumerGroup, NO_EPOCH } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import type { ClassicMemberMetadata, ConsumerGroupMember } from './consumer-group-member.ts';
import { CONSUMER_PROTOCOL_TYPE, writeAssignment } from './consumer-protocol.ts';
import { knownConsumerGroup } from './find-group.ts';
import { removeMembers } from './leave.ts';
import { checkNotFenced, knownStaticMember } from './member-checks.ts';
import { hasPartition, withoutEpochs } from './partition-epochs.ts';

/** What members of the classic protocol ask of a consumer group. */
export function classicMembersOf(context: ConsumerGroupContext): ClassicProtocol {
  const group = (groupId: string): ConsumerGroup => knownConsumerGroup(context, groupId);
  return {
    joinGroup: (client, request) => joinConsumerGroup(context, group(request.groupId), { client, request }),
    syncGroup: (_client, request) => syncInConsumerGroup(context, group(request.groupId), request),
    heartbeat: (_client, request) => heartbeatInConsumerGroup(context, group(request.groupId), request),
    leaveGroup: (_client, request) => leaveConsumerGroup(context, group(request.groupId), request),
  };
}

interface ClassicConsumer {
  readonly member: ConsumerGroupMember;
  readonly classic: ClassicMemberMetadata;
}

/** Who asks, as it says itself. */
interface AskingClassic {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly generationId: number;
}

/** SyncGroup: a member of the classic protocol asks for what it may read. Throws what a member gets that has to join again. */
function syncInConsumerGroup(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  request: SyncRequest,
): CoordinatorResult<GroupRecord, SyncAnswer> {
  const { groupId } = group;
  const { member, classic } = classicConsumer(group, request);
  checkProtocol(member, classic, request);
  if (group.epochs.assignmentEpoch > member.memberEpoch && member.state !== 'UNREVOKED_PARTITIONS') {
    context.timers.startJoinIfAbsent({ groupId, memberId: member.memberId }, member.rebalanceTimeoutMs);
    throw new KafkaError('REBALANCE_IN_PROGRESS');
  }
  const subscription = classic.supportedProtocols[0]?.metadata ?? Buffer.alloc(0);
  const partitions = new Map(withoutEpochs(member.assigned).map(({ topicId, partitions: indexes }) => [topicId, indexes]));
  const { protocolType, protocolName } = request;
  return {
    records: [],
    response: {
      errorCode: 0,
      protocolType,
      protocolName,
      assignment: writeAssignment(partitions, context.metadata().topics, subscription),
    },
    settled: (error) => {
      if (error !== null) return;
      context.timers.cancelSync({ groupId, memberId: member.memberId });
      context.timers.startSession({ groupId, memberId: member.memberId }, classic.sessionTimeoutMs);
    },
  };
}

/** Heartbeat of a member of the classic protocol: it has to join again whenever there is something to give or to take. */
function heartbeatInConsumerGroup(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  request: HeartbeatRequest,
): CoordinatorResult<GroupRecord, HeartbeatAnswer> {
  const { member, classic } = classicConsumer(group, request);
  const { memberId, memberEpoch, state, rebalanceTimeoutMs } = member;
  const timed = { groupId: group.groupId, memberId };
  context.timers.startSession(timed, classic.sessionTimeoutMs);
  const mustJoin =
    memberEpoch < group.epochs.assignmentEpoch ||
    state === 'UNREVOKED_PARTITIONS' ||
    (state === 'UNRELEASED_PARTITIONS' && !isWaitingForOthers(group, member));
  if (mustJoin) context.timers.startJoinIfAbsent(timed, rebalanceTimeoutMs);
  return { records: [], response: { errorCode: mustJoin ? codeOf('REBALANCE_IN_PROGRESS') : 0 } };
}

/** LeaveGroup: any members of the group, whatever they speak. */
function leaveConsumerGroup(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  request: LeaveRequest,
): CoordinatorResult<GroupRecord, LeaveAnswer> {
  const leaving = new Set<ConsumerGroupMember>();
  const members = request.members.map(({ memberId, groupInstanceId, reason }) => {
    try {
      const member = leaver(group, memberId, groupInstanceId);
      leaving.add(member);
      context.log.info('A member leaves', { group: group.groupId, member: member.memberId, instance: groupInstanceId, reason });
      return { memberId, groupInstanceId, errorCode: 0 };
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      return { memberId, groupInstanceId, errorCode: error.code };
    }
  });
  return { ...removeMembers(context, group, leaving), response: { errorCode: 0, members } };
}

function leaver(group: ConsumerGroup, memberId: string, instanceId: string | null): ConsumerGroupMember {
  if (instanceId === null) return group.knownMember(memberId);
  const member = group.staticMember(instanceId);
  if (member === undefined) throw new KafkaError('UNKNOWN_MEMBER_ID', `Instance id ${instanceId} is unknown.`);
  if (memberId !== '') checkNotFenced(member, memberId);
  return member;
}

/** The member that asks. Throws UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, ILLEGAL_GENERATION. */
function classicConsumer(group: ConsumerGroup, { memberId, groupInstanceId, generationId }: AskingClassic): ClassicConsumer {
  const member = groupInstanceId === null ? group.knownMember(memberId) : knownStaticMember(group, groupInstanceId, memberId);
  const { classic, memberEpoch } = member;
  if (classic === null) throw new KafkaError('UNKNOWN_MEMBER_ID', `Member ${memberId} does not use the classic protocol.`);
  if (memberEpoch !== generationId) throw new KafkaError('ILLEGAL_GENERATION');
  return { member, classic };
}

function checkProtocol({ memberId }: ConsumerGroupMember, classic: ClassicMemberMetadata, request: SyncRequest): void {
  const { protocolType, protocolName } = request;
  const isType = protocolType === null || protocolType === CONSUMER_PROTOCOL_TYPE;
  const isName = protocolName === null || protocolName === classic.supportedProtocols[0]?.name;
  if (isType && isName) return;
  throw new KafkaError('INCONSISTENT_GROUP_PROTOCOL', `Member ${memberId} asks for another protocol than it was told.`);
}

/** Whether somebody still has what the member is to get. */
function isWaitingForOthers(group: ConsumerGroup, member: ConsumerGroupMember): boolean {
  for (const [topicId, partitions] of group.target(member.memberId)) {
    const isTaken = (partition: number): boolean =>
      !hasPartition(member.assigned, topicId, partition) && group.partitionEpoch(topicId, partition) !== NO_EPOCH;
    if (partitions.some(isTaken)) return true;
  }
  return false;
}
