import type { Millis } from '../../../base/clock.ts';
import { type GroupRecord, groupRecord, type GroupRecordValue, groupTombstone } from '../group-record.ts';

/** Of a leader epoch or a time that is not known. */
export const UNKNOWN = -1;

/** The version of the value that is written, and the one that keeps when the offset expires. */
const VALUE_VERSION = 4;
const EXPIRING_VALUE_VERSION = 1;

/** What a group has committed for a partition. There may be a million of them. */
export interface CommittedOffset {
  /** The next offset to process. */
  readonly offset: number;
  /** Of the record before it; −1 if the committer did not say. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly commitTimestamp: Millis;
  /** When it expires, where its committer asked for that (OffsetCommit before v5); −1 otherwise. */
  readonly expireTimestamp: Millis;
  /** All zero where it is not known. */
  readonly topicId: string;
  /** Where the commit stands in the log: of two commits the later one counts. */
  readonly recordOffset: number;
}

/** Where a committed offset is kept. */
export interface OffsetKey {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

export const committedOffset = (
  { offset, leaderEpoch, metadata, commitTimestamp, expireTimestamp }: GroupRecordValue<'OffsetCommit'>,
  topicId: string,
  recordOffset: number,
): CommittedOffset => ({ offset, leaderEpoch, metadata, commitTimestamp, expireTimestamp, topicId, recordOffset });

export const offsetCommitRecord = (key: OffsetKey, value: Omit<CommittedOffset, 'recordOffset'>): GroupRecord =>
  groupRecord('OffsetCommit', key, {
    version: value.expireTimestamp === UNKNOWN ? VALUE_VERSION : EXPIRING_VALUE_VERSION,
    value,
  });

export const offsetTombstone = (key: OffsetKey): GroupRecord => groupTombstone('OffsetCommit', key);
