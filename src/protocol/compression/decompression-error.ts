import { KafkaError } from '../errors.ts';

/**
 * Compressed bytes that give no records: INVALID_RECORD where they are not what their codec writes (sending them again would not help), MESSAGE_TOO_LARGE where
 * they would become more bytes than the caller allows.
 */
export class DecompressionError extends KafkaError {
  constructor(message: string, errorName: 'INVALID_RECORD' | 'MESSAGE_TOO_LARGE' = 'INVALID_RECORD', options?: ErrorOptions) {
    super(errorName, message, options);
  }
}

export function tooLarge(maxBytes: number): DecompressionError {
  return new DecompressionError(`The records take more than ${maxBytes} bytes when decompressed`, 'MESSAGE_TOO_LARGE');
}
