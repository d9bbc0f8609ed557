/** How the records of a batch are compressed; the place in the list is the id in the batch's attributes. */
export const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

export type Codec = (typeof CODECS)[number];

/** The codec of an id; undefined for one that Kafka does not know. */
export function codecOfId(id: number): Codec | undefined {
  return CODECS[id];
}

export function idOfCodec(codec: Codec): number {
  return CODECS.indexOf(codec);
}
