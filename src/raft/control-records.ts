import { ZERO_UUID } from '../base/uuid.ts';
import { decode, encode } from '../protocol/codec.ts';
import { kRaftVersionRecord } from '../protocol/data/kraft-version-record.ts';
import { leaderChangeMessage } from '../protocol/data/leader-change-message.ts';
import { snapshotFooterRecord } from '../protocol/data/snapshot-footer-record.ts';
import { snapshotHeaderRecord } from '../protocol/data/snapshot-header-record.ts';
import { votersRecord } from '../protocol/data/voters-record.ts';
import { buildBatch } from '../protocol/records/record-batch-builder.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import type { Fields, Input, Message } from '../protocol/schema.ts';
import { directoryIdOrZero, VoterSet } from './voter-set.ts';

/** The control records of the metadata log and its snapshots, by the number in their key. */
const LEADER_CHANGE = 2;
const SNAPSHOT_HEADER = 3;
const SNAPSHOT_FOOTER = 4;
const KRAFT_VERSION = 5;
const KRAFT_VOTERS = 6;

const RECORD_VERSION = 0;

export interface ControlRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

function controlRecord<F extends Fields>(type: number, schema: Message<F>, value: Input<Message<F>>): ControlRecord {
  const key = Buffer.alloc(4);
  key.writeInt16BE(RECORD_VERSION, 0);
  key.writeInt16BE(type, 2);
  return { key, value: encode(schema, RECORD_VERSION, value) };
}

export function leaderChange(leaderId: number, voters: readonly number[], grantingVoters: readonly number[]): ControlRecord {
  return controlRecord(LEADER_CHANGE, leaderChangeMessage, {
    version: RECORD_VERSION,
    leaderId,
    voters: voters.map(voterWithoutDirectory),
    grantingVoters: grantingVoters.map(voterWithoutDirectory),
  });
}

/** Version 0 of the message, the one that is written, has no directories. */
const voterWithoutDirectory = (voterId: number): { voterId: number; voterDirectoryId: string } => ({
  voterId,
  voterDirectoryId: ZERO_UUID,
});

export function snapshotHeader(lastContainedLogTimestamp: number): ControlRecord {
  return controlRecord(SNAPSHOT_HEADER, snapshotHeaderRecord, { version: RECORD_VERSION, lastContainedLogTimestamp });
}

export function snapshotFooter(): ControlRecord {
  return controlRecord(SNAPSHOT_FOOTER, snapshotFooterRecord, { version: RECORD_VERSION });
}

/** From kraft.version 1 on, the log itself says who votes. */
export function quorumRecords(kraftVersion: number, voters: VoterSet): ControlRecord[] {
  if (kraftVersion === 0) return [];
  return [
    controlRecord(KRAFT_VERSION, kRaftVersionRecord, { version: RECORD_VERSION, kRaftVersion: kraftVersion }),
    controlRecord(KRAFT_VOTERS, votersRecord, {
      version: RECORD_VERSION,
      voters: voters.voters.map((voter) => ({
        voterId: voter.id,
        voterDirectoryId: directoryIdOrZero(voter),
        endpoints: voter.endpoints,
        kRaftVersionFeature: { minSupportedVersion: voter.minKRaftVersion, maxSupportedVersion: voter.maxKRaftVersion },
      })),
    }),
  ];
}

export interface ControlBatchOptions {
  readonly baseOffset: number;
  readonly epoch: number;
  readonly timestamp: number;
}

export function controlBatch(records: readonly ControlRecord[], options: ControlBatchOptions): Buffer {
  return buildBatch({
    records: records.map(({ key, value }) => ({ timestamp: options.timestamp, key, value })),
    baseOffset: options.baseOffset,
    partitionLeaderEpoch: options.epoch,
    isControl: true,
  });
}

/** What a control batch says about the quorum and about the snapshot it is in. */
export interface ControlFacts {
  readonly kraftVersion?: number;
  readonly voters?: VoterSet;
  readonly lastContainedLogTimestamp?: number;
  readonly isFooter?: true;
}

export function readControlBatch(batch: RecordBatch): ControlFacts {
  const facts: { -readonly [K in keyof ControlFacts]: ControlFacts[K] } = {};
  for (const { key, value } of recordsOf(batch)) {
    if (key === null || value === null || key.length < 4) continue;
    switch (Buffer.from(key.buffer, key.byteOffset, key.length).readInt16BE(2)) {
      case SNAPSHOT_HEADER:
        facts.lastContainedLogTimestamp = decode(snapshotHeaderRecord, RECORD_VERSION, value).lastContainedLogTimestamp;
        break;
      case SNAPSHOT_FOOTER:
        facts.isFooter = true;
        break;
      case KRAFT_VERSION:
        facts.kraftVersion = decode(kRaftVersionRecord, RECORD_VERSION, value).kRaftVersion;
        break;
      case KRAFT_VOTERS:
        facts.voters = readVoters(value);
        break;
      default:
        break;
    }
  }
  return facts;
}

function readVoters(value: Uint8Array): VoterSet {
  return new VoterSet(
    decode(votersRecord, RECORD_VERSION, value).voters.map((voter) => ({
      id: voter.voterId,
      directoryId: voter.voterDirectoryId,
      endpoints: voter.endpoints,
      minKRaftVersion: voter.kRaftVersionFeature.minSupportedVersion,
      maxKRaftVersion: voter.kRaftVersionFeature.maxSupportedVersion,
    })),
  );
}
