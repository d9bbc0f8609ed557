import type { Millis } from '../base/clock.ts';
import { DiskError } from '../base/disk.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { analyzeAppend } from './append-analysis.ts';
import { type AppendInfo, UnexpectedAppendOffsetError } from './append-info.ts';
import { type AppendRules, validateAppend } from './append-validator.ts';
import type { LogSegment } from './log-segment.ts';
import { mustRoll, rollTo, type UpcomingAppend } from './log-roll.ts';
import type { LogState } from './log-state.ts';
import type { AppendOrigin } from './producer-append.ts';
import type { ProducerUpdate, TransactionalAppend } from './producer-state-manager.ts';

export interface LeaderAppendOptions {
  readonly leaderEpoch: number;
  readonly origin: 'client' | 'coordinator' | 'raft';
  readonly now: Millis;
  readonly ahead?: AppendRules['ahead'];
  readonly transactional?: TransactionalAppend | undefined;
}

export function appendAsLeader(state: LogState, records: Uint8Array, options: LeaderAppendOptions): AppendInfo {
  const { context } = state;
  const { topicPartition, config } = context;
  const { origin, now, leaderEpoch, ahead, transactional } = options;
  const { batches, bytes } = analyzeAppend(records, { origin, topicPartition, maxMessageBytes: config.maxMessageBytes });
  if (batches.length === 0) return nothingAppended(state);
  const rules = { origin, name: context.name, config, leaderEpoch, firstOffset: state.logEndOffset, now, ahead };
  return write(state, { ...validateAppend(batches, bytes, rules), origin, now, transactional });
}

/** Takes what a leader wrote, as it is. Throws an UnexpectedAppendOffsetError for batches that do not continue this log. */
export function appendAsFollower(state: LogState, records: Uint8Array, now: Millis): AppendInfo {
  const { topicPartition, config } = state.context;
  const origin = 'replication';
  const { batches, bytes } = analyzeAppend(records, { origin, topicPartition, maxMessageBytes: config.maxMessageBytes });
  if (batches.length === 0) return nothingAppended(state);
  checkContinues(state, batches);
  return write(state, { batches, bytes, origin, now, logAppendTime: -1 });
}

function checkContinues(state: LogState, batches: readonly RecordBatch[]): void {
  let expected = state.logEndOffset;
  for (const batch of batches) {
    const { baseOffset, lastOffset } = batch;
    if (baseOffset < expected || lastOffset < baseOffset) {
      throw new UnexpectedAppendOffsetError(
        `A batch with offsets ${baseOffset} to ${lastOffset} cannot follow in ${state.context.name}, which expects ${expected} or more.`,
        { firstOffset: baseOffset, lastOffset: batches.at(-1)?.lastOffset ?? lastOffset },
      );
    }
    expected = lastOffset + 1;
  }
}

interface PlacedRecords {
  readonly batches: readonly RecordBatch[];
  readonly bytes: Uint8Array;
  readonly origin: AppendOrigin;
  readonly now: Millis;
  readonly logAppendTime: number;
  readonly transactional?: TransactionalAppend | undefined;
}

function write(state: LogState, records: PlacedRecords): AppendInfo {
  const { batches, bytes } = records;
  const { context } = state;
  const upcoming = describe(batches, bytes);
  checkFitsSegment(state, bytes.length);
  const update = state.producers.prepare(batches, records.origin, records.transactional);
  if (update.duplicate !== null) {
    const { lastOffset, offsetDelta, timestamp } = update.duplicate;
    return {
      firstOffset: lastOffset - offsetDelta,
      lastOffset,
      maxTimestamp: timestamp,
      logAppendTime: timestamp,
      logStartOffset: state.logStartOffset,
      validBytes: bytes.length,
      isDuplicate: true,
      flushed: null,
    };
  }
  context.guard('Appending', () => writeToSegment(state, records, { upcoming, update }));
  return {
    firstOffset: upcoming.firstOffset,
    lastOffset: upcoming.lastOffset,
    maxTimestamp: upcoming.maxTimestamp,
    logAppendTime: records.logAppendTime,
    logStartOffset: state.logStartOffset,
    validBytes: bytes.length,
    isDuplicate: false,
    flushed: null,
  };
}

