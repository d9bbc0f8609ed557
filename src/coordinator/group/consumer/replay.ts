import { unreachable } from '../../../base/assert.ts';
import type { GroupRecord, GroupRecordOf, GroupRecordValue } from '../group-record.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import { ConsumerGroup, type GroupEpochs } from './consumer-group.ts';
import { newMember, withCurrentAssignment, withMetadata, withoutCurrentAssignment } from './consumer-group-member.ts';

/** The records that consumer groups are made of. */
export type ConsumerGroupRecord =
  | GroupRecordOf<'ConsumerGroupMetadata'>
  | GroupRecordOf<'ConsumerGroupPartitionMetadata'>
  | GroupRecordOf<'ConsumerGroupMemberMetadata'>
  | GroupRecordOf<'ConsumerGroupTargetAssignmentMetadata'>
  | GroupRecordOf<'ConsumerGroupTargetAssignmentMember'>
  | GroupRecordOf<'ConsumerGroupCurrentMemberAssignment'>
  | GroupRecordOf<'ConsumerGroupRegularExpression'>;

const types: ReadonlySet<string> = new Set<ConsumerGroupRecord['type']>([
  'ConsumerGroupMetadata',
  'ConsumerGroupPartitionMetadata',
  'ConsumerGroupMemberMetadata',
  'ConsumerGroupTargetAssignmentMetadata',
  'ConsumerGroupTargetAssignmentMember',
  'ConsumerGroupCurrentMemberAssignment',
  'ConsumerGroupRegularExpression',
]);

export const isOfConsumerGroup = (record: GroupRecord): record is ConsumerGroupRecord => types.has(record.type);

/** Of a target assignment that has been taken away. */
const NO_ASSIGNMENT: Partial<GroupEpochs> = { assignmentEpoch: -1, assignmentTimestamp: 0 };

/** Takes a record over. A value makes its group if there is none; a tombstone of what is not there says nothing. */
export function replay(context: Pick<GroupShardContext, 'groups' | 'timeline'>, record: ConsumerGroupRecord): void {
  const { groups, timeline } = context;
  const { groupId } = record.key;
  const known = groups.get(groupId);
  if (known instanceof ConsumerGroup) {
    replayTo(known, record);
    if (record.type === 'ConsumerGroupMetadata' && record.value === null) groups.delete(groupId);
    return;
  }
  if (record.value === null) return;
  const group = new ConsumerGroup(groupId, timeline);
  groups.set(group);
  replayTo(group, record);
}

function replayTo(group: ConsumerGroup, record: ConsumerGroupRecord): void {
  switch (record.type) {
    case 'ConsumerGroupMetadata':
      if (record.value !== null) group.setEpochs({ groupEpoch: record.value.epoch, metadataHash: record.value.metadataHash });
      break;
    case 'ConsumerGroupPartitionMetadata':
      group.setEpochs({ hasPartitionMetadataRecord: record.value !== null });
      break;
    case 'ConsumerGroupMemberMetadata':
      replayMember(group, record);
      break;
    case 'ConsumerGroupTargetAssignmentMetadata':
      group.setEpochs(record.value === null ? NO_ASSIGNMENT : assignmentEpochOf(record.value));
      break;
    case 'ConsumerGroupTargetAssignmentMember':
      replayTarget(group, record);
      break;
    case 'ConsumerGroupCurrentMemberAssignment':
      replayCurrentAssignment(group, record);
      break;
    case 'ConsumerGroupRegularExpression':
      replayRegularExpression(group, record);
      break;
    default:
      unreachable(record);
  }
}

const assignmentEpochOf = ({
  assignmentEpoch,
  assignmentTimestamp,
}: GroupRecordValue<'ConsumerGroupTargetAssignmentMetadata'>): Partial<GroupEpochs> => ({ assignmentEpoch, assignmentTimestamp });

function replayMember(group: ConsumerGroup, { key, value }: GroupRecordOf<'ConsumerGroupMemberMetadata'>): void {
  if (value === null) group.removeMember(key.memberId);
  else group.updateMember(withMetadata(group.member(key.memberId) ?? newMember(key.memberId), value));
}

function replayTarget(group: ConsumerGroup, { key, value }: GroupRecordOf<'ConsumerGroupTargetAssignmentMember'>): void {
  if (value === null) group.removeTarget(key.memberId);
  else group.setTarget(key.memberId, new Map(value.topicPartitions.map(({ topicId, partitions }) => [topicId, partitions])));
}

/** A tombstone may come after the member itself has gone. */
function replayCurrentAssignment(
  group: ConsumerGroup,
  { key, value }: GroupRecordOf<'ConsumerGroupCurrentMemberAssignment'>,
): void {
  const member = group.member(key.memberId);
  if (value !== null) group.updateMember(withCurrentAssignment(member ?? newMember(key.memberId), value));
  else if (member !== undefined) group.updateMember(withoutCurrentAssignment(member));
}

function replayRegularExpression(group: ConsumerGroup, { key, value }: GroupRecordOf<'ConsumerGroupRegularExpression'>): void {
  const { regularExpression } = key;
  if (value === null) group.setResolvedRegex(regularExpression, null);
  else group.setResolvedRegex(regularExpression, { ...value, topics: new Set(value.topics) });
}
