import { array, int64, message, string } from '../../protocol/schema.ts';

/** A delegation token (KIP-900). */
export const delegationTokenRecord = message({
  name: 'DelegationTokenRecord',
  key: 10,
  versions: '0',
  flexible: '0+',
  fields: {
    owner: string(),
    requester: string(),
    renewers: array(string()),
    issueTimestamp: int64(),
    maxTimestamp: int64(),
    expirationTimestamp: int64(),
    tokenId: string(),
  },
});
