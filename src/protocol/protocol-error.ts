/**
 * Bytes that are no message, or a value that no message can carry. Decoders and encoders throw nothing else.
 * A peer that sends such bytes is disconnected; a value of ours that cannot be written is a bug of the caller.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
