/** Java's String.hashCode, over UTF-16 code units. */
function hashCode(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}

/** The partition of a coordinator's topic that keeps what is known of a group or a transactional id: its hash, made positive, modulo their number. */
export function partitionForKey(key: string, partitions: number): number {
  return (hashCode(key) & 0x7fff_ffff) % partitions;
}
