/**
 * The disk under a log failed, or holds what no log may hold. Whoever catches it takes the log directory offline; a client is told
 * KAFKA_STORAGE_ERROR.
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** The log directory (an entry of log.dirs) that must not be used any more. */
  readonly logDirectory: string;

  constructor(logDirectory: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.logDirectory = logDirectory;
  }
}
