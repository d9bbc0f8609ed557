import { array, bytes, int32, message, string, struct } from '../../../protocol/schema.ts';

/** A member of a consumer group. */
export const consumerGroupMemberMetadataKey = message({
  name: 'ConsumerGroupMemberMetadataKey',
  key: 5,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** What the member told about itself. */
export const consumerGroupMemberMetadataValue = message({
  name: 'ConsumerGroupMemberMetadataValue',
  key: 5,
  versions: '0',
  flexible: '0+',
  fields: {
    instanceId: string({ nullable: '0+' }),
    rackId: string({ nullable: '0+' }),
    clientId: string(),
    clientHost: string(),
    subscribedTopicNames: array(string()),
    subscribedTopicRegex: string({ nullable: '0+' }),
    rebalanceTimeoutMs: int32({ default: -1 }),
    serverAssignor: string({ nullable: '0+' }),
    classicMemberMetadata: struct(
      { sessionTimeoutMs: int32(), supportedProtocols: array({ name: string(), metadata: bytes() }) },
      { nullable: '0+', tagged: '0+', tag: 0 },
    ),
  },
});
