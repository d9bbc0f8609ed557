import type { VersionRange } from './image/cluster-image.ts';
import { LATEST_METADATA_VERSION, METADATA_VERSION_FEATURE, MINIMUM_METADATA_VERSION } from './metadata-version.ts';

/** One level of a feature that can be finalized. */
interface FeatureLevel {
  /** A new cluster whose metadata version is at least this one starts with the level. */
  readonly bootstrapMetadataVersion: number;
  /** Other features and the levels that they must have. */
  readonly dependencies: Readonly<Record<string, number>>;
}

export const KRAFT_VERSION_FEATURE = 'kraft.version';
export const TRANSACTION_VERSION_FEATURE = 'transaction.version';
export const GROUP_VERSION_FEATURE = 'group.version';
export const ELR_VERSION_FEATURE = 'eligible.leader.replicas.version';
export const SHARE_VERSION_FEATURE = 'share.version';
export const STREAMS_VERSION_FEATURE = 'streams.version';

const plain = (bootstrapMetadataVersion: number): FeatureLevel => ({ bootstrapMetadataVersion, dependencies: {} });

/** Levels by feature, from level 1 on; level 0 of each is "off". Without metadata.version, which has levels of its own kind. */
export const FEATURE_LEVELS: Readonly<Record<string, readonly FeatureLevel[]>> = {
  [ELR_VERSION_FEATURE]: [{ bootstrapMetadataVersion: 26, dependencies: { [METADATA_VERSION_FEATURE]: 23 } }],
  [GROUP_VERSION_FEATURE]: [plain(22)],
  [KRAFT_VERSION_FEATURE]: [plain(21)],
  [SHARE_VERSION_FEATURE]: [plain(28), plain(31)],
  [STREAMS_VERSION_FEATURE]: [plain(29)],
  [TRANSACTION_VERSION_FEATURE]: [plain(24), plain(24)],
};

/** The ranges that a node of this release announces when it registers. */
export const SUPPORTED_FEATURES: ReadonlyMap<string, VersionRange> = new Map([
  ...Object.entries(FEATURE_LEVELS).map(([name, levels]): [string, VersionRange] => [name, { min: 0, max: levels.length }]),
  [METADATA_VERSION_FEATURE, { min: MINIMUM_METADATA_VERSION, max: LATEST_METADATA_VERSION }],
]);

/** The level that a new cluster of this metadata version gives a feature. */
export function defaultFeatureLevel(feature: string, metadataVersion: number): number {
  const levels = FEATURE_LEVELS[feature] ?? [];
  return levels.filter((level) => metadataVersion >= level.bootstrapMetadataVersion).length;
}