function writeToSegment(
  state: LogState,
  { batches, bytes, now }: PlacedRecords,
  { upcoming, update }: { readonly upcoming: UpcomingAppend; readonly update: ProducerUpdate },
): void {
  if (mustRoll(state, upcoming, now)) rollTo(state, Math.max(upcoming.firstOffset, state.logEndOffset));
  const segment = state.segments.active;
  segment.prepareAppend();
  const position = segment.sizeInBytes;
  appendBytes(state, segment, { bytes, abortedCount: update.completed.filter(({ isAborted }) => isAborted).length });
  segment.noteAppended(batches, position);
  // From here on the records are in the log; nothing may be refused any more.
  state.setLogEnd(upcoming.lastOffset + 1);
  for (const batch of batches) {
    const { partitionLeaderEpoch } = batch;
    if (partitionLeaderEpoch >= 0) state.epochs.cache.assign(partitionLeaderEpoch, batch.baseOffset);
  }
  state.producers.apply(update, (transaction, lastStableOffset) => {
    if (transaction.isAborted) segment.transactionIndex.append({ ...transaction, lastStableOffset });
  });
  state.producers.endOffset = state.logEndOffset;
  if (update.appends.length > 0) state.producersMoved();
}

/**
 * A full disk is not a broken one: what was written of the records has been cut off again, and the log goes on as soon as there is room. Any other failure takes the log
 * offline.
 */
function appendBytes(
  state: LogState,
  segment: LogSegment,
  { bytes, abortedCount }: { readonly bytes: Uint8Array; readonly abortedCount: number },
): void {
  const { context } = state;
  try {
    if (abortedCount > 0) segment.transactionIndex.reserve(abortedCount);
    segment.log.append(bytes);
    if (context.isDiskFull) context.logger.info('there is room on the disk again', { partition: context.name });
    context.isDiskFull = false;
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== 'ENOSPC') throw error;
    if (abortedCount > 0) segment.transactionIndex.release();
    const message = `There is no space left for the records of ${context.name}.`;
    // Told once: whoever is refused tries again, and again, and the log may lie on the same disk.
    if (!context.isDiskFull) context.logger.error('the disk is full', { partition: context.name, bytes: bytes.length });
    context.isDiskFull = true;
    throw new KafkaError('KAFKA_STORAGE_ERROR', message, { cause: error });
  }
}

function describe(batches: readonly RecordBatch[], bytes: Uint8Array): UpcomingAppend {
  let firstOffset = -1;
  let lastOffset = -1;
  let maxTimestamp = -1;
  for (const batch of batches) {
    if (firstOffset < 0) firstOffset = batch.baseOffset;
    lastOffset = batch.lastOffset;
    maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp);
  }
  return { firstOffset, lastOffset, maxTimestamp, sizeInBytes: bytes.length };
}

function checkFitsSegment(state: LogState, sizeInBytes: number): void {
  const { segmentBytes } = state.context.config;
  if (sizeInBytes <= segmentBytes) return;
  throw new KafkaError(
    'RECORD_LIST_TOO_LARGE',
    `Message batch size is ${sizeInBytes} bytes in append to partition ${state.context.name}, which exceeds the maximum configured segment size of ${segmentBytes}.`,
  );
}

function nothingAppended(state: LogState): AppendInfo {
  return {
    firstOffset: -1,
    lastOffset: -1,
    maxTimestamp: -1,
    logAppendTime: -1,
    logStartOffset: state.logStartOffset,
    validBytes: 0,
    isDuplicate: false,
    flushed: null,
  };
}
