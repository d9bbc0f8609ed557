import { array, int32, message, string, struct, uint16 } from '../../../protocol/schema.ts';

const endpoint = { host: string(), port: uint16() };

const keyValue = { key: string(), value: string() };

/** A member of a streams group. */
export const streamsGroupMemberMetadataKey = message({
  name: 'StreamsGroupMemberMetadataKey',
  key: 19,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** What the member told about itself. */
export const streamsGroupMemberMetadataValue = message({
  name: 'StreamsGroupMemberMetadataValue',
  key: 19,
  versions: '0',
  flexible: '0+',
  fields: {
    instanceId: string({ nullable: '0+' }),
    rackId: string({ nullable: '0+' }),
    clientId: string(),
    clientHost: string(),
    rebalanceTimeoutMs: int32({ default: -1 }),
    topologyEpoch: int32(),
    processId: string(),
    userEndpoint: struct(endpoint, { nullable: '0+', default: null }),
    clientTags: array(keyValue),
  },
});
