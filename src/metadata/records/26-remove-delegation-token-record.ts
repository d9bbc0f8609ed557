import { message, string } from '../../protocol/schema.ts';

/** The removal of a delegation token (KIP-900). */
export const removeDelegationTokenRecord = message({
  name: 'RemoveDelegationTokenRecord',
  key: 26,
  versions: '0',
  flexible: '0+',
  fields: { tokenId: string() },
});
