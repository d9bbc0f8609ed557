import type { Disk, DiskLock } from '../base/disk.ts';
import type { Logger } from '../base/logger.ts';
import { CheckpointError } from './checkpoint-file.ts';
import { type CleanShutdown, takeCleanShutdownMarker, writeCleanShutdownMarker } from './clean-shutdown-file.ts';
import { checkpointBytes } from './checkpoint-file.ts';
import { type PartitionOffset, offsetFormat, readOffsetCheckpoint, writeOffsetCheckpoint } from './offset-checkpoint.ts';
import { HIGH_WATERMARK_CHECKPOINT, LOG_START_OFFSET_CHECKPOINT, RECOVERY_POINT_CHECKPOINT } from './offset-checkpoint.ts';
import { readMetaProperties } from './meta-properties.ts';
import { joinPath } from './path.ts';
import { makeDurableDirectory, replaceSmallFileLater } from './small-file.ts';
import { StorageError } from './storage-error.ts';
import type { TopicPartition } from './topic-partition.ts';

/** Locked by the process that uses the directory, Apache Kafka's too. */
export const LOCK_FILE = '.lock';
const DELETE_SUFFIX = '-delete';
const STRAY_SUFFIX = '-stray';
const FUTURE_SUFFIX = '-future';
/** What file systems allow for one name. */
const NAME_BYTES_MAX = 255;

/** What a directory in a log directory is. */
export type DirectoryKind =
  | { readonly kind: 'log'; readonly topicPartition: TopicPartition }
  /** A replica that is being moved here from another log directory. */
  | { readonly kind: 'future'; readonly topicPartition: TopicPartition }
  | { readonly kind: 'delete' }
  | { readonly kind: 'stray' }
  | { readonly kind: 'other' };

export function kindOfDirectory(name: string): DirectoryKind {
  if (name.endsWith(DELETE_SUFFIX)) return { kind: 'delete' };
  if (name.endsWith(STRAY_SUFFIX)) return { kind: 'stray' };
  const isFuture = name.endsWith(FUTURE_SUFFIX);
  // A future replica is called topic-partition.uniqueid-future.
  const logName = isFuture ? name.slice(0, name.lastIndexOf('.')) : name;
  const match = /^(.+)-(\d{1,10})$/.exec(logName);
  if (match === null) return { kind: 'other' };
  const topicPartition = { topic: match[1] ?? '', partition: Number(match[2]) };
  return { kind: isFuture ? 'future' : 'log', topicPartition };
}

/** The name of a log's directory while it waits to be removed: topic-partition.uniqueid-delete, cut to what a file system takes. */
export function renamedDirectory(logName: string, uniqueId: string, kind: 'delete' | 'stray'): string {
  const suffix = `.${uniqueId}${kind === 'delete' ? DELETE_SUFFIX : STRAY_SUFFIX}`;
  return `${logName.slice(0, NAME_BYTES_MAX - suffix.length)}${suffix}`;
}

/** The offsets that a log directory's checkpoints tell, by directory name. */
export interface DirectoryCheckpoints {
  readonly recoveryPoints: ReadonlyMap<string, number>;
  readonly logStartOffsets: ReadonlyMap<string, number>;
  readonly highWatermarks: ReadonlyMap<string, number>;
}

export interface OpenDirectoryOptions {
  readonly logger: Logger;
  /** Gives the lock of a directory; null if somebody else has it. */
  readonly lockOf: (path: string) => DiskLock | null;
}

/** One entry of log.dirs: its lock, its marker of an orderly stop, its checkpoints. */
export class LogDirectory {
  readonly path: string;
  /** From meta.properties; null in a directory that has none. */
  readonly id: string | null;
  /** The stop before this start; null if it was not orderly. */
  readonly cleanShutdown: CleanShutdown | null;
  readonly checkpoints: DirectoryCheckpoints;
  failure: StorageError | null = null;
  readonly #disk: Disk;
  readonly #lock: DiskLock;
  readonly #writing = new Map<string, Promise<void>>();
  /** What was written last, so that a node with nothing to do leaves the disk alone. */
  readonly #written = new Map<string, Buffer>();
  /** Counts the replacements of each checkpoint, so that a slow one does not undo a newer one. */
  readonly #generations = new Map<string, number>();

