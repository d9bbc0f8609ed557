import { hash64, int32, message, string } from '../../../protocol/schema.ts';

/** A share group. */
export const shareGroupMetadataKey = message({
  name: 'ShareGroupMetadataKey',
  key: 11,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** The epoch of a share group. */
export const shareGroupMetadataValue = message({
  name: 'ShareGroupMetadataValue',
  key: 11,
  versions: '0',
  flexible: '0+',
  fields: { epoch: int32(), metadataHash: hash64() },
});
