import { randomUuid } from '../../../base/uuid.ts';
import type { consumerGroupHeartbeat } from '../../../protocol/messages/68-consumer-group-heartbeat.ts';
import type { RequestOf, ResponseInput } from '../../../protocol/schema.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import { ClassicGroup } from '../classic/classic-group.ts';
import type { GroupRecord } from '../group-record.ts';
import { askedAssignor, askedAssignorAfter, defaultAssignor } from './assignor-choice.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerClient, ConsumerGroupContext } from './consumer-group-context.ts';
import { type ConsumerGroupMember, JOIN_EPOCH, sameMetadata, sameOrNewSet } from './consumer-group-member.ts';
import { memberMetadataRecord } from './consumer-group-records.ts';
import { groupOfMember, groupToJoin } from './find-group.ts';
import { type MemberChange, nextGroupEpoch } from './group-epoch.ts';
import { memberOfHeartbeat } from './joining-member.ts';
import { checkRoom } from './member-checks.ts';
import { samePartitions, withoutEpochs } from './partition-epochs.ts';
import { reconcile, targetFor } from './reconcile.ts';

export type HeartbeatRequest = RequestOf<typeof consumerGroupHeartbeat>;
export type HeartbeatAnswer = ResponseInput<typeof consumerGroupHeartbeat>;

/** In a field of a heartbeat: as before. */
const NOT_TOLD = -1;

/** A heartbeat of a member that joins or is there: what it says about itself, the epoch that follows from it, and its next step to its target. */
export function heartbeat(
  context: ConsumerGroupContext,
  client: ConsumerClient,
  request: HeartbeatRequest,
): CoordinatorResult<GroupRecord, HeartbeatAnswer> {
  const { groupId, instanceId, memberEpoch, topicPartitions: owned } = request;
  const mayJoin = memberEpoch === JOIN_EPOCH;
  const records: GroupRecord[] = [];
  const group = mayJoin ? groupToJoin(context, groupId, records) : groupOfMember(context, groupId);
  checkRoom(group, request, context.config()['group.consumer.max.size']);
  const memberId = request.memberId === '' ? randomUuid(context.environment.random) : request.memberId;
  const before = memberOfHeartbeat(group, { memberId, instanceId, memberEpoch, owned, mayJoin }, records);
  const change = { before, after: toldBy(client, request, before) };
  const { isDue, hasSubscriptionChanged } = changesOf(context, client, { ...change, group, records });
  const { groupEpoch, isHomogeneous } = groupEpochAfter(context, group, { ...change, isDue, records });
  const target = targetFor(context, group, { ...change, groupEpoch, isHomogeneous, records });
  const after = reconcile(context, group, { ...target, member: change.after, hasSubscriptionChanged, owned, records });
  const groupConfig = context.groupConfig(groupId);
  context.timers.startSession({ groupId, memberId }, groupConfig['consumer.session.timeout.ms']);
  // The classic group that becomes this one, if there is one, does nothing any more.
  const classic = context.groups.get(groupId);
  if (classic instanceof ClassicGroup) context.classic.release(classic);
  const isAssignmentTold = mayJoin || isFull(request) || !samePartitions(before.assigned, after.assigned);
  return {
    records,
    response: {
      memberId,
      memberEpoch: after.memberEpoch,
      heartbeatIntervalMs: groupConfig['consumer.heartbeat.interval.ms'],
      assignment: isAssignmentTold ? { topicPartitions: withoutEpochs(after.assigned) } : null,
    },
  };
}

/** The member with what it says of itself this time. */
const toldBy = (client: ConsumerClient, request: HeartbeatRequest, before: ConsumerGroupMember): ConsumerGroupMember => ({
  ...before,
  instanceId: request.instanceId ?? before.instanceId,
  rackId: request.rackId ?? before.rackId,
  rebalanceTimeoutMs: request.rebalanceTimeoutMs === NOT_TOLD ? before.rebalanceTimeoutMs : request.rebalanceTimeoutMs,
  serverAssignor: request.serverAssignor ?? before.serverAssignor,
  subscribedTopicNames:
    request.subscribedTopicNames === null
      ? before.subscribedTopicNames
      : sameOrNewSet(before.subscribedTopicNames, request.subscribedTopicNames),
  subscribedTopicRegex: request.subscribedTopicRegex ?? before.subscribedTopicRegex,
  clientId: client.clientId,
  clientHost: client.clientHost,
  classic: null,
});

/** Somebody who says everything has forgotten what it was told, or was told nothing: it is told everything. */
const isFull = ({ rebalanceTimeoutMs, subscribedTopicNames, subscribedTopicRegex, topicPartitions }: HeartbeatRequest): boolean =>
  rebalanceTimeoutMs !== NOT_TOLD && (subscribedTopicNames !== null || subscribedTopicRegex !== null) && topicPartitions !== null;

interface Changing extends MemberChange {
  readonly group: ConsumerGroup;
  readonly records: GroupRecord[];
}

/** Keeps what is new of a member. `isDue`: the group has to have another assignment because of it. */
function changesOf(
  context: ConsumerGroupContext,
  client: ConsumerClient,
  { group, before, after, records }: Changing,
): { readonly isDue: boolean; readonly hasSubscriptionChanged: boolean } {
  const haveNamesChanged = keepMetadata(group, { before, after, records });
  const regex = context.regularExpressions.update(context, client, { group, before, after, records });
  const byDefault = defaultAssignor(context.assignors());
  const hasAssignorChanged =
    before.serverAssignor !== after.serverAssignor &&
    (askedAssignor(group.copyOfServerAssignors()) ?? byDefault) !== (askedAssignorAfter(group, { before, after }) ?? byDefault);
  return {
    isDue: haveNamesChanged || regex === 'resolved' || hasAssignorChanged,
    hasSubscriptionChanged: haveNamesChanged || regex !== 'same',
  };
}

/** Gives whether the topics that the member names are others. */
export function keepMetadata(group: ConsumerGroup, { before, after, records }: Omit<Changing, 'group'>): boolean {
  if (sameMetadata(before, after)) return false;
  records.push(memberMetadataRecord(group.groupId, after));
  return before.subscribedTopicNames !== after.subscribedTopicNames;
}

/** The epoch of the group: a new one if it is due, or if its topics have changed. */
export function groupEpochAfter(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  { before, after, isDue, records }: Omit<Changing, 'group'> & { readonly isDue: boolean },
): { readonly groupEpoch: number; readonly isHomogeneous: boolean | null } {
  if (!isDue && !group.isMetadataExpired(context.environment.clock.now()))
    return { groupEpoch: group.epochs.groupEpoch, isHomogeneous: null };
  const next = nextGroupEpoch(context, group, { before, after, isDue });
  records.push(...next.records);
  return next;
}
