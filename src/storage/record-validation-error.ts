import { KafkaError } from '../protocol/errors.ts';

/** Why one record of a batch was refused. */
export interface RecordError {
  /** The record's place in its batch. */
  readonly batchIndex: number;
  readonly message: string | null;
}

/** Some records of a batch are not accepted, and so nothing is appended; the answer says which. Kafka: RecordValidationException. */
export class RecordValidationError extends KafkaError {
  readonly recordErrors: readonly RecordError[];

  constructor(errorName: 'INVALID_RECORD' | 'INVALID_TIMESTAMP', message: string, recordErrors: readonly RecordError[]) {
    super(errorName, message);
    this.recordErrors = recordErrors;
  }
}
