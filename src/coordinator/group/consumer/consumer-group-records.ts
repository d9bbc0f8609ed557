import { type GroupRecord, groupRecord, groupTombstone } from '../group-record.ts';
import type { MemberPartitions } from '../assignors/partition-assignor.ts';
import { type ConsumerGroupMember, memberStates } from './consumer-group-member.ts';
import { toRecord } from './partition-epochs.ts';
import type { ResolvedRegularExpression } from './resolved-regular-expression.ts';

/** Of all values of a consumer group's records. */
const VERSION = 0;

export const memberMetadataRecord = (groupId: string, member: ConsumerGroupMember): GroupRecord =>
  groupRecord(
    'ConsumerGroupMemberMetadata',
    { groupId, memberId: member.memberId },
    {
      version: VERSION,
      value: {
        instanceId: member.instanceId,
        rackId: member.rackId,
        clientId: member.clientId,
        clientHost: member.clientHost,
        subscribedTopicNames: [...member.subscribedTopicNames].sort(),
        subscribedTopicRegex: member.subscribedTopicRegex,
        rebalanceTimeoutMs: member.rebalanceTimeoutMs,
        serverAssignor: member.serverAssignor,
        classicMemberMetadata: member.classic,
      },
    },
  );

export const groupEpochRecord = (groupId: string, epoch: number, metadataHash: bigint): GroupRecord =>
  groupRecord('ConsumerGroupMetadata', { groupId }, { version: VERSION, value: { epoch, metadataHash } });

export const targetAssignmentRecord = (groupId: string, memberId: string, partitions: MemberPartitions): GroupRecord =>
  groupRecord(
    'ConsumerGroupTargetAssignmentMember',
    { groupId, memberId },
    {
      version: VERSION,
      value: { topicPartitions: Array.from(partitions, ([topicId, indexes]) => ({ topicId, partitions: [...indexes] })) },
    },
  );

export const targetAssignmentEpochRecord = (groupId: string, assignmentEpoch: number, assignmentTimestamp: number): GroupRecord =>
  groupRecord(
    'ConsumerGroupTargetAssignmentMetadata',
    { groupId },
    { version: VERSION, value: { assignmentEpoch, assignmentTimestamp } },
  );

export const currentAssignmentRecord = (groupId: string, member: ConsumerGroupMember): GroupRecord =>
  groupRecord(
    'ConsumerGroupCurrentMemberAssignment',
    { groupId, memberId: member.memberId },
    {
      version: VERSION,
      value: {
        memberEpoch: member.memberEpoch,
        previousMemberEpoch: member.previousMemberEpoch,
        state: memberStates[member.state],
        assignedPartitions: toRecord(member.assigned),
        partitionsPendingRevocation: toRecord(member.pendingRevocation),
      },
    },
  );

export const regularExpressionRecord = (
  groupId: string,
  regularExpression: string,
  { topics, version, timestamp }: ResolvedRegularExpression,
): GroupRecord =>
  groupRecord(
    'ConsumerGroupRegularExpression',
    { groupId, regularExpression },
    { version: VERSION, value: { topics: [...topics].sort(), version, timestamp } },
  );

export const regularExpressionTombstone = (groupId: string, regularExpression: string): GroupRecord =>
  groupTombstone('ConsumerGroupRegularExpression', { groupId, regularExpression });

/** Of the partition metadata that Kafka 4.0 and earlier wrote. */
export const partitionMetadataTombstone = (groupId: string): GroupRecord =>
  groupTombstone('ConsumerGroupPartitionMetadata', { groupId });

/** A member goes, in the order in which its records depend on each other. */
export const memberTombstones = (groupId: string, memberId: string): GroupRecord[] => [
  groupTombstone('ConsumerGroupCurrentMemberAssignment', { groupId, memberId }),
  groupTombstone('ConsumerGroupTargetAssignmentMember', { groupId, memberId }),
  groupTombstone('ConsumerGroupMemberMetadata', { groupId, memberId }),
];

/** A group goes, with these members and regular expressions. */
export const groupTombstones = (
  groupId: string,
  memberIds: readonly string[],
  regularExpressions: Iterable<string>,
): GroupRecord[] => [
  ...memberIds.map((memberId) => groupTombstone('ConsumerGroupCurrentMemberAssignment', { groupId, memberId })),
  ...memberIds.map((memberId) => groupTombstone('ConsumerGroupTargetAssignmentMember', { groupId, memberId })),
  groupTombstone('ConsumerGroupTargetAssignmentMetadata', { groupId }),
  ...memberIds.map((memberId) => groupTombstone('ConsumerGroupMemberMetadata', { groupId, memberId })),
  ...Array.from(regularExpressions, (regex) => regularExpressionTombstone(groupId, regex)),
  partitionMetadataTombstone(groupId),
  groupTombstone('ConsumerGroupMetadata', { groupId }),
];
