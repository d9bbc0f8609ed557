/** Why a client could not do something, where no broker said so. What a broker says is a KafkaError. */
export type ClientFailure =
  /** No connection to any of the brokers that were tried. */
  | 'unreachable'
  /** A connection broke while a request was on its way. */
  | 'disconnected'
  /** The time for the whole operation is over. */
  | 'timeout'
  /** The broker does not speak a version of the request that this client knows, or not the request at all. */
  | 'unsupported'
  /** The transaction that it belonged to was aborted. */
  | 'aborted'
  /** The client was closed. */
  | 'closed'
  /** The producer's memory stayed full for `max.block.ms`. */
  | 'buffer-full'
  /** What the caller asked for cannot be done: a record larger than a request, a partition that does not exist. */
  | 'invalid'
  /** The broker's answer contradicts the protocol. */
  | 'bad-answer';

export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly failure: ClientFailure;

  constructor(failure: ClientFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }

  /** Trying again may help: the network or the time was to blame, not the request. */
  get retriable(): boolean {
    return this.failure === 'unreachable' || this.failure === 'disconnected' || this.failure === 'timeout';
  }
}
