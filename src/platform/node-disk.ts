import * as fs from 'node:fs';
import { dirname, isAbsolute, sep } from 'node:path';
import type { DirectoryEntry, Disk, DiskFile, DiskLock } from '../base/disk.ts';
import { descriptorLimit } from './descriptor-limit.ts';
import { syncDirectoryShared } from './directory-sync.ts';
import { NodeFile, toDiskError } from './node-file.ts';
import { takeLockFile } from './lock-file.ts';

const { O_RDONLY, O_RDWR, O_CREAT } = fs.constants;

/** The computer's own file systems. */
export const nodeDisk: Disk = {
  get openFilesMax() {
    return Math.floor(descriptorLimit() / 4);
  },

  open(path, { create = false, readOnly = false } = {}): DiskFile {
    const flags = (readOnly ? O_RDONLY : O_RDWR) | (create ? O_CREAT : 0);
    return new NodeFile(
      path,
      attempt(path, () => fs.openSync(path, flags, 0o644)),
    );
  },

  openLater(path, { create = false } = {}): Promise<DiskFile> {
    return new Promise((resolve, reject) => {
      fs.open(path, O_RDWR | (create ? O_CREAT : 0), 0o644, (error, descriptor) => {
        if (error === null) resolve(new NodeFile(path, descriptor));
        else reject(toDiskError(error, path));
      });
    });
  },

  exists: (path) => fs.existsSync(path),

  list(directory): DirectoryEntry[] {
    const entries = attempt(directory, () => fs.readdirSync(directory, { withFileTypes: true }));
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) })).sort((a, b) => (a.name < b.name ? -1 : 1));
  },

  makeDirectory(path): void {
    attempt(path, () => makeDirectories(path));
  },

  rename(from, to): void {
    attempt(from, () => fs.renameSync(from, to));
  },

  remove(path): void {
    attempt(path, () => fs.rmSync(path, { force: true }));
  },

  async removeDirectory(path): Promise<void> {
    try {
      await fs.promises.rm(path, { recursive: true, force: true });
    } catch (error) {
      throw toDiskError(error, path);
    }
  },

  syncDirectory(path): void {
    // Windows has no such thing: it keeps directories durable by itself.
    if (process.platform === 'win32') return;
    attempt(path, () => {
      const descriptor = fs.openSync(path, O_RDONLY);
      try {
        fs.fsyncSync(descriptor);
      } finally {
        fs.closeSync(descriptor);
      }
    });
  },

  async syncDirectoryLater(path): Promise<void> {
    if (process.platform === 'win32') return;
    try {
      await syncDirectoryShared(path);
    } catch (error) {
      throw toDiskError(error, path);
    }
  },

  absolute: (path) => (isAbsolute(path) ? path : `${process.cwd()}${sep}${path}`),

  space(path): { totalBytes: number; usableBytes: number } {
    const { blocks, bavail, bsize } = attempt(path, () => fs.statfsSync(existing(path)));
    return { totalBytes: blocks * bsize, usableBytes: bavail * bsize };
  },

  lock(path): DiskLock | null {
    const lock = attempt(path, () => takeLockFile(path));
    if (lock === null) return null;
    return {
      syncFileSystem: (directories) => attempt(path, () => lock.syncFileSystem(directories)),
      release: () => attempt(path, () => lock.release()),
    };
  },
};

/** Parents first. What `recursive` of Node.js does never ends where a file system says ENOENT to every new directory, as /proc does. */
function makeDirectories(path: string): void {
  const missing: string[] = [];
  for (let at = path; !fs.existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.toReversed()) makeDirectory(directory);
  if (missing.length === 0) makeDirectory(path);
}

/** Somebody else may have made it meanwhile; a file in its place is told as the system tells it. */
function makeDirectory(path: string): void {
  try {
    fs.mkdirSync(path);
  } catch (error) {
    if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function attempt<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/** A directory that is still to be made has the space of the one it will be made in. */
function existing(path: string): string {
  for (let at = path; ; at = dirname(at)) if (fs.existsSync(at) || at === dirname(at)) return at;
}

/** A symbolic link counts as what it leads to: log directories often are one. */
function kindOf(entry: fs.Dirent): DirectoryEntry['kind'] {
  const target = entry.isSymbolicLink() ? fs.statSync(`${entry.parentPath}/${entry.name}`, { throwIfNoEntry: false }) : entry;
  if (target?.isFile()) return 'file';
  return target?.isDirectory() ? 'directory' : 'other';
}
