import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';
import { METADATA_VERSION_FEATURE } from '../metadata-version.ts';

/** The finalized features of the cluster, metadata.version among them. Features at level 0 are absent. */
export interface FeaturesImage {
  readonly finalized: ReadonlyMap<string, number>;
}

export const EMPTY_FEATURES: FeaturesImage = { finalized: new Map() };

/** The finalized level of a feature; 0 if it was never set. */
export const featureLevel = (image: FeaturesImage, feature: string): number => image.finalized.get(feature) ?? 0;

export const metadataVersionOf = (image: FeaturesImage): number => featureLevel(image, METADATA_VERSION_FEATURE);

/** What changed in the features. */
export class FeaturesDelta {
  /** Feature → new level, 0 where it was taken away. */
  readonly changes = new Map<string, number>();
  readonly #image: FeaturesImage;

  constructor(image: FeaturesImage) {
    this.#image = image;
  }

  replayFeatureLevel(record: MetadataRecordValues['FeatureLevelRecord']): void {
    this.changes.set(record.name, record.featureLevel);
  }

  finishSnapshot(): void {
    for (const name of this.#image.finalized.keys()) if (!this.changes.has(name)) this.changes.set(name, 0);
  }

  apply(): FeaturesImage {
    const finalized = new Map(this.#image.finalized);
    for (const [name, level] of this.changes) {
      if (level === 0) finalized.delete(name);
      else finalized.set(name, level);
    }
    return { finalized };
  }
}

/** metadata.version comes first: it decides how everything after it is read. */
export function* featureRecords(image: FeaturesImage): Generator<MetadataRecord> {
  const level = metadataVersionOf(image);
  if (level > 0) yield metadataRecord('FeatureLevelRecord', 0, { name: METADATA_VERSION_FEATURE, featureLevel: level });
  for (const [name, featureLevel] of image.finalized) {
    if (name !== METADATA_VERSION_FEATURE) yield metadataRecord('FeatureLevelRecord', 0, { name, featureLevel });
  }
}
