import { DiskError } from '../base/disk.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import type { LogConfig } from './log-configs.ts';
import type { SegmentContext } from './log-segment.ts';
import type { OpenLogFiles } from './open-log-files.ts';
import { parentOf } from './path.ts';
import { StorageError } from './storage-error.ts';
import { directoryNameOf, type TopicPartition } from './topic-partition.ts';

export interface LogContextOptions {
  /** The partition's directory. */
  readonly directory: string;
  readonly topicPartition: TopicPartition;
  readonly config: LogConfig;
  /** producer.id.expiration.ms; a day if left out. */
  readonly producerIdExpirationMs?: () => number;
  /** Counts the files that stay open, together with those of other logs. */
  readonly openFiles?: OpenLogFiles;
  /** Told once when the disk fails. */
  readonly failed?: (error: StorageError) => void;
  /** Told when a closed segment has become durable. */
  readonly segmentFlushed?: () => void;
  /** Told before a truncation: whatever is stored as the recovery point must not stay above this, not even after a power loss. */
  readonly recoveryPointLowered?: (offset: number) => void;
}

const PRODUCER_ID_EXPIRATION_MS = 86_400_000;

/** What the parts of one log share: where it is, how it behaves, and whether its disk still works. */
export class LogContext {
  readonly environment: Environment;
  readonly topicPartition: TopicPartition;
  readonly name: string;
  readonly logger: Logger;
  readonly producerIdExpirationMs: () => number;
  readonly recoveryPointLowered: (offset: number) => void;
  readonly segmentFlushed: () => void;
  readonly #openFiles: OpenLogFiles | null;
  directory: string;
  config: LogConfig;
  /** Small files whose content a flush has to make durable. */
  readonly unsyncedFiles = new Set<string>();
  /** Files were made or renamed since the directory was synced. */
  hasUnsyncedNames = false;
  /** The last append found no room. */
  isDiskFull = false;
  /** The directory itself was made, and its parent not synced since. */
  isNewDirectory = false;
  #failure: StorageError | null = null;
  readonly #failed: (error: StorageError) => void;

  constructor(environment: Environment, options: LogContextOptions) {
    this.environment = environment;
    this.directory = options.directory;
    this.topicPartition = options.topicPartition;
    this.name = directoryNameOf(options.topicPartition);
    this.config = options.config;
    this.logger = environment.logger.named('log');
    this.producerIdExpirationMs = options.producerIdExpirationMs ?? (() => PRODUCER_ID_EXPIRATION_MS);
    this.recoveryPointLowered = options.recoveryPointLowered ?? (() => undefined);
    this.segmentFlushed = options.segmentFlushed ?? (() => undefined);
    this.#openFiles = options.openFiles ?? null;
    this.#failed = options.failed ?? (() => undefined);
  }

  /** Set once the disk has failed: nothing may be read from or written to this log any more. */
  get failure(): StorageError | null {
    return this.#failure;
  }

  ensureUsable(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** Runs what touches the disk; a failure of it takes the log offline and is thrown on as a StorageError. */
  guard<Result>(what: string, use: () => Result): Result {
    this.ensureUsable();
    try {
      return use();
    } catch (error) {
      throw this.failed(what, error);
    }
  }

  async guardAsync<Result>(what: string, use: () => Promise<Result>): Promise<Result> {
    this.ensureUsable();
    try {
      return await use();
    } catch (error) {
      throw this.failed(what, error);
    }
  }

  /** What to throw for `error`: a disk's failure becomes a StorageError, anything else stays what it is. */
  failed(what: string, error: unknown): unknown {
    if (!(error instanceof DiskError)) return error;
    const failure = new StorageError(parentOf(this.directory), `${what} of ${this.name} failed: ${error.message}`, {
      cause: error,
    });
    if (this.#failure === null) {
      this.takeOffline(failure);
      this.logger.error(`${what} failed`, { partition: this.name, code: error.code, path: error.path });
      this.#failed(failure);
    }
    return failure;
  }

  /** Another log of the same directory found the disk broken. */
  takeOffline(failure: StorageError): void {
    this.#failure ??= failure;
  }

  segmentContext(): SegmentContext {
    return {
      disk: this.environment.disk,
      directory: this.directory,
      indexIntervalBytes: () => this.config.indexIntervalBytes,
      readFailed: (error) => void this.failed('Sending', error),
      openFiles: this.#openFiles,
      indexRebuilt: (path) => this.logger.warn('an index is missing or wrong; making it again', { partition: this.name, path }),
    };
  }

  /** Kafka's random part of segment.ms. */
  rollJitterMs(): number {
    const limit = Math.min(this.config.segmentJitterMs, this.config.segmentMs, 2 ** 32);
    return limit > 0 ? this.environment.random.integer(limit) : 0;
  }
}
