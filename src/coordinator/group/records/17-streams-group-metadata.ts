import { array, hash64, int32, message, string } from '../../../protocol/schema.ts';

const lastAssignmentConfig = { key: string(), value: string() };

/** A streams group (KIP-1071). */
export const streamsGroupMetadataKey = message({
  name: 'StreamsGroupMetadataKey',
  key: 17,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** The epoch of a streams group. */
export const streamsGroupMetadataValue = message({
  name: 'StreamsGroupMetadataValue',
  key: 17,
  versions: '0',
  flexible: '0+',
  fields: {
    epoch: int32(),
    metadataHash: hash64(),
    validatedTopologyEpoch: int32({ tagged: '0+', tag: 0, default: -1 }),
    lastAssignmentConfigs: array(lastAssignmentConfig, { nullable: '0+', tagged: '0+', tag: 1 }),
    storedDescriptionTopologyEpoch: int32({ tagged: '0+', tag: 2, default: -1 }),
    failedDescriptionTopologyEpoch: int32({ tagged: '0+', tag: 3, default: -1 }),
  },
});
