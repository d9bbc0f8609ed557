import { KafkaError } from '../errors.ts';

/**
 * Bytes that are not the record batch they claim to be. CORRUPT_MESSAGE where the frame itself is wrong (size, magic, checksum), INVALID_RECORD
 * where the frame is whole and what is in it contradicts it.
 */
export class CorruptBatchError extends KafkaError {
  constructor(message: string, errorName: 'CORRUPT_MESSAGE' | 'INVALID_RECORD' = 'CORRUPT_MESSAGE', options?: ErrorOptions) {
    super(errorName, message, options);
  }
}

export function invalidRecord(message: string, options?: ErrorOptions): CorruptBatchError {
  return new CorruptBatchError(message, 'INVALID_RECORD', options);
}
