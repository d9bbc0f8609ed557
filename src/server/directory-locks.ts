import { type Disk, DiskError, type DiskLock } from '../base/disk.ts';
import { LOCK_FILE } from '../storage/log-directory.ts';
import { joinPath } from '../storage/path.ts';
import { makeDurableDirectory } from '../storage/small-file.ts';
import { StorageError } from '../storage/storage-error.ts';

/** What is said of a directory that somebody else uses. */
const inUse = (path: string): StorageError =>
  new StorageError(path, `Another process uses the log directory ${path}. Stop it, or take another directory.`);

/**
 * The locks of a node's directories. They are taken before anything is read or written there, and kept until the very end: the
 * metadata log is closed after the logs of the broker.
 */
export class DirectoryLocks {
  readonly #locks = new Map<string, DiskLock>();
  /** Directories of which the disk itself did not let the lock be taken. */
  readonly failures = new Map<string, DiskError>();

  /** Makes and locks the directories. Throws a StorageError, with nothing locked, if another process has one of them. */
  static take(disk: Disk, paths: readonly string[]): DirectoryLocks {
    const locks = new DirectoryLocks();
    for (const path of paths) {
      const lock = locks.#tryLock(disk, path);
      if (lock === undefined) continue;
      if (lock === null) {
        locks.release();
        throw inUse(path);
      }
      locks.#locks.set(path, lock);
    }
    return locks;
  }

  /** For who wants the lock of a directory and finds it taken for it; releasing it is left to `release`. Throws what the disk said. */
  readonly of = (path: string): DiskLock | null => {
    const failure = this.failures.get(path);
    if (failure !== undefined) throw failure;
    const lock = this.#locks.get(path);
    return lock === undefined ? null : { ...lock, release: () => undefined };
  };

  /** A lock file that a broken disk does not let go of holds nobody up: the lock itself goes with this process. */
  release(): void {
    for (const [path, lock] of this.#locks) {
      try {
        lock.release();
      } catch (error) {
        if (!(error instanceof DiskError)) throw error;
        this.failures.set(path, error);
      }
    }
    this.#locks.clear();
  }

  /** Undefined when the disk fails. */
  #tryLock(disk: Disk, path: string): DiskLock | null | undefined {
    try {
      makeDurableDirectory(disk, path);
      return disk.lock(joinPath(path, LOCK_FILE));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      // The lock file is nobody's concern: the directory is.
      this.failures.set(path, new DiskError(error.code, path, error.message, { cause: error }));
      return undefined;
    }
  }
}
