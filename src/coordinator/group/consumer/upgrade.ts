import { javaHashCode } from '../../../base/bytes/murmur2.ts';
import { Timeline } from '../../../base/timeline-map.ts';
import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import { ProtocolError } from '../../../protocol/codec.ts';
import { joinRefusal, syncRefusal } from '../classic-protocol.ts';
import type { ClassicGroup } from '../classic/classic-group.ts';
import type { ClassicMember } from '../classic/classic-member.ts';
import { JavaHashMap } from '../assignors/java-hash-map.ts';
import type { MemberPartitions } from '../assignors/partition-assignor.ts';
import type { GroupRecord } from '../group-record.ts';
import { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import { type ConsumerGroupMember, newMember } from './consumer-group-member.ts';
import {
  currentAssignmentRecord,
  groupEpochRecord,
  memberMetadataRecord,
  targetAssignmentEpochRecord,
  targetAssignmentRecord,
} from './consumer-group-records.ts';
import { membersInOrder } from './hash-order.ts';
import { readAssignment, readSubscription, withTopicIds } from './consumer-protocol.ts';
import { migrationOf } from './migration-policy.ts';
import { withEpoch } from './partition-epochs.ts';

/**
 * The consumer group that a classic one becomes when a member of the consumer protocol joins it: all its members are members that speak the classic protocol, with
 * the partitions that they have. Throws GROUP_ID_NOT_FOUND where that cannot be.
 */
export function upgradedGroup(context: ConsumerGroupContext, classic: ClassicGroup, records: GroupRecord[]): ConsumerGroup {
  checkUpgrade(context, classic);
  const { groupId, generationId } = classic;
  for (const member of classic.members()) {
    classic.answerJoin(member, joinRefusal(member.memberId, codeOf('REBALANCE_IN_PROGRESS')));
    classic.answerSync(member, syncRefusal(codeOf('REBALANCE_IN_PROGRESS')));
  }
  const classics = new JavaHashMap<string, ClassicMember>(javaHashCode);
  for (const member of classic.members()) classics.set(member.memberId, member);
  const inTurn = Array.from(classics.entries(), ([memberId, member]) => ({
    memberId,
    ...upgradedMember(context, classic, member),
  }));
  const upgraded = membersInOrder(inTurn, classic.size);
  const names = new Set(upgraded.flatMap(({ member }) => [...member.subscribedTopicNames]));
  const metadataHash = context.hashes.ofGroup(names, context.metadata());
  const made = [
    ...upgraded.map(({ member }) => memberMetadataRecord(groupId, member)),
    groupEpochRecord(groupId, generationId, metadataHash),
    ...upgraded.map(({ member, target }) => targetAssignmentRecord(groupId, member.memberId, target)),
    targetAssignmentEpochRecord(groupId, generationId, 0),
    ...upgraded.map(({ member }) => currentAssignmentRecord(groupId, member)),
  ];
  // What the records will make of it, for whoever asks before they are replayed.
  const group = new ConsumerGroup(groupId, new Timeline());
  for (const { member, target } of inTurn) {
    group.updateMember(member);
    group.setTarget(member.memberId, target);
  }
  group.setEpochs({ groupEpoch: generationId, metadataHash, assignmentEpoch: generationId, assignmentTimestamp: 0 });
  records.push(...classic.tombstones(), ...made);
  for (const { memberId, sessionTimeoutMs } of classic.members())
    context.timers.startSession({ groupId, memberId }, sessionTimeoutMs);
  context.log.info('A classic group becomes a consumer group', { group: groupId, members: group.size });
  return group;
}

function checkUpgrade(context: ConsumerGroupContext, classic: ClassicGroup): void {
  const config = context.config();
  if (!migrationOf(config).mayUpgrade) throw notUpgraded(classic, 'because online upgrade is disabled.');
  if (!classic.isOfConsumers) throw notUpgraded(classic, 'because the group does not use the consumer embedded protocol.');
  if (classic.size > config['group.consumer.max.size'])
    throw notUpgraded(classic, 'because the group size exceeds the consumer group maximum size.');
}

const notUpgraded = ({ groupId }: ClassicGroup, why: string): KafkaError =>
  new KafkaError('GROUP_ID_NOT_FOUND', `Cannot upgrade classic group ${groupId} to consumer group ${why}`);

function upgradedMember(
  context: ConsumerGroupContext,
  classic: ClassicGroup,
  member: ClassicMember,
): { readonly member: ConsumerGroupMember; readonly target: MemberPartitions } {
  const { generationId } = classic;
  try {
    const target = targetOf(context, classic, member);
    // A group that waits for its first members has no protocol yet.
    const subscription = readSubscription(member.metadata(classic.protocolName ?? member.protocols[0]?.name ?? null));
    const { memberId, groupInstanceId, clientId, clientHost, rebalanceTimeoutMs, sessionTimeoutMs, protocols } = member;
    const supportedProtocols = protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) }));
    return {
      target,
      member: {
        ...newMember(memberId),
        memberEpoch: generationId,
        previousMemberEpoch: generationId,
        instanceId: groupInstanceId,
        rackId: subscription.rackId === '' ? null : subscription.rackId,
        rebalanceTimeoutMs,
        clientId,
        clientHost,
        subscribedTopicNames: new Set(subscription.topics),
        assigned: withEpoch(target, generationId),
        classic: { sessionTimeoutMs, supportedProtocols },
      },
    };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw notUpgraded(classic, 'because the embedded consumer protocol is malformed.');
  }
}

function targetOf(context: ConsumerGroupContext, classic: ClassicGroup, { assignment }: ClassicMember): MemberPartitions {
  if (assignment.length === 0) return new Map();
  const { assignedPartitions, userData } = readAssignment(assignment);
  if (userData !== null && userData.length > 0) {
    throw notUpgraded(
      classic,
      'because an unsupported custom assignor is in use. Please refer to the documentation or switch to a default assignor before re-attempting the upgrade.',
    );
  }
  const { topics } = context.metadata();
  return new Map(withTopicIds(assignedPartitions, topics).map(({ topicId, partitions }) => [topicId, [...new Set(partitions)]]));
}
