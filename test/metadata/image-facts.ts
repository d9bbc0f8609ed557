import type { MetadataImage } from '../../src/metadata/metadata-image.ts';
import { recordsOfImage } from '../../src/metadata/metadata-image.ts';

/** An image as text that two equal images share, whatever the order in which their maps were filled. */
export function imageFacts(image: MetadataImage): string[] {
  return [...recordsOfImage(image)].map((record) => JSON.stringify(record, sortedFeatures)).sort();
}

/** The order of a node's features is that of somebody's hash table. */
function sortedFeatures(key: string, value: unknown): unknown {
  if (key !== 'features' || !Array.isArray(value)) return value;
  return value.map((item) => JSON.stringify(item)).sort();
}
