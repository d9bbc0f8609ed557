import { randomUuid } from '../../../base/uuid.ts';
import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import { ProtocolError } from '../../../protocol/codec.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import { type GroupClient, type JoinAnswer, joinRefusal, type JoinRequest } from '../classic-protocol.ts';
import type { GroupRecord } from '../group-record.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import { type ConsumerGroupMember, sameOrNewSet } from './consumer-group-member.ts';
import { CONSUMER_PROTOCOL_TYPE, type ConsumerSubscription, readSubscription, withTopicIds } from './consumer-protocol.ts';
import { downgrade, isDowngradeDueFor } from './downgrade.ts';
import { groupEpochAfter, keepMetadata } from './heartbeat.ts';
import { memberOfJoinGroup } from './joining-member.ts';
import { checkRoom } from './member-checks.ts';
import { reconcile, targetFor } from './reconcile.ts';

/** New members have to come back with their id from this version on (KIP-394). */
const REQUIRED_MEMBER_ID_VERSION = 4;

const NOT_TOLD = -1;

/** JoinGroup of a member of the classic protocol to a consumer group: an own step towards its target, as a heartbeat is for the others. */
export function joinConsumerGroup(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  { client, request }: { readonly client: GroupClient; readonly request: JoinRequest },
): CoordinatorResult<GroupRecord, JoinAnswer> {
  checkMigration(context, group);
  const { groupId, groupInstanceId: instanceId } = request;
  const isNew = request.memberId === '';
  const memberId = isNew ? randomUuid(context.environment.random) : request.memberId;
  checkRoom(group, { memberId, instanceId }, context.config()['group.consumer.max.size']);
  checkProtocols(group, memberId, request);
  if (isNew && instanceId === null && client.apiVersion >= REQUIRED_MEMBER_ID_VERSION)
    return { records: [], response: joinRefusal(memberId, codeOf('MEMBER_ID_REQUIRED')) };
  const records: GroupRecord[] = [];
  const before = memberOfJoinGroup(group, { memberId, instanceId, mayJoin: isNew || instanceId === null }, records);
  const replaced = group.staticMember(instanceId);
  const isDowngraded = replaced !== undefined && isDowngradeDueFor(context, group, replaced);
  const subscription = subscriptionOf(request);
  const joining = toldBy(client, { request, subscription, before });
  const { after, isReconciled } = stepOf(context, group, { before, joining, subscription, isDowngraded, records });
  if (isDowngraded) {
    const rebalanceReason = isReconciled ? null : `group ${groupId} becomes a classic one while its assignment is old`;
    downgrade(context, group, { leaving: new Set(), joining: after, rebalanceReason }, records);
  }
  return {
    records,
    isReplayed: !isDowngraded,
    response: {
      errorCode: 0,
      memberId,
      generationId: after.memberEpoch,
      protocolType: CONSUMER_PROTOCOL_TYPE,
      protocolName: after.classic?.supportedProtocols[0]?.name ?? null,
      leader: '',
      members: [],
    },
    settled: (error) => {
      if (error !== null) return;
      context.timers.cancelJoin({ groupId, memberId });
      if (isDowngraded) return;
      context.timers.startSession({ groupId, memberId }, request.sessionTimeoutMs);
      context.timers.startSync({ groupId, memberId }, request.rebalanceTimeoutMs);
    },
  };
}

function checkMigration({ config }: ConsumerGroupContext, { groupId }: ConsumerGroup): void {
  if (config()['group.consumer.migration.policy'].toUpperCase() !== 'DISABLED') return;
  throw new KafkaError(
    'INCONSISTENT_GROUP_PROTOCOL',
    `Cannot join the consumer group ${groupId} with the classic protocol because the group migration is disabled.`,
  );
}

/** The member has to know a protocol that all the others of the classic protocol know. */
function checkProtocols(group: ConsumerGroup, memberId: string, { protocolType, protocols }: JoinRequest): void {
  const names = [...new Set(protocols.map(({ name }) => name))];
  const isKnown = group.isEmpty()
    ? names.length > 0
    : names.some((name) => group.membersWithClassicProtocol(name) === group.classicMembers);
  if (protocolType === CONSUMER_PROTOCOL_TYPE && isKnown) return;
  throw new KafkaError('INCONSISTENT_GROUP_PROTOCOL', `Member ${memberId}'s protocols are not supported.`);
}

function subscriptionOf({ protocols }: JoinRequest): ConsumerSubscription {
  try {
    return readSubscription(protocols[0]?.metadata ?? Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new KafkaError('INCONSISTENT_GROUP_PROTOCOL', 'Malformed embedded consumer protocol in subscription deserialization.');
  }
}

/** The member with what it says of itself this time. */
function toldBy(
  client: GroupClient,
  {
    request,
    subscription,
    before,
  }: { readonly request: JoinRequest; readonly subscription: ConsumerSubscription; readonly before: ConsumerGroupMember },
): ConsumerGroupMember {
  const { groupInstanceId, rebalanceTimeoutMs, sessionTimeoutMs, protocols } = request;
  const rackId = subscription.rackId === '' ? null : subscription.rackId;
  return {
    ...before,
    instanceId: groupInstanceId ?? before.instanceId,
    rackId: rackId ?? before.rackId,
    rebalanceTimeoutMs: rebalanceTimeoutMs === NOT_TOLD ? before.rebalanceTimeoutMs : rebalanceTimeoutMs,
    subscribedTopicNames: sameOrNewSet(before.subscribedTopicNames, subscription.topics),
    subscribedTopicRegex: '',
    clientId: client.clientId,
    clientHost: client.clientHost,
    classic: { sessionTimeoutMs, supportedProtocols: protocols.map(({ name, metadata }) => ({ name, metadata })) },
  };
}

interface JoinStep {
  readonly before: ConsumerGroupMember;
  readonly joining: ConsumerGroupMember;
  readonly subscription: ConsumerSubscription;
  readonly isDowngraded: boolean;
  readonly records: GroupRecord[];
}

/** The member's next step. A group that is about to become a classic one makes no new assignment: its members do. */
function stepOf(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  { before, joining, subscription, isDowngraded, records }: JoinStep,
): { readonly after: ConsumerGroupMember; readonly isReconciled: boolean } {
  const haveNamesChanged = keepMetadata(group, { before, after: joining, records });
  const regex = context.regularExpressions.update(context, null, { group, before, after: joining, records });
  const isDue = haveNamesChanged || regex !== 'same';
  const { groupEpoch, isHomogeneous } = groupEpochAfter(context, group, { before, after: joining, isDue, records });
  const { assignmentEpoch } = group.epochs;
  if (isDowngraded && assignmentEpoch < groupEpoch) return { after: joining, isReconciled: false };
  const target = isDowngraded
    ? { targetEpoch: assignmentEpoch, target: group.target(joining.memberId, joining.instanceId) }
    : targetFor(context, group, { before, after: joining, groupEpoch, isHomogeneous, records });
  const owned = withTopicIds(subscription.ownedPartitions, context.metadata().topics);
  const after = reconcile(context, group, { ...target, member: joining, hasSubscriptionChanged: isDue, owned, records });
  return { after, isReconciled: true };
}
