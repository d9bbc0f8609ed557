import { array, message, string } from '../../../protocol/schema.ts';

/** A member of a share group (KIP-932). */
export const shareGroupMemberMetadataKey = message({
  name: 'ShareGroupMemberMetadataKey',
  key: 10,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string(), memberId: string() },
});

/** What the member told about itself. */
export const shareGroupMemberMetadataValue = message({
  name: 'ShareGroupMemberMetadataValue',
  key: 10,
  versions: '0',
  flexible: '0+',
  fields: { rackId: string({ nullable: '0+' }), clientId: string(), clientHost: string(), subscribedTopicNames: array(string()) },
});
