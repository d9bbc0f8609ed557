/**
 * MurmurHash 2 with the seed Kafka's producers use: the hash of a record's key decides its partition, so it has to be the same number
 * in every client.
 */
const SEED = 0x9747_b28c;
const MULTIPLIER = 0x5bd1_e995;
const SHIFT = 24;

/** The hash as a signed 32-bit integer. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  const blockEnd = length - (length % 4);
  let hash = SEED ^ length;
  for (let position = 0; position < blockEnd; position += 4) {
    let block =
      (bytes[position] as number) |
      ((bytes[position + 1] as number) << 8) |
      ((bytes[position + 2] as number) << 16) |
      ((bytes[position + 3] as number) << 24);
    block = Math.imul(block, MULTIPLIER);
    block ^= block >>> SHIFT;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(block, MULTIPLIER);
  }
  if (blockEnd < length) {
    for (let index = length - 1; index >= blockEnd; index--) hash ^= (bytes[index] as number) << (8 * (index - blockEnd));
    hash = Math.imul(hash, MULTIPLIER);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MULTIPLIER);
  return hash ^ (hash >>> 15);
}

/** The partition of a keyed record among `partitionCount`: the hash with its sign bit cleared, modulo. */
export function partitionOfKey(key: Uint8Array, partitionCount: number): number {
  return (murmur2(key) & 0x7fff_ffff) % partitionCount;
}

/**
 * The partition of an internal topic that a group, transactional or share-partition id belongs to: the magnitude of Java's String.hashCode,
 * modulo. The one hash without a magnitude of 31 bits, −2^31, counts as 0.
 */
export function partitionOfId(id: string, partitionCount: number): number {
  const hash = javaHashCode(id);
  return hash === -0x8000_0000 ? 0 : Math.abs(hash) % partitionCount;
}

/** Java's String.hashCode: signed 32 bits over UTF-16 units. */
export function javaHashCode(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0;
  return hash;
}
