import type { PartitionRegistration } from '../metadata/image/partition-registration.ts';
import {
  leaderRecoveryStateId,
  type LeaderRecoveryState,
  NO_LEADER,
  NO_LEADER_CHANGE,
} from '../metadata/image/partition-registration.ts';
import type { MetadataRecordInputs, MetadataRecordOf } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { metadataVersionFacts } from '../metadata/metadata-version.ts';

/** How to look for a leader. `any` keeps the leader there is, `preferred` wants the first replica, `unclean` takes what lives. */
export type Election = 'any' | 'preferred' | 'unclean';

/** What is to become of a partition. What is left out stays as it is. */
export interface PartitionChange {
  readonly topicId: string;
  readonly partitionId: number;
  readonly partition: PartitionRegistration;
  readonly isr?: readonly number[];
  readonly directories?: readonly string[];
  readonly leaderRecoveryState?: LeaderRecoveryState;
  readonly election?: Election;
  /** Replicas that died without a clean stop: what they held up to the high watermark may be gone. */
  readonly uncleanShutdownReplicas?: readonly number[];
  readonly canLead: (replica: number) => boolean;
  readonly rules: PartitionRules;
}

export interface PartitionRules {
  readonly metadataVersion: number;
  /** Whether eligible.leader.replicas.version is on (KIP-966). */
  readonly isElrEnabled: boolean;
  readonly minInsyncReplicas: number;
}

interface Elected {
  readonly leader: number;
  readonly isUnclean: boolean;
}

/** The record that makes the change, with the leader it leads to; null if there is nothing to change. */
export function partitionChange(change: PartitionChange): MetadataRecordOf<'PartitionChangeRecord'> | null {
  const { partition, rules } = change;
  let isr = change.isr ?? partition.isr;
  let elr = targetElr(change, isr);
  const record: Changes = { leader: NO_LEADER_CHANGE };
  const { leader, isUnclean } = elect(change, isr, elr);
  if (leader !== partition.leader) {
    record.leader = leader;
    if (isUnclean) {
      // Nobody who surely has everything is left: the new leader's log becomes the truth, and whoever reads is told that it recovers.
      isr = [leader];
      elr = [];
      if (partition.leaderRecoveryState !== 'recovering') record.leaderRecoveryState = leaderRecoveryStateId('recovering');
    } else if (elr.includes(leader) && !isr.includes(leader)) {
      isr = [leader];
      elr = elr.filter((replica) => replica !== leader);
    }
  }
  const mayBeEmpty = rules.isElrEnabled;
  if (!sameList(isr, partition.isr) && (isr.length > 0 || mayBeEmpty)) record.isr = isr;
  if (needsEpochBump(change, record)) record.leader = partition.leader;
  const { leaderRecoveryState } = change;
  if (leaderRecoveryState !== undefined && leaderRecoveryState !== partition.leaderRecoveryState) {
    record.leaderRecoveryState = leaderRecoveryStateId(leaderRecoveryState);
  }
  if (change.directories !== undefined && !sameList(change.directories, partition.directories)) {
    record.directories = change.directories;
  }
  setElr(record, change, elr);
  return recordOf(change, record);
}

type Changes = {
  -readonly [K in keyof MetadataRecordInputs['PartitionChangeRecord']]: MetadataRecordInputs['PartitionChangeRecord'][K];
} extends infer C
  ? Omit<C, 'topicId' | 'partitionId'> & { leader: number }
  : never;

function recordOf(change: PartitionChange, changes: Changes): MetadataRecordOf<'PartitionChangeRecord'> | null {
  if (changes.leader === NO_LEADER_CHANGE && Object.keys(changes).length === 1) return null;
  const version = metadataVersionFacts(change.rules.metadataVersion).partitionRecordVersion;
  const { topicId, partitionId } = change;
  return metadataRecord('PartitionChangeRecord', version, { topicId, partitionId, ...changes });
}

/**
 * The replicas that surely hold everything up to the high watermark although they are not in the ISR: who leaves an ISR that is
 * below min.insync.replicas, for then the high watermark stands still.
 */
function targetElr(
  { partition, rules, uncleanShutdownReplicas = [] }: PartitionChange,
  isr: readonly number[],
): readonly number[] {
  // Where the feature was switched off while a partition had nobody in sync, its eligible leaders are all it has left.
  if (!rules.isElrEnabled && (isr.length > 0 || partition.isr.length > 0)) return [];
  if (isr.length >= Math.min(rules.minInsyncReplicas, partition.replicas.length)) return [];
  const candidates = [...new Set([...partition.elr, ...partition.isr])].sort((a, b) => a - b);
  return candidates.filter((replica) => !isr.includes(replica) && !uncleanShutdownReplicas.includes(replica));
}

function elect(change: PartitionChange, isr: readonly number[], elr: readonly number[]): Elected {
  const { partition, canLead, election = 'any' } = change;
  const { replicas } = partition;
  const isClean = (replica: number): boolean => (isr.includes(replica) || elr.includes(replica)) && canLead(replica);
  const wanted = election === 'preferred' ? [replicas[0] ?? NO_LEADER, partition.leader] : [partition.leader];
  const clean = [...wanted, ...replicas].find((replica) => replica !== NO_LEADER && isClean(replica));
  if (clean !== undefined) return { leader: clean, isUnclean: false };
  const lastKnown = lastKnownLeader(change, isr, elr);
  if (lastKnown !== null) return { leader: lastKnown, isUnclean: true };
  const living = election === 'unclean' ? replicas.find((replica) => canLead(replica)) : undefined;
  return living === undefined ? { leader: NO_LEADER, isUnclean: false } : { leader: living, isUnclean: true };
}

/** The last leader may lead again when there is nobody left who surely has more (KIP-966). */
function lastKnownLeader(
  { partition, rules, canLead }: PartitionChange,
  isr: readonly number[],
  elr: readonly number[],
): number | null {
  const [lastKnown] = partition.lastKnownElr;
  if (!rules.isElrEnabled || isr.length > 0 || elr.length > 0) return null;
  return partition.lastKnownElr.length === 1 && lastKnown !== undefined && canLead(lastKnown) ? lastKnown : null;
}

/** Before 3.6-IV0 followers learned of a smaller ISR by a new leader epoch. */
function needsEpochBump({ partition, rules }: PartitionChange, record: Changes): boolean {
  if (record.leader !== NO_LEADER_CHANGE || record.isr === undefined || record.isr === null) return false;
  if (!metadataVersionFacts(rules.metadataVersion).isLeaderEpochBumpRequiredOnIsrShrink) return false;
  const { isr } = record;
  return partition.isr.some((replica) => !isr.includes(replica));
}

function setElr(record: Changes, { partition, rules }: PartitionChange, elr: readonly number[]): void {
  if (!sameList(elr, partition.elr)) record.eligibleLeaderReplicas = elr;
  if (!rules.isElrEnabled) {
    if (partition.lastKnownElr.length > 0) record.lastKnownElr = [];
    return;
  }
  const { leader } = record;
  const isLeaderless = leader === NO_LEADER || (leader === NO_LEADER_CHANGE && partition.leader === NO_LEADER);
  if (record.isr?.length === 0 && partition.leader !== NO_LEADER) {
    // It becomes leaderless: who led last is remembered.
    if (!sameList(partition.lastKnownElr, [partition.leader])) record.lastKnownElr = [partition.leader];
  } else if (!isLeaderless && partition.lastKnownElr.length > 0) {
    record.lastKnownElr = [];
  }
}

const sameList = <T>(a: readonly T[], b: readonly T[]): boolean => a.length === b.length && a.every((item, at) => item === b[at]);
