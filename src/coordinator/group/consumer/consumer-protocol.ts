import { readInt16 } from '../../../base/bytes/big-endian.ts';
import type { Uuid } from '../../../base/uuid.ts';
import type { TopicsImage } from '../../../metadata/image/topics-image.ts';
import { ByteReader } from '../../../protocol/byte-reader.ts';
import { ByteWriter } from '../../../protocol/byte-writer.ts';
import { ProtocolError, read, write } from '../../../protocol/codec.ts';
import { consumerProtocolAssignment } from '../../../protocol/data/consumer-protocol-assignment.ts';
import { consumerProtocolSubscription } from '../../../protocol/data/consumer-protocol-subscription.ts';
import type { Infer } from '../../../protocol/schema.ts';
import type { MemberPartitions } from '../assignors/partition-assignor.ts';

/** The one protocol type whose members' bytes a coordinator can read. */
export const CONSUMER_PROTOCOL_TYPE = 'consumer';

const VERSION_MAX = 3;
const VERSION_BYTES = 2;

export type ConsumerSubscription = Infer<typeof consumerProtocolSubscription>;
type NamedPartitions = ConsumerSubscription['ownedPartitions'];

/** What a consumer of the classic protocol subscribes to. Throws ProtocolError. */
export const readSubscription = (bytes: Uint8Array): ConsumerSubscription =>
  read(consumerProtocolSubscription, versionOf(bytes), new ByteReader(bytes.subarray(VERSION_BYTES)));

/** What its leader gave to a consumer of the classic protocol. Throws ProtocolError. */
export const readAssignment = (bytes: Uint8Array): Infer<typeof consumerProtocolAssignment> =>
  read(consumerProtocolAssignment, versionOf(bytes), new ByteReader(bytes.subarray(VERSION_BYTES)));

/** An assignment for a consumer that wrote its subscription so. Topics that are gone are left out. Throws ProtocolError. */
export function writeAssignment(partitions: MemberPartitions, topics: TopicsImage, subscription: Uint8Array): Buffer {
  const version = versionOf(subscription);
  const assignedPartitions = [...partitions].flatMap(([topicId, indexes]) => {
    const topic = topics.byId.get(topicId);
    return topic === undefined ? [] : [{ topic: topic.name, partitions: [...indexes] }];
  });
  const writer = new ByteWriter();
  writer.int16(version);
  write(consumerProtocolAssignment, version, { assignedPartitions, userData: null }, writer);
  return writer.toBuffer();
}

/** Topics that are gone are left out. */
export function withTopicIds(
  named: NamedPartitions,
  topics: TopicsImage,
): { readonly topicId: Uuid; readonly partitions: number[] }[] {
  return named.flatMap(({ topic, partitions }) => {
    const topicId = topics.byName.get(topic)?.id;
    return topicId === undefined ? [] : [{ topicId, partitions }];
  });
}

/** That of a later release is read as far as this one knows it. */
function versionOf(bytes: Uint8Array): number {
  const version = bytes.length < VERSION_BYTES ? -1 : readInt16(bytes, 0);
  if (version < 0) throw new ProtocolError('the bytes of the consumer protocol begin with a version');
  return Math.min(version, VERSION_MAX);
}
