import type { Millis } from '../base/clock.ts';
import type { Codec } from '../protocol/compression/index.ts';
import { KafkaError } from '../protocol/errors.ts';
import { CURRENT_MAGIC, NO_TIMESTAMP } from '../protocol/records/batch-layout.ts';
import { invalidRecord } from '../protocol/records/corrupt-batch-error.ts';
import { RecordBatch } from '../protocol/records/record-batch.ts';
import { buildBatch, encodeBatch } from '../protocol/records/record-batch-builder.ts';
import { DECOMPRESSED_BYTES_MAX, recordCursor, recordsOf } from '../protocol/records/record-iterator.ts';
import { scanRecords } from '../protocol/records/record-scan.ts';
import type { LogConfig } from './log-configs.ts';
import { isOutOfRange, recordErrorsOf, type TimestampRange } from './record-errors.ts';

export type { RecordError } from './record-validation-error.ts';

export interface AppendRules {
  readonly origin: 'client' | 'coordinator' | 'raft';
  /** The partition as messages name it: `topic-0`. */
  readonly name: string;
  readonly config: LogConfig;
  readonly leaderEpoch: number;
  /** The log's end: what the first record is to have. */
  readonly firstOffset: number;
  readonly now: Millis;
}

/** Records ready to be written: their offsets, epoch and times are those of this log. */
export interface ValidatedAppend {
  readonly batches: readonly RecordBatch[];
  /** The bytes of these batches: the ones that came, patched in place, or new ones where the topic wants another codec. */
  readonly bytes: Uint8Array;
  /** −1 where no record has a time. */
  readonly maxTimestamp: number;
  /** The time of the log where the topic uses it, otherwise −1. */
  readonly logAppendTime: number;
}

/** 2^63: Kafka's differences of times are 64-bit integers, so that nothing is further away than this. */
const TIME_DIFFERENCE_MAX = 2 ** 63;
const ANY_TIME: TimestampRange = { earliest: -Infinity, latest: Infinity };

/**
 * Checks the records of an append and gives them their place in the log. `bytes` holds exactly `batches`, whose frames have been checked: sizes, checksums,
 * and the base offset of a client's batch. Kafka: LogValidator.
 *
 * Throws INVALID_RECORD or INVALID_TIMESTAMP (with the records that are at fault, see RecordValidationError) and MESSAGE_TOO_LARGE. Nothing is patched
 * unless all is accepted. What the quorum's leader writes is its own and is only given its place.
 */
export function validateAppend(batches: readonly RecordBatch[], bytes: Uint8Array, rules: AppendRules): ValidatedAppend {
  if (rules.origin === 'raft') return placeAll(batches, bytes, rules);
  const [batch, ...others] = batches;
  if (batch === undefined || others.length > 0) throw invalidRecord('Compressed outer record has more than one batch');
  const accepted = check(batch, rules);
  const { maxTimestamp, logAppendTime } = accepted;
  const kept = accepted.target === accepted.codec ? keep(accepted, rules) : encodeAgain(accepted, rules);
  return {
    batches: [kept],
    bytes: kept === batch ? bytes : kept.bytes,
    maxTimestamp: logAppendTime < 0 ? maxTimestamp : logAppendTime,
    logAppendTime,
  };
}

function placeAll(
  batches: readonly RecordBatch[],
  bytes: Uint8Array,
  { firstOffset, leaderEpoch }: AppendRules,
): ValidatedAppend {
  let offset = firstOffset;
  let maxTimestamp = -1;
  for (const batch of batches) {
    batch.setBaseOffset(offset);
    batch.setPartitionLeaderEpoch(leaderEpoch);
    offset = batch.nextOffset;
    maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp);
  }
  return { batches, bytes, maxTimestamp, logAppendTime: -1 };
}

/** What the header says, before anything is decompressed. */
function checkBatch(batch: RecordBatch, { origin, name }: AppendRules): void {
  if (batch.magic !== CURRENT_MAGIC) {
    throw invalidRecord(`The append to ${name} is of message format ${batch.magic}, which is no longer written`);
  }
  const { baseOffset, lastOffset, recordsCount } = batch;
  const offsets = lastOffset - baseOffset + 1;
  if (offsets <= 0) {
    throw invalidRecord(`Batch has an invalid offset range: [${baseOffset}, ${lastOffset}] in topic partition ${name}`);
  }
  if (recordsCount <= 0) {
    throw invalidRecord(`Invalid reported count for record batch: ${recordsCount} in topic partition ${name}`);
  }
  if (offsets !== recordsCount) {
    throw invalidRecord(
      `Inconsistent batch offset range [${baseOffset}, ${lastOffset}] and count of records ${recordsCount} in topic partition ${name}`,
    );
  }
  if (origin !== 'client') return;
  if (batch.isControl) throw invalidRecord(`Clients are not allowed to write control records in topic partition ${name}`);
  if (batch.hasProducerId && batch.baseSequence < 0) {
    throw invalidRecord(
      `Invalid sequence number ${batch.baseSequence} in record batch with producerId ${batch.producerId} in topic partition ${name}`,
    );
  }
}

/** Only the kind of compression counts, not its level. Markers are small and read often: they stay as they are. */
function targetCodec(batch: RecordBatch, codec: Codec, { compressionType }: LogConfig): Codec {
  if (compressionType === 'producer' || batch.isControl) return codec;
  return compressionType === 'uncompressed' ? 'none' : compressionType;
}

