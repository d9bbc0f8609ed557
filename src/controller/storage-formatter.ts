import type { Clock } from '../base/clock.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { encodeMetadataRecord } from '../metadata/metadata-record-serde.ts';
import {
  LATEST_METADATA_VERSION,
  METADATA_VERSION_FEATURE,
  metadataVersionFacts,
  metadataVersionName,
  MINIMUM_METADATA_VERSION,
} from '../metadata/metadata-version.ts';
import {
  defaultFeatureLevel,
  FEATURE_LEVELS,
  KRAFT_VERSION_FEATURE,
  SUPPORTED_FEATURES,
} from '../metadata/supported-features.ts';
import { KafkaError } from '../protocol/errors.ts';
import { BOOTSTRAP_SNAPSHOT_ID } from '../raft/raft-log.ts';
import { MemorySink } from '../raft/memory-sink.ts';
import { SnapshotWriter } from '../raft/snapshot-writer.ts';
import type { VoterSet } from '../raft/voter-set.ts';

/** What a new cluster begins with. */
export interface FormatOptions {
  readonly metadataVersion?: number;
  /** Levels that are not the defaults of the metadata version, by feature; kraft.version follows from `voters`. */
  readonly features?: ReadonlyMap<string, number>;
  /** The voters that the log itself tells (kraft.version 1); null for the static quorum of `controller.quorum.voters`. */
  readonly voters: VoterSet | null;
  /** SCRAM users that are there from the first start. */
  readonly credentials?: readonly MetadataRecord[];
}

/** The records that `storage format` puts into the bootstrap snapshot. Throws INVALID_CONFIG or UNSUPPORTED_VERSION. */
export function bootstrapRecords(options: FormatOptions): MetadataRecord[] {
  const metadataVersion = options.metadataVersion ?? LATEST_METADATA_VERSION;
  checkLevel(METADATA_VERSION_FEATURE, metadataVersion);
  const levels = new Map<string, number>();
  for (const name of Object.keys(FEATURE_LEVELS).sort()) levels.set(name, defaultFeatureLevel(name, metadataVersion));
  for (const [name, level] of options.features ?? []) {
    checkLevel(name, level);
    levels.set(name, level);
  }
  levels.delete(KRAFT_VERSION_FEATURE);
  checkDependencies(levels, metadataVersion);
  if (
    options.credentials !== undefined &&
    options.credentials.length > 0 &&
    !metadataVersionFacts(metadataVersion).isScramSupported
  ) {
    throw new KafkaError('INVALID_CONFIG', 'SCRAM is only supported in metadata.version 3.5-IV2 or later.');
  }
  return [
    metadataRecord('FeatureLevelRecord', 0, { name: METADATA_VERSION_FEATURE, featureLevel: metadataVersion }),
    ...[...levels]
      .filter(([, featureLevel]) => featureLevel > 0)
      .map(([name, featureLevel]) => metadataRecord('FeatureLevelRecord', 0, { name, featureLevel })),
    ...(options.credentials ?? []),
  ];
}

/** The bytes of `__cluster_metadata-0/00000000000000000000-0000000000.checkpoint`. */
export function bootstrapSnapshot(options: FormatOptions, clock: Clock): Buffer {
  const sink = new MemorySink();
  const writer = new SnapshotWriter<MetadataRecord>({
    id: BOOTSTRAP_SNAPSHOT_ID,
    sink,
    clock,
    serde: { encode: encodeMetadataRecord },
    lastContainedLogTimestamp: clock.now(),
    quorum: options.voters === null ? null : { kraftVersion: 1, voters: options.voters },
  });
  for (const record of bootstrapRecords(options)) writer.append(record);
  writer.finish();
  return sink.bytes;
}

function checkLevel(name: string, level: number): void {
  const range = SUPPORTED_FEATURES.get(name);
  if (range === undefined) {
    const known = [...SUPPORTED_FEATURES.keys()].sort().join(', ');
    throw new KafkaError('UNSUPPORTED_VERSION', `Unsupported feature: ${name}. Supported features are: ${known}`);
  }
  if (level >= range.min && level <= range.max) return;
  if (name === METADATA_VERSION_FEATURE) {
    const [oldest, newest] = [MINIMUM_METADATA_VERSION, LATEST_METADATA_VERSION].map(metadataVersionName);
    throw new KafkaError(
      'UNSUPPORTED_VERSION',
      `No MetadataVersion with feature level ${level}; it is one of ${oldest} to ${newest}.`,
    );
  }
  throw new KafkaError('UNSUPPORTED_VERSION', `No feature:${name} with feature level ${level}`);
}

function checkDependencies(levels: ReadonlyMap<string, number>, metadataVersion: number): void {
  for (const [name, level] of levels) {
    for (const [needed, atLeast] of Object.entries(FEATURE_LEVELS[name]?.[level - 1]?.dependencies ?? {})) {
      const has = needed === METADATA_VERSION_FEATURE ? metadataVersion : (levels.get(needed) ?? 0);
      if (has >= atLeast) continue;
      throw new KafkaError(
        'INVALID_CONFIG',
        `${name} could not be set to ${level} because it depends on ${needed} level ${atLeast}`,
      );
    }
  }
}
