import { type ErrorName, KafkaError } from '../../protocol/errors.ts';

/** What a client of a coordinator is told when the coordinator's own log refused the records. */
const told: Partial<Record<ErrorName, ErrorName>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'COORDINATOR_NOT_AVAILABLE',
  NOT_ENOUGH_REPLICAS: 'COORDINATOR_NOT_AVAILABLE',
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 'COORDINATOR_NOT_AVAILABLE',
  REQUEST_TIMED_OUT: 'COORDINATOR_NOT_AVAILABLE',
  NOT_LEADER_OR_FOLLOWER: 'NOT_COORDINATOR',
  KAFKA_STORAGE_ERROR: 'NOT_COORDINATOR',
  MESSAGE_TOO_LARGE: 'UNKNOWN_SERVER_ERROR',
  RECORD_LIST_TOO_LARGE: 'UNKNOWN_SERVER_ERROR',
  INVALID_FETCH_SIZE: 'UNKNOWN_SERVER_ERROR',
};

/** The error that a client of a coordinator gets for one of the log; bugs are given on as they are. */
export function coordinatorError(error: unknown): KafkaError {
  if (!(error instanceof KafkaError)) throw error;
  const name = told[error.errorName];
  return name === undefined ? error : new KafkaError(name);
}