interface AcceptedBatch {
  readonly batch: RecordBatch;
  readonly codec: Codec;
  readonly target: Codec;
  /** The records without compression. */
  readonly recordBytes: Uint8Array;
  readonly firstTimestamp: number;
  readonly maxTimestamp: number;
  readonly logAppendTime: number;
}

function check(batch: RecordBatch, rules: AppendRules): AcceptedBatch {
  const { config, name } = rules;
  const { codec } = batch;
  checkBatch(batch, rules);
  const target = targetCodec(batch, codec, config);
  const range = timestampRange(rules);
  const claimsLogTime = batch.timestampType === 'log-append-time';
  const cursor = recordCursor(batch, decompressedBytesMax(config));
  const start = cursor.position;
  const scanned = scanRecords(cursor, {
    count: batch.recordsCount,
    baseTimestamp: batch.baseTimestamp,
    ...(claimsLogTime ? ANY_TIME : range),
    maxRecordBytes: codec === 'none' ? Infinity : config.maxDecompressedMessageBytes,
  });
  if (!scanned.isOffsetInOrder) {
    throw invalidRecord(`The records of the batch do not have incremental offsets in topic partition ${name}`);
  }
  // A batch that claims the log's time already is judged by that time, where it is not refused for the claim.
  const isClaimRefused =
    claimsLogTime &&
    (config.messageTimestampType === 'LogAppendTime' ||
      batch.maxTimestamp === NO_TIMESTAMP ||
      isOutOfRange(batch.maxTimestamp, range));
  if (isClaimRefused || scanned.isTimestampOutOfRange || (config.isCompacted && scanned.isKeyMissing)) {
    throw recordErrorsOf(batch, {
      name,
      config,
      now: rules.now,
      range,
      isKept: target === codec,
      maxDecompressedBytes: decompressedBytesMax(config),
    });
  }
  return {
    batch,
    codec,
    target,
    recordBytes: cursor.bytes.subarray(start, cursor.end),
    firstTimestamp: scanned.firstTimestamp,
    maxTimestamp: claimsLogTime ? batch.maxTimestamp : scanned.maxTimestamp,
    logAppendTime: config.messageTimestampType === 'LogAppendTime' ? rules.now : -1,
  };
}

/** Room for a hundred to one at the default limit of a batch. */
function decompressedBytesMax(config: LogConfig): number {
  return Math.max(DECOMPRESSED_BYTES_MAX, config.maxMessageBytes);
}

/** The times that records may have; any, where the log's own time is used. */
function timestampRange({ config, now }: AppendRules): TimestampRange {
  if (config.messageTimestampType === 'LogAppendTime') return ANY_TIME;
  return {
    earliest: now - Math.min(config.messageTimestampBeforeMaxMs, TIME_DIFFERENCE_MAX),
    latest: now + Math.min(config.messageTimestampAfterMaxMs, TIME_DIFFERENCE_MAX),
  };
}

/** The same bytes: base offset, epoch, and the largest time where it is another, which costs a new checksum. */
function keep({ batch, maxTimestamp, logAppendTime }: AcceptedBatch, { firstOffset, leaderEpoch }: AppendRules): RecordBatch {
  batch.setBaseOffset(firstOffset);
  batch.setPartitionLeaderEpoch(leaderEpoch);
  if (logAppendTime < 0) batch.setMaxTimestamp('create-time', maxTimestamp);
  else batch.setMaxTimestamp('log-append-time', logAppendTime);
  return batch;
}

/** New bytes with the codec that the topic wants, which may be too large although what came was not. */
function encodeAgain(accepted: AcceptedBatch, rules: AppendRules): RecordBatch {
  const { batch, target, logAppendTime } = accepted;
  const { config, name } = rules;
  const level = levelOf(target, config);
  const header = {
    codec: target,
    ...(level === null ? {} : { level }),
    baseOffset: rules.firstOffset,
    partitionLeaderEpoch: rules.leaderEpoch,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.baseSequence,
    isTransactional: batch.isTransactional,
    ...(logAppendTime < 0 ? {} : { logAppendTime }),
  };
  // Records that count their times from the first one's can stay as they are written.
  const countsFromFirst = batch.timestampType === 'create-time' && accepted.firstTimestamp === batch.baseTimestamp;
  const bytes = countsFromFirst
    ? encodeBatch(accepted.recordBytes, {
        ...header,
        baseTimestamp: batch.baseTimestamp,
        maxTimestamp: logAppendTime < 0 ? accepted.maxTimestamp : logAppendTime,
        lastOffsetDelta: batch.lastOffsetDelta,
        recordsCount: batch.recordsCount,
      })
    : buildBatch({ ...header, records: [...recordsOf(batch, { maxDecompressedBytes: decompressedBytesMax(config) })] });
  if (bytes.length > config.maxMessageBytes) {
    throw new KafkaError(
      'MESSAGE_TOO_LARGE',
      `Message batch size is ${bytes.length} bytes in append to partition ${name} which exceeds the maximum configured size of ${config.maxMessageBytes}.`,
    );
  }
  return new RecordBatch(bytes);
}

function levelOf(codec: Codec, config: LogConfig): number | null {
  if (codec === 'gzip') return config.gzipLevel;
  if (codec === 'zstd') return config.zstdLevel;
  return codec === 'lz4' ? config.lz4Level : null;
}
