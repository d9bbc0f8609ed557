import { assert } from '../base/assert.ts';
import type { ByteCursor } from '../base/bytes/varint.ts';
import type { Millis } from '../base/clock.ts';
import type { Codec } from '../protocol/compression/index.ts';
import { KafkaError } from '../protocol/errors.ts';
import { CURRENT_MAGIC } from '../protocol/records/batch-layout.ts';
import { invalidRecord } from '../protocol/records/corrupt-batch-error.ts';
import { RecordBatch } from '../protocol/records/record-batch.ts';
import { type BatchInput, buildBatch, encodeBatch, frameBatch } from '../protocol/records/record-batch-builder.ts';
import { recordCursor, recordsOf } from '../protocol/records/record-iterator.ts';
import { type ScanResult, scanRecords } from '../protocol/records/record-scan.ts';
import { type AppendFindings, LargeBatch } from './append-ahead.ts';
import {
  acceptedTimes,
  decompressedBytesMax,
  isRefused,
  keepsTimes,
  levelOf,
  maxRecordBytes,
  scannedTimes,
  targetCodec,
} from './append-judgement.ts';
import type { LogConfig } from './log-configs.ts';
import { recordErrorsOf } from './record-errors.ts';

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
  /** What was found out ahead; or 'possible': a batch that is too much for one turn is refused with a LargeBatch, to be looked at ahead. */
  readonly ahead?: AppendFindings | 'possible' | undefined;
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

/** What is done at once; more is done in turns with others, where that is possible. 2 MiB are inflated and looked through in 2 to 5 ms. */
const PLAIN_BYTES_PER_TURN = 2 * 1024 * 1024;
/** The same where records are compressed anew, which takes some ten times as long, or are looked at one by one. */
const RECODED_BYTES_PER_TURN = 256 * 1024;

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

interface AcceptedBatch {
  readonly batch: RecordBatch;
  readonly codec: Codec;
  readonly target: Codec;
  /** The records without compression; null where they were looked at ahead. */
  readonly recordBytes: Uint8Array | null;
  readonly firstTimestamp: number;
  readonly maxTimestamp: number;
  readonly logAppendTime: number;
}

function check(batch: RecordBatch, rules: AppendRules): AcceptedBatch {
  const { config, name, ahead } = rules;
  const { codec } = batch;
  checkBatch(batch, rules);
  const findings = ahead === undefined || ahead === 'possible' ? null : ahead;
  if (findings?.refusal) throw findings.refusal;
  const target = findings?.target ?? targetCodec(batch, config);
  const range = acceptedTimes(rules);
  const looked = findings === null ? look(batch, rules) : { scanned: findings.scanned, recordBytes: null };
  const { scanned, recordBytes } = looked;
  if (!scanned.isOffsetInOrder) {
    throw invalidRecord(`The records of the batch do not have incremental offsets in topic partition ${name}`);
  }
  const isDear = ahead === 'possible' && (recordBytes?.length ?? 0) > RECODED_BYTES_PER_TURN;
  if (isRefused(batch, scanned, rules)) {
    if (isDear) throw new LargeBatch(batch, rules);
    const maxDecompressedBytes = decompressedBytesMax(config);
    throw recordErrorsOf(batch, { name, config, now: rules.now, range, isKept: target === codec, maxDecompressedBytes });
  }
  if (isDear && target !== codec) throw new LargeBatch(batch, rules);
  return {
    batch,
    codec,
    target,
    recordBytes,
    firstTimestamp: scanned.firstTimestamp,
    maxTimestamp: batch.timestampType === 'log-append-time' ? batch.maxTimestamp : scanned.maxTimestamp,
    logAppendTime: config.messageTimestampType === 'LogAppendTime' ? rules.now : -1,
  };
}

/** Walks over the records, all at once. */
function look(batch: RecordBatch, rules: AppendRules): { readonly scanned: ScanResult; readonly recordBytes: Uint8Array } {
  const { config, ahead } = rules;
  const max = decompressedBytesMax(config);
  const plainMax = ahead === 'possible' ? Math.min(max, PLAIN_BYTES_PER_TURN) : max;
  if (ahead === 'possible' && batch.sizeInBytes > plainMax) throw new LargeBatch(batch, rules);
  const cursor = cursorWithin(plainMax, batch, rules);
  const start = cursor.position;
  const scanned = scanRecords(cursor, {
    count: batch.recordsCount,
    baseTimestamp: batch.baseTimestamp,
    ...scannedTimes(batch, rules),
    maxRecordBytes: maxRecordBytes(batch, config),
  });
  return { scanned, recordBytes: cursor.bytes.subarray(start, cursor.end) };
}

function cursorWithin(plainMax: number, batch: RecordBatch, rules: AppendRules): ByteCursor {
  try {
    return recordCursor(batch, plainMax);
  } catch (error) {
    const isTooLarge = error instanceof KafkaError && error.errorName === 'MESSAGE_TOO_LARGE';
    if (isTooLarge && plainMax < decompressedBytesMax(rules.config)) throw new LargeBatch(batch, rules);
    throw error;
  }
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
  const header = {
    codec: target,
    ...levelOf(target, config),
    baseOffset: rules.firstOffset,
    partitionLeaderEpoch: rules.leaderEpoch,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.baseSequence,
    isTransactional: batch.isTransactional,
    ...(logAppendTime < 0 ? {} : { logAppendTime }),
  };
  const bytes = encoded(accepted, header, rules);
  if (bytes.length > config.maxMessageBytes) {
    throw new KafkaError(
      'MESSAGE_TOO_LARGE',
      `Message batch size is ${bytes.length} bytes in append to partition ${name} which exceeds the maximum configured size of ${config.maxMessageBytes}.`,
    );
  }
  return new RecordBatch(bytes);
}

function encoded(
  { batch, recordBytes, ...accepted }: AcceptedBatch,
  header: Omit<BatchInput, 'records'>,
  { config, ahead }: AppendRules,
): Buffer {
  const { lastOffsetDelta, recordsCount } = batch;
  const { logAppendTime, maxTimestamp } = accepted;
  const computed = { maxTimestamp: logAppendTime < 0 ? maxTimestamp : logAppendTime, lastOffsetDelta, recordsCount };
  if (recordBytes === null) {
    const recoded = ahead === 'possible' ? null : (ahead?.recoded ?? null);
    assert(recoded !== null, 'records that were looked at ahead are compressed anew by then');
    return frameBatch(recoded.bytes, { ...header, ...computed, baseTimestamp: recoded.baseTimestamp });
  }
  if (keepsTimes(batch, accepted))
    return encodeBatch(recordBytes, { ...header, ...computed, baseTimestamp: batch.baseTimestamp });
  return buildBatch({ ...header, records: [...recordsOf(batch, { maxDecompressedBytes: decompressedBytesMax(config) })] });
}