  private constructor(disk: Disk, path: string, opened: { readonly lock: DiskLock; readonly logger: Logger }) {
    this.#disk = disk;
    this.path = path;
    this.#lock = opened.lock;
    this.id = readMetaProperties(disk, path)?.directoryId ?? null;
    this.cleanShutdown = takeCleanShutdownMarker(disk, path);
    const read = (file: string): Map<string, number> => readOrEmpty(disk, joinPath(path, file), opened.logger);
    this.checkpoints = {
      recoveryPoints: read(RECOVERY_POINT_CHECKPOINT),
      logStartOffsets: read(LOG_START_OFFSET_CHECKPOINT),
      highWatermarks: read(HIGH_WATERMARK_CHECKPOINT),
    };
  }

  /** Locks the directory and reads what it says. From here on a crash is an unclean stop. */
  static open(disk: Disk, path: string, { logger, lockOf }: OpenDirectoryOptions): LogDirectory {
    makeDurableDirectory(disk, path);
    const lock = lockOf(path);
    if (lock === null) throw new StorageError(path, `Another process uses the log directory ${path}.`);
    try {
      return new LogDirectory(disk, path, { lock, logger });
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get isOffline(): boolean {
    return this.failure !== null;
  }

  /** Names and kinds of the directories in it. */
  list(): { readonly name: string; readonly what: DirectoryKind }[] {
    const entries = this.#disk.list(this.path).filter((entry) => entry.kind === 'directory');
    return entries.map(({ name }) => ({ name, what: kindOfDirectory(name) }));
  }

  /** Replaces a checkpoint without holding up the event loop; a crash leaves the old one or the new one. */
  async writeCheckpoint(file: string, entries: readonly PartitionOffset[]): Promise<void> {
    const generation = this.#nextGeneration(file);
    const isWanted = (): boolean => this.#generations.get(file) === generation;
    const bytes = checkpointBytes(entries, offsetFormat);
    const before = this.#writing.get(file) ?? Promise.resolve();
    const writing = before.then(async () => {
      if (!isWanted() || this.#written.get(file)?.equals(bytes) === true) return;
      await replaceSmallFileLater(this.#disk, joinPath(this.path, file), { bytes, isWanted });
      if (isWanted()) this.#written.set(file, bytes);
    });
    const settled = writing.catch(() => undefined);
    this.#writing.set(file, settled);
    await writing;
  }

  /** The same, durable when it returns: where a stale checkpoint would be trusted wrongly, and at the end. */
  writeCheckpointNow(file: string, entries: readonly PartitionOffset[]): void {
    this.#nextGeneration(file);
    this.#written.delete(file);
    writeOffsetCheckpoint(this.#disk, joinPath(this.path, file), entries);
  }

  #nextGeneration(file: string): number {
    const generation = (this.#generations.get(file) ?? 0) + 1;
    this.#generations.set(file, generation);
    return generation;
  }

  markClean(brokerEpoch: number): void {
    writeCleanShutdownMarker(this.#disk, this.path, { brokerEpoch });
  }

  /** Makes everything durable that was written to these directories in it, if that can be done in one go. */
  syncTogether(directories: readonly string[]): boolean {
    return this.#lock.syncFileSystem?.(directories) ?? false;
  }

  release(): void {
    this.#lock.release();
  }
}

/** A checkpoint that cannot be read is worth no more than a missing one: everything in it can be found in the logs. */
function readOrEmpty(disk: Disk, path: string, logger: Logger): Map<string, number> {
  try {
    return readOffsetCheckpoint(disk, path);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    logger.error('a checkpoint is unreadable and is made again', { path, reason: error.message });
    return new Map();
  }
}
