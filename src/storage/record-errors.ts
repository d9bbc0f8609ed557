import type { Millis } from '../base/clock.ts';
import { NO_TIMESTAMP } from '../protocol/records/batch-layout.ts';
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
}

/** What is asked of a record. Lengths are −1 where there is nothing. */
export interface JudgedRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly keyLength: number;
  readonly valueLength: number;
}

/** Finds the records of a well-formed batch that are not accepted, of which there is at least one, and says so as Kafka does. */
export function recordErrorsOf(
  batch: RecordBatch,
  rules: RecordErrorRules & { readonly maxDecompressedBytes: number },
): RecordValidationError {
  const errors = new RecordErrors(batch, rules);
  for (const { offset, timestamp, key, value } of recordsOf(batch, rules)) {
    errors.judge({ offset, timestamp, keyLength: key?.length ?? -1, valueLength: value?.length ?? -1 });
  }
  return errors.toError();
}

/** Is shown the records of a batch in order, and then says which of them are not accepted. */
export class RecordErrors {
  readonly #batch: RecordBatch;
  readonly #rules: RecordErrorRules;
  readonly #errors: RecordError[] = [];
  #count = 0;
  #batchIndex = 0;
  #isTimestampInvalid = false;

  constructor(batch: RecordBatch, rules: RecordErrorRules) {
    this.#batch = batch;
    this.#rules = rules;
  }

  judge(record: JudgedRecord): void {
    const keyMessage = keyError(record, this.#rules);
    const message = keyMessage ?? timestampError(this.#batch, record, this.#rules);
    if (message !== null) {
      this.#count += 1;
      if (keyMessage === null) this.#isTimestampInvalid = true;
      if (this.#errors.length < RECORD_ERRORS_MAX) this.#errors.push({ batchIndex: this.#batchIndex, message });
    }
    this.#batchIndex += 1;
  }

  toError(): RecordValidationError {
    const errors = this.#errors;
    if (this.#isTimestampInvalid) {
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
      `One or more records have been rejected due to ${this.#count} record errors in total, and only showing the first three errors at most: [${shown}]`,
      errors,
    );
  }
}

function keyError({ keyLength }: JudgedRecord, { config, name }: RecordErrorRules): string | null {
  if (!config.isCompacted || keyLength >= 0) return null;
  return `Compacted topic cannot accept message without key in topic partition ${name}`;
}

function timestampError(batch: RecordBatch, record: JudgedRecord, rules: RecordErrorRules): string | null {
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

function describe(batch: RecordBatch, { offset, timestamp, keyLength, valueLength }: JudgedRecord, isKept: boolean): string {
  const isSkipped = isKept && batch.codec !== 'none';
  const kind = isSkipped ? 'PartialDefaultRecord' : 'DefaultRecord';
  const lengthOf = (length: number): number => (length < 0 && !isSkipped ? 0 : length);
  return `${kind}(offset=${offset}, timestamp=${timestamp}, key=${lengthOf(keyLength)} bytes, value=${lengthOf(valueLength)} bytes)`;
}

/** The 64-bit integer that a number stands for; 2^63 and more is "no limit". */
function int64(value: number): bigint {
  return value >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(value);
}
