import { assert } from '../base/assert.ts';
import type { Timer } from '../base/clock.ts';
import { DiskError, type DiskLock } from '../base/disk.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import { LOST_DIRECTORY } from '../base/uuid.ts';
import { LOCK_FILE, LogDirectory, renamedDirectory } from './log-directory.ts';
import type { LogConfig } from './log-configs.ts';
import type { LogManagerSettings } from './log-manager-settings.ts';
import { startLogTasks } from './log-tasks.ts';
import {
  HIGH_WATERMARK_CHECKPOINT,
  LOG_START_OFFSET_CHECKPOINT,
  type PartitionOffset,
  RECOVERY_POINT_CHECKPOINT,
} from './offset-checkpoint.ts';
import { OpenLogFiles } from './open-log-files.ts';
import { PartitionLog } from './partition-log.ts';
import { joinPath } from './path.ts';
import { StorageError } from './storage-error.ts';
import { directoryNameOf, type TopicPartition } from './topic-partition.ts';

/** The metadata log lies in a log directory and belongs to raft. */
const METADATA_TOPIC = '__cluster_metadata';
const FLUSHED_CHECKPOINT_DELAY_MS = 1000;
/** Logs that are opened between two looks at other work. */
const LOGS_PER_TURN = 16;
const NONE_DURABLE = -1;
/** From so many logs on that are not durable, the whole file system is made so when they are closed. */
const LOGS_SYNCED_TOGETHER_MIN = 64;
/** Each may have files open that it syncs. */
const LOGS_CLOSED_AT_ONCE = 16;

export interface LogManagerOptions {
  readonly logDirectories: readonly string[];
  /** The configs of a topic's logs, defaults in them. */
  readonly configOf: (topic: string) => LogConfig;
  readonly settings: LogManagerSettings;
  /** Gives the lock of a directory where the node has taken it already; absent: the log manager takes them. */
  readonly lockOf?: (path: string) => DiskLock | null;
  /** A log directory has failed; its logs answer KAFKA_STORAGE_ERROR from now on. */
  readonly directoryFailed?: (error: StorageError) => void;
}

export interface CreateLogOptions {
  readonly topicPartition: TopicPartition;
  readonly topicId: string;
  readonly config: LogConfig;
  /** Where the controller wants it. */
  readonly directoryId?: string;
}

interface ManagedLog {
  readonly log: PartitionLog;
  readonly directory: LogDirectory;
}

/** All partition logs of this node, in all log directories: opens, makes, removes and closes them, and looks after them in the background. */
export class LogManager {
  readonly #environment: Environment;
  readonly #options: LogManagerOptions;
  readonly #logger: Logger;
  readonly #directories: LogDirectory[] = [];
  readonly #logs = new Map<string, ManagedLog>();
  #timers: Timer[] = [];
  readonly #removals = new Set<Timer>();
  readonly #openFiles: OpenLogFiles;
  #isLoaded = false;
  #isStopped = false;
  #isCheckpointDue = false;
  #flushedTimer: Timer | null = null;

  private constructor(environment: Environment, options: LogManagerOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#logger = environment.logger.named('log');
    this.#openFiles = new OpenLogFiles(environment.disk.openFilesMax ?? Number.POSITIVE_INFINITY);
  }

