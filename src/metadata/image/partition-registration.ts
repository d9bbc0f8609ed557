import { MIGRATING_DIRECTORY, UNASSIGNED_DIRECTORY } from '../../base/uuid.ts';
import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';
import { metadataVersionFacts } from '../metadata-version.ts';

export { UNASSIGNED_DIRECTORY } from '../../base/uuid.ts';

/** The leader of a partition that has none. */
export const NO_LEADER = -1;
/** In a change record: the leader stays as it is. */
export const NO_LEADER_CHANGE = -2;

/** Whether the leader came to be without a clean election and has not said yet that it mended what that broke. */
export type LeaderRecoveryState = 'recovered' | 'recovering';

export const leaderRecoveryStateOf = (value: number): LeaderRecoveryState => (value === 0 ? 'recovered' : 'recovering');
export const leaderRecoveryStateId = (state: LeaderRecoveryState): number => (state === 'recovered' ? 0 : 1);

/** The state of a partition as the controller decided it. */
export interface PartitionRegistration {
  readonly replicas: readonly number[];
  /** The log directory of each replica, in the order of `replicas`. */
  readonly directories: readonly string[];
  readonly isr: readonly number[];
  readonly removingReplicas: readonly number[];
  readonly addingReplicas: readonly number[];
  /** Eligible leader replicas: out of the ISR, but known to hold everything up to the high watermark (KIP-966). */
  readonly elr: readonly number[];
  readonly lastKnownElr: readonly number[];
  readonly leader: number;
  readonly leaderRecoveryState: LeaderRecoveryState;
  /** Grows when the leader changes or the old one restarts. */
  readonly leaderEpoch: number;
  /** Grows with every change. */
  readonly partitionEpoch: number;
}

export function partitionFromRecord(record: MetadataRecordValues['PartitionRecord']): PartitionRegistration {
  return {
    replicas: record.replicas,
    directories: record.directories.length > 0 ? record.directories : record.replicas.map(() => MIGRATING_DIRECTORY),
    isr: record.isr,
    removingReplicas: record.removingReplicas,
    addingReplicas: record.addingReplicas,
    elr: record.eligibleLeaderReplicas ?? [],
    lastKnownElr: record.lastKnownElr ?? [],
    leader: record.leader,
    leaderRecoveryState: leaderRecoveryStateOf(record.leaderRecoveryState),
    leaderEpoch: record.leaderEpoch,
    partitionEpoch: record.partitionEpoch,
  };
}

/** The registration after a change record. */
export function changedPartition(
  old: PartitionRegistration,
  change: MetadataRecordValues['PartitionChangeRecord'],
): PartitionRegistration {
  const replicas = change.replicas ?? old.replicas;
  const hasLeaderChange = change.leader !== NO_LEADER_CHANGE;
  return {
    replicas,
    directories: change.directories ?? directoriesAfter(old, replicas),
    isr: change.isr ?? old.isr,
    removingReplicas: change.removingReplicas ?? old.removingReplicas,
    addingReplicas: change.addingReplicas ?? old.addingReplicas,
    elr: change.eligibleLeaderReplicas ?? old.elr,
    lastKnownElr: change.lastKnownElr ?? old.lastKnownElr,
    leader: hasLeaderChange ? change.leader : old.leader,
    leaderRecoveryState:
      change.leaderRecoveryState < 0 ? old.leaderRecoveryState : leaderRecoveryStateOf(change.leaderRecoveryState),
    leaderEpoch: hasLeaderChange ? old.leaderEpoch + 1 : old.leaderEpoch,
    partitionEpoch: old.partitionEpoch + 1,
  };
}

/** A change of replicas that does not say their directories keeps those of the replicas that stay. */
function directoriesAfter(old: PartitionRegistration, replicas: readonly number[]): readonly string[] {
  if (replicas === old.replicas) return old.directories;
  return replicas.map((replica) => directoryOf(old, replica) ?? UNASSIGNED_DIRECTORY);
}

/** The directory a replica is said to be in; undefined if the broker holds none. */
export function directoryOf(partition: PartitionRegistration, replica: number): string | undefined {
  const at = partition.replicas.indexOf(replica);
  return at < 0 ? undefined : partition.directories[at];
}

/** How the registration may be written. */
export interface TopicRecordOptions {
  readonly metadataVersion: number;
  /** Whether the feature eligible.leader.replicas.version is on. */
  readonly isElrEnabled: boolean;
}

export function partitionRecord(
  topicId: string,
  partitionId: number,
  partition: PartitionRegistration,
  options: TopicRecordOptions,
): MetadataRecord {
  const version = metadataVersionFacts(options.metadataVersion).partitionRecordVersion;
  return metadataRecord('PartitionRecord', version, {
    partitionId,
    topicId,
    replicas: partition.replicas,
    isr: partition.isr,
    removingReplicas: partition.removingReplicas,
    addingReplicas: partition.addingReplicas,
    leader: partition.leader,
    leaderRecoveryState: leaderRecoveryStateId(partition.leaderRecoveryState),
    leaderEpoch: partition.leaderEpoch,
    partitionEpoch: partition.partitionEpoch,
    directories: version >= 1 ? partition.directories : [],
    eligibleLeaderReplicas: options.isElrEnabled && partition.elr.length > 0 ? partition.elr : null,
    lastKnownElr: options.isElrEnabled && partition.lastKnownElr.length > 0 ? partition.lastKnownElr : null,
  });
}
