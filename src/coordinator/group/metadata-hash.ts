import { xxh3 } from '../../base/bytes/xxh3.ts';
import { UUID_BYTES, uuidToBytes } from '../../base/uuid.ts';
import type { ClusterImage } from '../../metadata/image/cluster-image.ts';
import type { TopicImage } from '../../metadata/image/topics-image.ts';

/** Comes first in what is hashed of a topic. */
const TOPIC_HASH_MAGIC = 0;

/**
 * What a group remembers of the topics it has seen (KIP-1101): when the hash changes, the group gets a new epoch. It is in the group's records, so it
 * has to be Kafka's number, or a data directory that changes hands would rebalance every group. No topics hash to 0.
 */
export function groupHash(topicHashes: ReadonlyMap<string, bigint>): bigint {
  if (topicHashes.size === 0) return 0n;
  const bytes = Buffer.allocUnsafe(8 * topicHashes.size);
  let position = 0;
  for (const name of [...topicHashes.keys()].toSorted(compareTexts)) {
    position = bytes.writeBigInt64LE(topicHashes.get(name) ?? 0n, position);
  }
  return xxh3(bytes);
}

/** Of one topic: its id, its name, and for each partition the racks of its replicas, as often as they occur. */
export function topicHash({ id, name, partitions }: TopicImage, cluster: ClusterImage): bigint {
  const racks = partitions.map(({ replicas }) => racksOf(replicas, cluster));
  const rackBytes = racks.flat().reduce((sum, rack) => sum + 4 + textBytes(rack), 0);
  const bytes = Buffer.allocUnsafe(1 + UUID_BYTES + textBytes(name) + 4 + 4 * partitions.length + rackBytes);

  let position = bytes.writeUInt8(TOPIC_HASH_MAGIC, 0);
  // Kafka hands the id over as two integers, and integers are hashed from their lowest byte on.
  const uuid = uuidToBytes(id);
  position = bytes.writeBigUInt64LE(uuid.readBigUInt64BE(0), position);
  position = bytes.writeBigUInt64LE(uuid.readBigUInt64BE(8), position);
  position = writeText(bytes, name, position);
  position = bytes.writeInt32LE(partitions.length, position);
  for (const [partition, racksOfPartition] of racks.entries()) {
    position = bytes.writeInt32LE(partition, position);
    for (const rack of racksOfPartition) {
      position = bytes.writeInt32LE(rack.length, position);
      position = writeText(bytes, rack, position);
    }
  }
  return xxh3(bytes);
}

function racksOf(replicas: readonly number[], cluster: ClusterImage): readonly string[] {
  return replicas.flatMap((replica) => cluster.brokers.get(replica)?.rack ?? []).toSorted(compareTexts);
}

/** UTF-16 units, and how many. */
function textBytes(text: string): number {
  return 2 * text.length + 4;
}

function writeText(bytes: Buffer, text: string, position: number): number {
  return bytes.writeInt32LE(text.length, position + bytes.write(text, position, 'utf16le'));
}

/** By UTF-16 units, as Java compares. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
