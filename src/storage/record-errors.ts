import type { Millis } from '../base/clock.ts';
import { NO_TIMESTAMP } from '../protocol/records/batch-layout.ts';
import type { LogRecord } from '../protocol/records/log-record.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import type { LogConfig } from './log-configs.ts';
import { type RecordError, RecordValidationError } from './record-validation-error.ts';

/** More than these are counted but not told: a batch of the smallest records could otherwise be answered with twenty times its own bytes. */
const RECORD_ERRORS_MAX = 1000;
/** How many of them the message of the whole shows. */
const SHOWN_MAX = 3;

export interface TimestampRange {
  readonly earliest: number;
  readonly latest: number;
}

export function isOutOfRange(timestamp: number, { earliest, latest }: TimestampRange): boolean {
  return timestamp !== NO_TIMESTAMP && (timestamp < earliest || timestamp > latest);
}

export interface RecordErrorRules {
  /** The partition as messages name it. */
  readonly name: string;
  readonly config: LogConfig;
  readonly now: Millis;
  readonly range: TimestampRange;
  /** The batch would have been kept as it is; Kafka has then not read keys and values, which shows in its words. */
  readonly isKept: boolean;
  readonly maxDecompressedBytes: number;
}

/** Finds the records of a well-formed batch that are not accepted, of which there is at least one, and says so as Kafka does. */
export function recordErrorsOf(batch: RecordBatch, rules: RecordErrorRules): RecordValidationError {
  const errors: RecordError[] = [];
  let count = 0;
  let batchIndex = 0;
  let isTimestampInvalid = false;
  for (const record of recordsOf(batch, rules)) {
    const keyMessage = keyError(record, rules);
    const message = keyMessage ?? timestampError(batch, record, rules);
    if (message !== null) {
      count += 1;
      if (keyMessage === null) isTimestampInvalid = true;
      if (errors.length < RECORD_ERRORS_MAX) errors.push({ batchIndex, message });
    }
    batchIndex += 1;
  }
  if (isTimestampInvalid) {
    return new RecordValidationError(
      'INVALID_TIMESTAMP',
      'One or more records have been rejected due to invalid timestamp',
      errors,
    );
  }
  const shown = errors
    .slice(0, SHOWN_MAX)
    .map((error) => `RecordError(batchIndex=${error.batchIndex}, message='${error.message}')`)
    .join(', ');
  return new RecordValidationError(
    'INVALID_RECORD',
    `One or more records have been rejected due to ${count} record errors in total, and only showing the first three errors at most: [${shown}]`,
    errors,
  );
}

function keyError(record: LogRecord, { config, name }: RecordErrorRules): string | null {
  if (!config.isCompacted || record.key !== null) return null;
  return `Compacted topic cannot accept message without key in topic partition ${name}`;
}

function timestampError(batch: RecordBatch, record: LogRecord, rules: RecordErrorRules): string | null {
  const { config, range } = rules;
  if (config.messageTimestampType === 'CreateTime' && record.timestamp !== NO_TIMESTAMP) {
    if (!isOutOfRange(record.timestamp, range)) return null;
    const bounds = `[${BigInt(rules.now) - int64(config.messageTimestampBeforeMaxMs)}, ${BigInt(rules.now) + int64(config.messageTimestampAfterMaxMs)}]`;
    const { timestamp, offset } = record;
    return `Timestamp ${int64(timestamp)} of message with offset ${offset} is out of range. The timestamp should be within ${bounds}`;
  }
  if (batch.timestampType !== 'log-append-time') return null;
  return `Invalid timestamp type in message ${describe(batch, record, rules.isKept)}. Producer should not set timestamp type to LogAppendTime.`;
}

function describe(batch: RecordBatch, { offset, timestamp, key, value }: LogRecord, isKept: boolean): string {
  const isSkipped = isKept && batch.codec !== 'none';
  const none = isSkipped ? -1 : 0;
  const kind = isSkipped ? 'PartialDefaultRecord' : 'DefaultRecord';
  return `${kind}(offset=${offset}, timestamp=${timestamp}, key=${key?.length ?? none} bytes, value=${value?.length ?? none} bytes)`;
}

/** The 64-bit integer that a number stands for; 2^63 and more is "no limit". */
function int64(value: number): bigint {
  return value >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(value);
}
