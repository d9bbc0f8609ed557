import { codeOf, type ErrorName, KafkaError } from '../protocol/errors.ts';
import { type RecordError, RecordValidationError } from '../storage/record-validation-error.ts';
import type { LeaderAppendOptions } from '../storage/log-append.ts';
import type { Partition } from './partition.ts';

/** What a producer is told of one partition: an answer of Produce, and what its durability depends on. */
export interface AppendOutcome {
  readonly index: number;
  errorCode: number;
  baseOffset: number;
  logAppendTimeMs: number;
  logStartOffset: number;
  recordErrors: readonly { readonly batchIndex: number; readonly batchIndexErrorMessage: string | null }[];
  errorMessage: string | null;
  currentLeader?: { readonly leaderId: number; readonly leaderEpoch: number };
  /** The log end that has to be durable; −1 where nothing was appended. */
  requiredOffset: number;
}

/** Records for one partition. */
export interface AppendEntry {
  readonly partition: Partition;
  readonly records: Buffer;
  /** Of records that belong to a transaction, or end one. */
  readonly transactional?: LeaderAppendOptions['transactional'];
}

export interface AppendOptions {
  readonly acks: number;
  readonly origin: LeaderAppendOptions['origin'];
  /** Of the Produce request; some rules depend on it. */
  readonly version?: number;
  readonly ahead?: LeaderAppendOptions['ahead'];
}

const NO_RECORD_ERRORS: AppendOutcome['recordErrors'] = [];

export const failedAppend = (index: number, errorCode: number, errorMessage: string | null = null): AppendOutcome => ({
  index,
  errorCode,
  baseOffset: -1,
  logAppendTimeMs: -1,
  logStartOffset: -1,
  recordErrors: NO_RECORD_ERRORS,
  errorMessage,
  requiredOffset: -1,
});

/** Refusals that say nothing about the log, so that its start is not told with them. */
const withoutLogStart: ReadonlySet<ErrorName> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNKNOWN_TOPIC_ID',
  'NOT_LEADER_OR_FOLLOWER',
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'CORRUPT_MESSAGE',
  'KAFKA_STORAGE_ERROR',
]);

/**
 * Appends to one partition this broker leads. Throws what is not to be told to the producer: a LargeBatch that has to be looked at ahead, failures of the disk,
 * and bugs.
 */
export const appendToPartition = ({ partition, records, transactional }: AppendEntry, options: AppendOptions): AppendOutcome => {
  try {
    const info = partition.appendAsLeader(records, { ...options, transactional });
    return {
      index: partition.index,
      errorCode: 0,
      baseOffset: info.firstOffset,
      logAppendTimeMs: info.logAppendTime,
      logStartOffset: info.logStartOffset,
      recordErrors: NO_RECORD_ERRORS,
      errorMessage: null,
      requiredOffset: info.lastOffset + 1,
    };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return refusal(partition, error);
  }
};

const refusal = (partition: Partition, error: KafkaError): AppendOutcome => {
  const outcome = failedAppend(partition.index, error.code);
  if (!withoutLogStart.has(error.errorName)) outcome.logStartOffset = partition.log?.logStartOffset ?? -1;
  if (error instanceof RecordValidationError) {
    outcome.recordErrors = error.recordErrors.map(toWire);
    outcome.errorMessage = error.message;
  }
  return outcome;
};

const toWire = ({ batchIndex, message }: RecordError) => ({ batchIndex, batchIndexErrorMessage: message });

/** The answer to acks that do not exist: nothing is written. */
export const INVALID_ACKS = codeOf('INVALID_REQUIRED_ACKS');
export const areValidAcks = (acks: number): boolean => acks === -1 || acks === 0 || acks === 1;
