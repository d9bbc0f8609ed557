/**
 * The disk as an argument.
 *
 * Reads and writes that the page cache serves are synchronous: a system call costs a few microseconds, a round through a thread
 * pool costs more and reorders. Whatever waits for the device (`sync`, removal of large files) is a promise.
 * Every operation may throw a DiskError; nothing else.
 */
export interface Disk {
  /** Opens a file for reading and writing. With `create`, makes it if it is missing; otherwise a missing file is a DiskError ENOENT. */
  open(path: string, options?: { readonly create?: boolean; readonly readOnly?: boolean }): DiskFile;
  /** The same off the event loop: making a file may take as long as a sync does, while others are made durable. */
  openLater(path: string, options?: { readonly create?: boolean }): Promise<DiskFile>;
  exists(path: string): boolean;
  /** A path from the root, for one that begins where this process runs. It is not shortened otherwise. */
  absolute(path: string): string;
  /** Names in a directory with their kinds, sorted by name. */
  list(directory: string): DirectoryEntry[];
  /** Makes a directory and its missing parents. */
  makeDirectory(path: string): void;
  /** Atomic replacement of `to`. Durable only after `syncDirectory` of both parents. */
  rename(from: string, to: string): void;
  /** Removes one file; missing is fine. */
  remove(path: string): void;
  /** Removes a directory with all it holds; missing is fine. */
  removeDirectory(path: string): Promise<void>;
  /** Makes creations, renames and removals in this directory durable. */
  syncDirectory(path: string): void;
  /** The same, off the event loop: when it resolves, the names that were there at the call are durable. */
  syncDirectoryLater(path: string): Promise<void>;
  /** Bytes of the file system that holds `path`. */
  space(path: string): { readonly totalBytes: number; readonly usableBytes: number };
  /** Files that may stay open at once, so that others can still be opened when they are needed; no limit if absent. */
  readonly openFilesMax?: number;
  /** Takes the exclusive lock file at `path`; null if another live process holds it. */
  lock(path: string): DiskLock | null;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'other';
}

export interface DiskLock {
  /**
   * Makes all that was written to the lock's file system durable, at once and on the event loop. False, and nothing is known, where that cannot be, where one of the
   * directories lies elsewhere, or where something written since the lock was taken is lost.
   */
  syncFileSystem?(directories: readonly string[]): boolean;
  release(): void;
}

export interface DiskFile {
  readonly path: string;
  /** The operating system's descriptor where there is one (for sendfile), otherwise null. */
  readonly descriptor: number | null;
  size(): number;
  /** Fills as much of `target` as the file holds from `position`; gives the number of bytes read. */
  read(target: Uint8Array, position: number): number;
  /** The same, off the event loop: for cold data. */
  readAsync(target: Uint8Array, position: number): Promise<number>;
  /** Writes all chunks one after another from `position`, or throws. */
  write(chunks: readonly Uint8Array[], position: number): void;
  truncate(length: number): void;
  /** fdatasync off the event loop: when it resolves, what was written before the call is durable. */
  sync(): Promise<void>;
  /** fdatasync on the event loop: for small files at start and stop. */
  syncNow(): void;
  close(): void;
}

/** A failure of the device or the file system. `code` is the operating system's (ENOENT, ENOSPC, EIO …). */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly code: string;
  readonly path: string;
  constructor(code: string, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}

/**
 * A range of a file on its way to a socket. Whoever sends it calls `release` exactly once, when the last byte has left or the
 * connection is gone; until then the file stays open even if its segment is deleted.
 */
export interface FileRegion {
  readonly file: DiskFile;
  readonly position: number;
  readonly length: number;
  release(): void;
  /** Told when reading the file fails while sending, so that a bad disk is not taken for a closed socket. */
  readFailed(error: DiskError): void;
}

/** What a response is made of. */
export type Part = Uint8Array | FileRegion;

export const isFileRegion = (part: Part): part is FileRegion => !(part instanceof Uint8Array);
