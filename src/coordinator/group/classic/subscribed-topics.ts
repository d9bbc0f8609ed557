import { readInt16 } from '../../../base/bytes/big-endian.ts';
import { ByteReader } from '../../../protocol/byte-reader.ts';
import { ProtocolError, read } from '../../../protocol/codec.ts';
import { consumerProtocolSubscription } from '../../../protocol/data/consumer-protocol-subscription.ts';

export const CONSUMER_PROTOCOL_TYPE = 'consumer';

const VERSION_BYTES = 2;

/** The topics of a subscription, whose first version is the beginning of all others; null when the bytes are none. */
export function subscribedTopics(subscription: Uint8Array): readonly string[] | null {
  if (subscription.length < VERSION_BYTES || readInt16(subscription, 0) < 0) return null;
  try {
    return read(consumerProtocolSubscription, 0, new ByteReader(subscription.subarray(VERSION_BYTES))).topics;
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}
