import { metadataVersionName, METADATA_VERSION_FEATURE } from '../../../metadata/metadata-version.ts';
import {
  defaultFeatureLevel,
  ELR_VERSION_FEATURE,
  FEATURE_LEVELS,
  GROUP_VERSION_FEATURE,
  KRAFT_VERSION_FEATURE,
  SHARE_VERSION_FEATURE,
  STREAMS_VERSION_FEATURE,
  SUPPORTED_FEATURES,
  TRANSACTION_VERSION_FEATURE,
} from '../../../metadata/supported-features.ts';
import { KafkaError } from '../../../protocol/errors.ts';

export { LATEST_METADATA_VERSION, metadataVersionName, metadataVersionNamed } from '../../../metadata/metadata-version.ts';

/** The order in which Kafka's tools name the features. */
const ORDER = [
  KRAFT_VERSION_FEATURE,
  TRANSACTION_VERSION_FEATURE,
  GROUP_VERSION_FEATURE,
  ELR_VERSION_FEATURE,
  SHARE_VERSION_FEATURE,
  STREAMS_VERSION_FEATURE,
];

/** The level that a new cluster of a metadata version gives each feature. */
export const featureLevelsOf = (metadataVersion: number): { readonly name: string; readonly level: number }[] =>
  ORDER.map((name) => ({ name, level: defaultFeatureLevel(name, metadataVersion) }));

export interface FeatureDependency {
  readonly name: string;
  readonly level: number;
  /** Of a metadata version, such as 4.0-IV1. */
  readonly release: string | null;
}

/** What other features a level needs. Throws KafkaError for a feature or level that does not exist. */
export function featureDependencies(name: string, level: number): FeatureDependency[] {
  const range = SUPPORTED_FEATURES.get(name);
  if (range === undefined) throw new KafkaError('INVALID_CONFIG', `Unknown feature: ${name}`);
  if (level < range.min || level > range.max)
    throw new KafkaError('INVALID_CONFIG', `No feature:${name} with feature level ${level}`);
  return Object.entries(FEATURE_LEVELS[name]?.[level - 1]?.dependencies ?? {}).map(([needed, atLeast]) => ({
    name: needed,
    level: atLeast,
    release: needed === METADATA_VERSION_FEATURE ? metadataVersionName(atLeast) : null,
  }));
}