  /** Locks the directories and opens every log in them. Throws a StorageError if none of the directories is usable. */
  static async start(environment: Environment, options: LogManagerOptions): Promise<LogManager> {
    const manager = new LogManager(environment, options);
    try {
      await manager.#load();
    } catch (error) {
      for (const directory of manager.#directories) directory.release();
      throw error;
    }
    manager.#timers = startLogTasks(environment, options.settings, manager);
    manager.#inBackground(manager.#flushRecovered());
    return manager;
  }

  get directories(): readonly LogDirectory[] {
    return this.#directories;
  }

  /** Log directories that could not be used at the start or have failed since. */
  get offlinePaths(): string[] {
    const online = new Set(this.#directories.filter(({ isOffline }) => !isOffline).map(({ path }) => path));
    return this.#options.logDirectories.filter((path) => !online.has(path));
  }

  get logs(): PartitionLog[] {
    return [...this.#logs.values()].map(({ log }) => log);
  }

  /** The epoch of the broker at its last orderly stop; −1 if any directory was stopped otherwise. */
  get cleanShutdownBrokerEpoch(): number {
    const epochs = this.#directories.map((directory) => directory.cleanShutdown?.brokerEpoch ?? -1);
    const [first = -1] = epochs;
    return epochs.every((epoch) => epoch === first) ? first : -1;
  }

  getLog(topicPartition: TopicPartition): PartitionLog | undefined {
    return this.#logs.get(directoryNameOf(topicPartition))?.log;
  }

  /** The id of a log directory (KIP-858); that of a lost directory if it has none. */
  directoryIdOf(path: string): string {
    return this.#directories.find((directory) => directory.path === path)?.id ?? LOST_DIRECTORY;
  }

  /** Makes a new log, in the directory with that id if there is one, otherwise in the one with the fewest logs. Throws a StorageError. */
  createLog(options: CreateLogOptions): PartitionLog {
    const name = directoryNameOf(options.topicPartition);
    assert(!this.#logs.has(name), `${name} has no log yet`);
    const directory = this.#directoryFor(options.directoryId);
    const log = this.#open(directory, options.topicPartition, { topicId: options.topicId, newConfig: options.config });
    this.#logs.set(name, { log, directory });
    return log;
  }

  /** Takes the log away at once; its files go after file.delete.delay.ms. */
  deleteLog(topicPartition: TopicPartition): void {
    this.#retire(topicPartition, 'delete');
  }

  /** Puts aside a log that no metadata speaks of any more; a person may look at it. */
  markStray(topicPartition: TopicPartition): void {
    this.#retire(topicPartition, 'stray');
  }

  async checkpointRecoveryPoints(): Promise<void> {
    await this.#checkpoint(RECOVERY_POINT_CHECKPOINT, (log) => log.recoveryPoint);
  }

  async checkpointLogStartOffsets(): Promise<void> {
    await this.#checkpoint(LOG_START_OFFSET_CHECKPOINT, logStartToKeep);
  }

  async checkpointHighWatermarks(): Promise<void> {
    await this.#checkpoint(HIGH_WATERMARK_CHECKPOINT, (log) => log.highWatermark);
  }

  /** Closes every log, each durable, and marks the directories as stopped in order. */
  async shutdown(options: { readonly brokerEpoch: number }): Promise<void> {
    this.#stopTimers();
    await this.#eachLog((log) => log.writeOut());
    const durableTo = new Map<PartitionLog, number>();
    for (const directory of this.#directories) {
      if (!directory.isOffline) this.#guard(directory, () => this.#syncTogether(directory, durableTo));
    }
    await this.#eachLog((log) => log.close({ flush: true, durableTo: durableTo.get(log) ?? NONE_DURABLE }));
    for (const directory of this.#directories) {
      if (!directory.isOffline) this.#guard(directory, () => this.#closeDirectory(directory, options.brokerEpoch));
      directory.release();
    }
  }

  /** Stops without a word to the disk, as a crash would; for tests and for a fatal error. */
  async abandon(): Promise<void> {
    this.#stopTimers();
    await Promise.all(this.logs.map((log) => log.abandon()));
    for (const directory of this.#directories) directory.release();
  }

  async #load(): Promise<void> {
    const { disk, clock } = this.#environment;
    const { lockOf = (path) => disk.lock(joinPath(path, LOCK_FILE)) } = this.#options;
    let failure: StorageError | null = null;
    for (const path of this.#options.logDirectories) {
      try {
        const directory = LogDirectory.open(disk, path, { logger: this.#logger, lockOf });
        this.#directories.push(directory);
        let count = 0;
        for (const { name, what } of directory.list()) {
          if (what.kind === 'delete') this.#removeLater(directory, joinPath(path, name));
          if (what.kind === 'other') this.#logger.warn('a directory is no log', { path: joinPath(path, name) });
          if (what.kind !== 'log' || what.topicPartition.topic === METADATA_TOPIC) continue;
          this.#loadLog(directory, what.topicPartition);
          if (++count % LOGS_PER_TURN === 0) await new Promise<void>((resolve) => clock.defer(resolve));
        }
      } catch (error) {
        failure = this.#loadFailed(path, error);
      }
    }
    if (failure !== null && this.#directories.every((directory) => directory.isOffline)) throw failure;
    this.#isLoaded = true;
  }

  #loadLog(directory: LogDirectory, topicPartition: TopicPartition): void {
    const name = directoryNameOf(topicPartition);
    const other = this.#logs.get(name);
    if (other !== undefined) {
      throw new StorageError(directory.path, `${name} lies in ${other.directory.path} and in ${directory.path}.`);
    }
    const log = this.#open(directory, topicPartition, { topicId: null, newConfig: null });
    this.#logs.set(name, { log, directory });
  }

  #loadFailed(path: string, error: unknown): StorageError {
    if (!(error instanceof StorageError) && !(error instanceof DiskError)) throw error;
    const failure = error instanceof StorageError ? error : new StorageError(path, error.message, { cause: error });
    this.#logger.error('a log directory cannot be used', { path, reason: failure.message });
    const directory = this.#directories.find((candidate) => candidate.path === path);
    if (directory !== undefined) this.#directoryFailed(directory, failure);
    return failure;
  }

  #open(
    directory: LogDirectory,
    topicPartition: TopicPartition,
    { topicId, newConfig }: { readonly topicId: string | null; readonly newConfig: LogConfig | null },
  ): PartitionLog {
    const isNew = newConfig !== null;
    const name = directoryNameOf(topicPartition);
    const { recoveryPoints, logStartOffsets, highWatermarks } = directory.checkpoints;
    return PartitionLog.open(this.#environment, {
      directory: joinPath(directory.path, name),
      topicPartition,
      topicId,
      config: newConfig ?? this.#options.configOf(topicPartition.topic),
      logStartOffset: isNew ? 0 : (logStartOffsets.get(name) ?? 0),
      recoveryPoint: isNew ? 0 : (recoveryPoints.get(name) ?? 0),
      hadCleanShutdown: isNew || directory.cleanShutdown !== null,
      initialHighWatermark: isNew ? 0 : (highWatermarks.get(name) ?? 0),
      producerIdExpirationMs: () => this.#options.settings.producerIdExpirationMs,
      openFiles: this.#openFiles,
      failed: (error) => this.#directoryFailed(directory, error),
      segmentFlushed: () => this.#checkpointFlushed(),
      recoveryPointLowered: (offset) => this.#recoveryPointLowered(directory, { topicPartition, offset }),
    });
  }

  #directoryFor(id: string | undefined): LogDirectory {
    const online = this.#directories.filter((directory) => !directory.isOffline);
    const assigned = online.filter((directory) => directory.id !== null && directory.id === id);
    const usable = assigned.length > 0 ? assigned : online;
    const count = (directory: LogDirectory): number =>
      [...this.#logs.values()].filter((managed) => managed.directory === directory).length;
    const [best] = usable.length > 1 ? usable.toSorted((a, b) => count(a) - count(b)) : usable;
    if (best === undefined) throw new StorageError('', 'No log directory is usable.');
    return best;
  }

  #directoryFailed(directory: LogDirectory, failure: StorageError): void {
    if (directory.isOffline) return;
    directory.failure = failure;
    for (const managed of this.#logs.values()) if (managed.directory === directory) managed.log.takeOffline(failure);
    this.#options.directoryFailed?.(failure);
  }

  #retire(topicPartition: TopicPartition, kind: 'delete' | 'stray'): void {
    const name = directoryNameOf(topicPartition);
    const managed = this.#logs.get(name);
    if (managed === undefined) return;
    const { log, directory } = managed;
    this.#logs.delete(name);
    this.#inBackground(log.abandon());
    const uniqueId = Buffer.from(this.#environment.random.bytes(16)).toString('hex');
    const path = joinPath(directory.path, renamedDirectory(name, uniqueId, kind));
    this.#guard(directory, () => {
      this.#environment.disk.rename(log.directory, path);
      // A log of the same name that is made next must not be taken for this one after a power loss.
      this.#environment.disk.syncDirectory(directory.path);
    });
    if (kind === 'delete') this.#removeLater(directory, path, log.config.fileDeleteDelayMs);
    else this.#logger.warn('a log is not known to the cluster; putting it aside', { partition: name, path });
    this.#checkpointSoon();
  }

  /** Once for all logs that go in one turn. */
  #checkpointSoon(): void {
    if (this.#isCheckpointDue) return;
    this.#isCheckpointDue = true;
    this.#environment.clock.defer(() => {
      this.#isCheckpointDue = false;
      this.#inBackground(Promise.all([this.checkpointRecoveryPoints(), this.checkpointLogStartOffsets()]));
    });
  }

  /** What is durable need not be read again after a crash, if only it is written down soon. */
  #checkpointFlushed(): void {
    if (this.#flushedTimer !== null) return;
    this.#flushedTimer = this.#environment.clock.schedule(FLUSHED_CHECKPOINT_DELAY_MS, () => {
      this.#flushedTimer = null;
      this.#inBackground(this.checkpointRecoveryPoints());
    });
  }

  /** After a crash nobody knows what has reached the disk; once it has, a second crash costs nothing. */
  async #flushRecovered(): Promise<void> {
    const recovered = this.logs.filter((log) => log.recoveryPoint < log.logEndOffset);
    // A failure has taken the directory offline and was told of.
    for (const log of recovered) if (!log.isOffline) await log.flush().catch(() => undefined);
    if (recovered.length > 0 && !this.#isStopped) await this.checkpointRecoveryPoints();
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#logger.error('background work failed', { error: String(error) }));
  }

  #stopTimers(): void {
    this.#isStopped = true;
    for (const timer of [...this.#timers, ...this.#removals]) timer.cancel();
    this.#flushedTimer?.cancel();
  }

  #removeLater(directory: LogDirectory, path: string, delayMs = 0): void {
    const timer = this.#environment.clock.schedule(delayMs, () => {
      this.#removals.delete(timer);
      this.#environment.disk.removeDirectory(path).catch((error: unknown) => {
        if (error instanceof DiskError) this.#directoryFailed(directory, new StorageError(directory.path, error.message));
        else throw error;
      });
    });
    this.#removals.add(timer);
  }

  /** A truncated log must not be found above its recovery point after a power loss. */
  #recoveryPointLowered(directory: LogDirectory, lowered: PartitionOffset): void {
    const name = directoryNameOf(lowered.topicPartition);
    const others = this.#entriesOf(directory, (log) => log.recoveryPoint).filter(
      (entry) => directoryNameOf(entry.topicPartition) !== name,
    );
    directory.writeCheckpointNow(RECOVERY_POINT_CHECKPOINT, [...others, lowered]);
  }

  async #checkpoint(file: string, offsetOf: (log: PartitionLog) => number | null): Promise<void> {
    for (const directory of this.#directories) {
      if (directory.isOffline) continue;
      try {
        await directory.writeCheckpoint(file, this.#entriesOf(directory, offsetOf));
      } catch (error) {
        if (!(error instanceof DiskError)) throw error;
        this.#directoryFailed(directory, new StorageError(directory.path, error.message, { cause: error }));
      }
    }
  }

  #entriesOf(directory: LogDirectory, offsetOf: (log: PartitionLog) => number | null): PartitionOffset[] {
    const entries: PartitionOffset[] = [];
    for (const managed of this.#logs.values()) {
      if (managed.directory !== directory) continue;
      const offset = offsetOf(managed.log);
      if (offset !== null) entries.push({ topicPartition: managed.log.topicPartition, offset });
    }
    return entries;
  }

  /** Several at a time. A log whose disk fails is told of, and the others go on. */
  async #eachLog(use: (log: PartitionLog) => Promise<void>): Promise<void> {
    const logs = this.logs.values();
    const useSome = async (): Promise<void> => {
      for (const log of logs) await this.#orderly(log, () => use(log));
    };
    await Promise.all(Array.from({ length: LOGS_CLOSED_AT_ONCE }, useSome));
  }

  /** Syncs of five files and a directory for each of many logs take seconds; one of the whole file system does not. */
  #syncTogether(directory: LogDirectory, durableTo: Map<PartitionLog, number>): void {
    const logs = [...this.#logs.values()].filter((managed) => managed.directory === directory).map(({ log }) => log);
    const appended = logs.filter((log) => log.recoveryPoint < log.logEndOffset);
    if (appended.length < LOGS_SYNCED_TOGETHER_MIN) return;
    const ends = appended.map((log) => [log, log.logEndOffset] as const);
    if (!directory.syncTogether(appended.map((log) => log.directory))) return;
    for (const [log, end] of ends) durableTo.set(log, end);
  }

  async #orderly(log: PartitionLog, close: () => Promise<void>): Promise<void> {
    try {
      await close();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#logger.error('a log could not be closed in order', {
        partition: directoryNameOf(log.topicPartition),
        reason: error.message,
      });
    }
  }

  #closeDirectory(directory: LogDirectory, brokerEpoch: number): void {
    directory.writeCheckpointNow(
      RECOVERY_POINT_CHECKPOINT,
      this.#entriesOf(directory, (log) => log.recoveryPoint),
    );
    directory.writeCheckpointNow(LOG_START_OFFSET_CHECKPOINT, this.#entriesOf(directory, logStartToKeep));
    directory.writeCheckpointNow(
      HIGH_WATERMARK_CHECKPOINT,
      this.#entriesOf(directory, (log) => log.highWatermark),
    );
    if (this.#isLoaded) directory.markClean(brokerEpoch);
  }

  #guard(directory: LogDirectory, use: () => void): void {
    try {
      use();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      const failure = new StorageError(directory.path, error.message, { cause: error });
      this.#directoryFailed(directory, failure);
    }
  }
}

/** Kafka keeps a start offset only where the first segment does not tell it. */
function logStartToKeep(log: PartitionLog): number | null {
  return log.logStartOffset > log.firstSegmentOffset ? log.logStartOffset : null;
}
