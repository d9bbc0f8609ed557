import { hash64, int32, message, string } from '../../../protocol/schema.ts';

/** A consumer group (KIP-848). */
export const consumerGroupMetadataKey = message({
  name: 'ConsumerGroupMetadataKey',
  key: 3,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** The epoch of a consumer group. */
export const consumerGroupMetadataValue = message({
  name: 'ConsumerGroupMetadataValue',
  key: 3,
  versions: '0',
  flexible: '0+',
  fields: { epoch: int32(), metadataHash: hash64({ tagged: '0+', tag: 0 }) },
});
