/** The feature whose level decides which metadata records may be written, and with which versions. */
export const METADATA_VERSION_FEATURE = 'metadata.version';

/** The names of the levels, from 3.3-IV3 (7) on: a cluster older than that cannot run KRaft in this release. */
const NAMES = [
  ['3.3-IV3', '3.4-IV0', '3.5-IV0', '3.5-IV1', '3.5-IV2', '3.6-IV0', '3.6-IV1', '3.6-IV2', '3.7-IV0', '3.7-IV1'],
  ['3.7-IV2', '3.7-IV3', '3.7-IV4', '3.8-IV0', '3.9-IV0', '4.0-IV0', '4.0-IV1', '4.0-IV2', '4.0-IV3', '4.1-IV0'],
  ['4.1-IV1', '4.2-IV0', '4.2-IV1', '4.3-IV0', '4.4-IV0', '4.4-IV1', '4.4-IV2'],
].flat();

export const MINIMUM_METADATA_VERSION = 7;
export const LATEST_METADATA_VERSION = MINIMUM_METADATA_VERSION + NAMES.length - 1;

/** '4.4-IV2' for 33; the number itself where this release does not know the level. */
export function metadataVersionName(level: number): string {
  return NAMES[level - MINIMUM_METADATA_VERSION] ?? String(level);
}

/** The level of '4.4-IV2', of '4.4' (its latest), or of '33'; null if there is none. */
export function metadataVersionNamed(text: string): number | null {
  const exact = NAMES.indexOf(text);
  if (exact >= 0) return exact + MINIMUM_METADATA_VERSION;
  const last = NAMES.findLastIndex((name) => name.startsWith(`${text}-IV`));
  if (last >= 0) return last + MINIMUM_METADATA_VERSION;
  return /^\d+$/.test(text) && NAMES[Number(text) - MINIMUM_METADATA_VERSION] !== undefined ? Number(text) : null;
}

/** What a metadata version allows. */
export interface MetadataVersionFacts {
  readonly registerBrokerRecordVersion: number;
  readonly partitionRecordVersion: number;
  readonly isScramSupported: boolean;
  readonly isMetadataTransactionSupported: boolean;
  readonly isDelegationTokenSupported: boolean;
  readonly isControllerRegistrationSupported: boolean;
  readonly isControllerUnregistrationSupported: boolean;
  readonly isDirectoryAssignmentSupported: boolean;
  readonly isElrSupported: boolean;
  readonly isCordonedLogDirsSupported: boolean;
  /** Before 3.6-IV0 brokers expected a new leader epoch whenever the ISR shrank. */
  readonly isLeaderEpochBumpRequiredOnIsrShrink: boolean;
  /** The Fetch version followers ask with. */
  readonly fetchRequestVersion: number;
}

export function metadataVersionFacts(level: number): MetadataVersionFacts {
  return {
    registerBrokerRecordVersion: step(level, [1, 8, 17, 30]),
    partitionRecordVersion: step(level, [17, 23]),
    isScramSupported: level >= 11,
    isMetadataTransactionSupported: level >= 13,
    isDelegationTokenSupported: level >= 14,
    isControllerRegistrationSupported: level >= 15,
    isControllerUnregistrationSupported: level >= 33,
    isDirectoryAssignmentSupported: level >= 17,
    isElrSupported: level >= 23,
    isCordonedLogDirsSupported: level >= 30,
    isLeaderEpochBumpRequiredOnIsrShrink: level < 12,
    fetchRequestVersion: 13 + step(level, [9, 10, 19, 21, 27]),
  };
}

/** How many of the ascending thresholds the level has reached. */
function step(level: number, thresholds: readonly number[]): number {
  return thresholds.filter((threshold) => level >= threshold).length;
}
