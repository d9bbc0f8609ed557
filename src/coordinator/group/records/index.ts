import { legacyOffsetCommitKey, legacyOffsetCommitValue } from './00-legacy-offset-commit.ts';
import { offsetCommitKey, offsetCommitValue } from './01-offset-commit.ts';
import { groupMetadataKey, groupMetadataValue } from './02-group-metadata.ts';
import { consumerGroupMetadataKey, consumerGroupMetadataValue } from './03-consumer-group-metadata.ts';
import {
  consumerGroupPartitionMetadataKey,
  consumerGroupPartitionMetadataValue,
} from './04-consumer-group-partition-metadata.ts';
import { consumerGroupMemberMetadataKey, consumerGroupMemberMetadataValue } from './05-consumer-group-member-metadata.ts';
import {
  consumerGroupTargetAssignmentMetadataKey,
  consumerGroupTargetAssignmentMetadataValue,
} from './06-consumer-group-target-assignment-metadata.ts';
import {
  consumerGroupTargetAssignmentMemberKey,
  consumerGroupTargetAssignmentMemberValue,
} from './07-consumer-group-target-assignment-member.ts';
import {
  consumerGroupCurrentMemberAssignmentKey,
  consumerGroupCurrentMemberAssignmentValue,
} from './08-consumer-group-current-member-assignment.ts';
import { shareGroupMemberMetadataKey, shareGroupMemberMetadataValue } from './10-share-group-member-metadata.ts';
import { shareGroupMetadataKey, shareGroupMetadataValue } from './11-share-group-metadata.ts';
import {
  shareGroupTargetAssignmentMetadataKey,
  shareGroupTargetAssignmentMetadataValue,
} from './12-share-group-target-assignment-metadata.ts';
import {
  shareGroupTargetAssignmentMemberKey,
  shareGroupTargetAssignmentMemberValue,
} from './13-share-group-target-assignment-member.ts';
import {
  shareGroupCurrentMemberAssignmentKey,
  shareGroupCurrentMemberAssignmentValue,
} from './14-share-group-current-member-assignment.ts';
import {
  shareGroupStatePartitionMetadataKey,
  shareGroupStatePartitionMetadataValue,
} from './15-share-group-state-partition-metadata.ts';
import {
  consumerGroupRegularExpressionKey,
  consumerGroupRegularExpressionValue,
} from './16-consumer-group-regular-expression.ts';
import { streamsGroupMetadataKey, streamsGroupMetadataValue } from './17-streams-group-metadata.ts';
import { streamsGroupMemberMetadataKey, streamsGroupMemberMetadataValue } from './19-streams-group-member-metadata.ts';
import {
  streamsGroupTargetAssignmentMetadataKey,
  streamsGroupTargetAssignmentMetadataValue,
} from './20-streams-group-target-assignment-metadata.ts';
import {
  streamsGroupTargetAssignmentMemberKey,
  streamsGroupTargetAssignmentMemberValue,
} from './21-streams-group-target-assignment-member.ts';
import {
  streamsGroupCurrentMemberAssignmentKey,
  streamsGroupCurrentMemberAssignmentValue,
} from './22-streams-group-current-member-assignment.ts';
import { streamsGroupTopologyKey, streamsGroupTopologyValue } from './23-streams-group-topology.ts';

/** Every record type of the group coordinator's log, by name, in order of key. */
export const groupRecords = {
  LegacyOffsetCommit: { key: legacyOffsetCommitKey, value: legacyOffsetCommitValue },
  OffsetCommit: { key: offsetCommitKey, value: offsetCommitValue },
  GroupMetadata: { key: groupMetadataKey, value: groupMetadataValue },
  ConsumerGroupMetadata: { key: consumerGroupMetadataKey, value: consumerGroupMetadataValue },
  ConsumerGroupPartitionMetadata: { key: consumerGroupPartitionMetadataKey, value: consumerGroupPartitionMetadataValue },
  ConsumerGroupMemberMetadata: { key: consumerGroupMemberMetadataKey, value: consumerGroupMemberMetadataValue },
  ConsumerGroupTargetAssignmentMetadata: {
    key: consumerGroupTargetAssignmentMetadataKey,
    value: consumerGroupTargetAssignmentMetadataValue,
  },
  ConsumerGroupTargetAssignmentMember: {
    key: consumerGroupTargetAssignmentMemberKey,
    value: consumerGroupTargetAssignmentMemberValue,
  },
  ConsumerGroupCurrentMemberAssignment: {
    key: consumerGroupCurrentMemberAssignmentKey,
    value: consumerGroupCurrentMemberAssignmentValue,
  },
  ShareGroupMemberMetadata: { key: shareGroupMemberMetadataKey, value: shareGroupMemberMetadataValue },
  ShareGroupMetadata: { key: shareGroupMetadataKey, value: shareGroupMetadataValue },
  ShareGroupTargetAssignmentMetadata: {
    key: shareGroupTargetAssignmentMetadataKey,
    value: shareGroupTargetAssignmentMetadataValue,
  },
  ShareGroupTargetAssignmentMember: { key: shareGroupTargetAssignmentMemberKey, value: shareGroupTargetAssignmentMemberValue },
  ShareGroupCurrentMemberAssignment: { key: shareGroupCurrentMemberAssignmentKey, value: shareGroupCurrentMemberAssignmentValue },
  ShareGroupStatePartitionMetadata: { key: shareGroupStatePartitionMetadataKey, value: shareGroupStatePartitionMetadataValue },
  ConsumerGroupRegularExpression: { key: consumerGroupRegularExpressionKey, value: consumerGroupRegularExpressionValue },
  StreamsGroupMetadata: { key: streamsGroupMetadataKey, value: streamsGroupMetadataValue },
  StreamsGroupMemberMetadata: { key: streamsGroupMemberMetadataKey, value: streamsGroupMemberMetadataValue },
  StreamsGroupTargetAssignmentMetadata: {
    key: streamsGroupTargetAssignmentMetadataKey,
    value: streamsGroupTargetAssignmentMetadataValue,
  },
  StreamsGroupTargetAssignmentMember: {
    key: streamsGroupTargetAssignmentMemberKey,
    value: streamsGroupTargetAssignmentMemberValue,
  },
  StreamsGroupCurrentMemberAssignment: {
    key: streamsGroupCurrentMemberAssignmentKey,
    value: streamsGroupCurrentMemberAssignmentValue,
  },
  StreamsGroupTopology: { key: streamsGroupTopologyKey, value: streamsGroupTopologyValue },
} as const;
