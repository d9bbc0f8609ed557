import { ZERO_UUID } from '../base/uuid.ts';
import { buildControlBatch, type ControlRecordInput, readControlRecord } from '../protocol/records/control-record.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import { directoryIdOrZero, VoterSet } from './voter-set.ts';

/** What the metadata log and its snapshots say about the quorum, in control records. */

export function leaderChange(leaderId: number, voters: readonly number[], grantingVoters: readonly number[]): ControlRecordInput {
  return {
    type: 'LEADER_CHANGE',
    value: { leaderId, voters: voters.map(voterWithoutDirectory), grantingVoters: grantingVoters.map(voterWithoutDirectory) },
  };
}

/** Version 0 of the message, the one that is written, has no directories. */
const voterWithoutDirectory = (voterId: number): { voterId: number; voterDirectoryId: string } => ({
  voterId,
  voterDirectoryId: ZERO_UUID,
});

export const snapshotHeader = (lastContainedLogTimestamp: number): ControlRecordInput => ({
  type: 'SNAPSHOT_HEADER',
  value: { lastContainedLogTimestamp },
});

export const snapshotFooter = (): ControlRecordInput => ({ type: 'SNAPSHOT_FOOTER' });

/** From kraft.version 1 on, the log itself says who votes. */
export function quorumRecords(kraftVersion: number, { voters }: VoterSet): ControlRecordInput[] {
  if (kraftVersion === 0) return [];
  return [
    { type: 'KRAFT_VERSION', value: { kRaftVersion: kraftVersion } },
    {
      type: 'KRAFT_VOTERS',
      value: {
        voters: voters.map((voter) => ({
          voterId: voter.id,
          voterDirectoryId: directoryIdOrZero(voter),
          endpoints: voter.endpoints,
          kRaftVersionFeature: { minSupportedVersion: voter.minKRaftVersion, maxSupportedVersion: voter.maxKRaftVersion },
        })),
      },
    },
  ];
}

export interface ControlBatchOptions {
  readonly baseOffset: number;
  readonly epoch: number;
  readonly timestamp: number;
}

export const controlBatch = (
  controls: readonly ControlRecordInput[],
  { baseOffset, epoch, timestamp }: ControlBatchOptions,
): Buffer => buildControlBatch({ controls, timestamp, baseOffset, partitionLeaderEpoch: epoch });

/** What a control batch says about the quorum and about the snapshot it is in. */
export interface ControlFacts {
  readonly kraftVersion?: number;
  readonly voters?: VoterSet;
  readonly lastContainedLogTimestamp?: number;
  readonly isFooter?: true;
}

/** Throws CorruptBatchError for what is no control record. */
export function readControlBatch(batch: RecordBatch): ControlFacts {
  const facts: { -readonly [K in keyof ControlFacts]: ControlFacts[K] } = {};
  for (const record of recordsOf(batch)) {
    const control = readControlRecord(record);
    switch (control.type) {
      case 'SNAPSHOT_HEADER':
        facts.lastContainedLogTimestamp = control.value.lastContainedLogTimestamp;
        break;
      case 'SNAPSHOT_FOOTER':
        facts.isFooter = true;
        break;
      case 'KRAFT_VERSION':
        facts.kraftVersion = control.value.kRaftVersion;
        break;
      case 'KRAFT_VOTERS':
        facts.voters = votersIn(control.value);
        break;
      default:
        break;
    }
  }
  return facts;
}

type VotersRecord = Extract<ReturnType<typeof readControlRecord>, { readonly type: 'KRAFT_VOTERS' }>['value'];

const votersIn = ({ voters }: VotersRecord): VoterSet =>
  new VoterSet(
    voters.map((voter) => ({
      id: voter.voterId,
      directoryId: voter.voterDirectoryId,
      endpoints: voter.endpoints,
      minKRaftVersion: voter.kRaftVersionFeature.minSupportedVersion,
      maxKRaftVersion: voter.kRaftVersionFeature.maxSupportedVersion,
    })),
  );
