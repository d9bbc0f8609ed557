import { KafkaError } from '../../../protocol/errors.ts';
import { type MemberPartitions, PartitionAssignorError } from '../assignors/partition-assignor.ts';
import type { GroupRecord } from '../group-record.ts';
import { askedAssignorAfter, defaultAssignor } from './assignor-choice.ts';
import { type ConsumerGroup, NO_EPOCH } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import { type ConsumerGroupMember, isReconciledTo, sameCurrentAssignment } from './consumer-group-member.ts';
import { currentAssignmentRecord } from './consumer-group-records.ts';
import { nextAssignment, type OwnedPartitions } from './current-assignment.ts';
import type { MemberChange } from './group-epoch.ts';
import { newTargetAssignment } from './target-assignment-builder.ts';

/** What a member shall have in the end, and the epoch that it goes to. */
export interface Target {
  readonly targetEpoch: number;
  readonly target: MemberPartitions;
}

export interface TargetOptions extends MemberChange {
  readonly groupEpoch: number;
  /** Whether all members have the same subscription; null where nothing has changed. */
  readonly isHomogeneous: boolean | null;
  readonly records: GroupRecord[];
}

/** The target of a member, which is a new one where the group epoch has grown and the last assignment is old enough (KIP-1263). */
export function targetFor(context: ConsumerGroupContext, group: ConsumerGroup, options: TargetOptions): Target {
  const { before, after, groupEpoch, records } = options;
  const { assignmentEpoch, assignmentTimestamp } = group.epochs;
  const now = (): number => context.environment.clock.now();
  const intervalMs = context.groupConfig(group.groupId)['consumer.assignment.interval.ms'];
  const isOldEnough = assignmentTimestamp === 0 || intervalMs === 0 || now() >= assignmentTimestamp + intervalMs;
  if (assignmentEpoch >= groupEpoch || !isOldEnough)
    return { targetEpoch: assignmentEpoch, target: group.target(after.memberId, after.instanceId) };
  const assignors = context.assignors();
  const byDefault = defaultAssignor(assignors);
  const name = askedAssignorAfter(group, { before, after }) ?? byDefault;
  // One that is no longer configured may still be asked for by members that came before.
  const assignor = assignors.get(name) ?? assignors.get(byDefault);
  if (assignor === undefined) throw new KafkaError('UNSUPPORTED_ASSIGNOR');
  const { groupId } = group;
  try {
    const { topics } = context.metadata();
    const isHomogeneous = options.isHomogeneous ?? isHomogeneousWith(group, after);
    const made = newTargetAssignment({ group, updatedMember: after, groupEpoch, isHomogeneous, assignor, topics, now });
    context.log.info('A new target assignment', { group: groupId, epoch: groupEpoch, assignor: assignor.name });
    records.push(...made.records);
    return { targetEpoch: groupEpoch, target: made.target };
  } catch (error) {
    if (!(error instanceof PartitionAssignorError)) throw error;
    context.log.error('No target assignment could be made', { group: groupId, epoch: groupEpoch, error });
    throw new KafkaError(
      'UNKNOWN_SERVER_ERROR',
      `Failed to compute a new target assignment for epoch ${groupEpoch}: ${error.message}`,
    );
  }
}

/**
 * Somebody who joins without a subscription changes nothing that the group epoch depends on, but he is not like the others. Kafka takes him for one of them, and with
 * the range assignor nobody may get anything then.
 */
const isHomogeneousWith = (group: ConsumerGroup, { memberId, instanceId }: ConsumerGroupMember): boolean =>
  group.isHomogeneous() && (group.isEmpty() || group.isMember(memberId) || group.hasStaticMember(instanceId));

export interface ReconcileOptions extends Target {
  readonly member: ConsumerGroupMember;
  readonly hasSubscriptionChanged: boolean;
  readonly owned: OwnedPartitions | null;
  readonly records: GroupRecord[];
}

/** The next step of a member to its target. One that has to give something back has its rebalance timeout for it. */
export function reconcile(context: ConsumerGroupContext, group: ConsumerGroup, options: ReconcileOptions): ConsumerGroupMember {
  const { member, targetEpoch, target, hasSubscriptionChanged, owned, records } = options;
  if (!hasSubscriptionChanged && isReconciledTo(member, targetEpoch)) return member;
  const after = nextAssignment(member, {
    targetEpoch,
    target,
    hasSubscriptionChanged,
    owned,
    topics: context.metadata().topics,
    resolvedRegex: (regex) => group.resolvedRegex(regex),
    isOwned: (topicId, partition) => group.partitionEpoch(topicId, partition) !== NO_EPOCH,
  });
  if (sameCurrentAssignment(member, after)) return after;
  const { groupId } = group;
  records.push(currentAssignmentRecord(groupId, after));
  // Members of the classic protocol are given time to join instead.
  if (after.classic !== null) return after;
  if (after.state === 'UNREVOKED_PARTITIONS') context.timers.startRevocation({ groupId, ...after }, after.rebalanceTimeoutMs);
  else context.timers.cancelRevocation({ groupId, ...after });
  return after;
}
