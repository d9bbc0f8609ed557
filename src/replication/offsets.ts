import { KafkaError } from '../protocol/errors.ts';
import type { FoundAhead } from '../storage/large-search.ts';
import type { PartitionLog } from '../storage/partition-log.ts';
import type { Partition } from './partition.ts';
import type { ReadableEnd } from './read.ts';

/** Timestamps of ListOffsets that stand for something else. */
export const LATEST = -1;
export const EARLIEST = -2;
export const MAX_TIMESTAMP = -3;
export const EARLIEST_LOCAL = -4;
export const LATEST_TIERED = -5;
export const EARLIEST_PENDING_UPLOAD = -6;

const NO_TIMESTAMP = -1;

export interface FoundOffset {
  readonly timestamp: number;
  readonly offset: number;
  /** −1 if it is not known. */
  readonly leaderEpoch: number;
}

const NOT_FOUND: FoundOffset = { timestamp: NO_TIMESTAMP, offset: -1, leaderEpoch: -1 };

export interface OffsetQuery {
  readonly timestamp: number;
  readonly upTo: ReadableEnd;
  readonly currentLeaderEpoch: number;
  readonly requiresLeader: boolean;
  /** Of searches that were made before; with it, a large one more is thrown as a LargeSearch. */
  readonly foundAhead?: FoundAhead;
}

/**
 * The offset that a timestamp, or a special one, stands for. A new leader whose high watermark has not reached the start of its epoch does not know yet
 * what consumers have seen: it says OFFSET_NOT_AVAILABLE rather than an offset that goes back.
 */
export const offsetFor = (partition: Partition, query: OffsetQuery): FoundOffset => {
  const log = partition.localLog(query.currentLeaderEpoch, query.requiresLeader);
  switch (query.timestamp) {
    case LATEST:
      checkWatermark(partition, log, query);
      return { timestamp: NO_TIMESTAMP, offset: readableEnd(log, query.upTo), leaderEpoch: partition.leaderEpoch };
    case EARLIEST:
    case EARLIEST_LOCAL:
      return { timestamp: NO_TIMESTAMP, offset: log.logStartOffset, leaderEpoch: log.epochForOffset(log.logStartOffset) ?? -1 };
    case LATEST_TIERED:
    case EARLIEST_PENDING_UPLOAD:
      // Nothing is in remote storage.
      return NOT_FOUND;
    default:
      return readable(partition, log, query);
  }
};

const readable = (partition: Partition, log: PartitionLog, query: OffsetQuery): FoundOffset => {
  const { foundAhead } = query;
  const found =
    query.timestamp === MAX_TIMESTAMP
      ? log.offsetOfMaxTimestamp(foundAhead)
      : log.offsetForTimestamp(query.timestamp, foundAhead);
  if (found !== null && found.offset < readableEnd(log, query.upTo)) {
    return { timestamp: found.timestamp, offset: found.offset, leaderEpoch: found.leaderEpoch ?? -1 };
  }
  checkWatermark(partition, log, query);
  return NOT_FOUND;
};

const checkWatermark = (partition: Partition, log: PartitionLog, query: OffsetQuery): void => {
  if (query.upTo === 'log-end') return;
  const epochStart = partition.leaderEpochStartOffset;
  if (epochStart !== null && epochStart > log.highWatermark) throw new KafkaError('OFFSET_NOT_AVAILABLE');
};

const readableEnd = (log: PartitionLog, upTo: ReadableEnd): number => {
  switch (upTo) {
    case 'log-end':
      return log.logEndOffset;
    case 'high-watermark':
      return log.highWatermark;
    default:
      return log.lastStableOffset;
  }
};
