import { assert } from '../base/assert.ts';
import type { Disk, DiskError, DiskFile, FileRegion } from '../base/disk.ts';
import type { OpenLogFiles } from './open-log-files.ts';

/** An open file and the number of regions of it that are on their way to a socket. */
interface Handle {
  readonly file: DiskFile;
  regions: number;
  isRetired: boolean;
}

/**
 * A segment's `.log` file. Its size is what has been written whole: a write that fails half-way is cut off again, and readers never look beyond.
 *
 * The file is opened when it is first needed and may be let go of (`releaseHandle`) at any time: regions that are being sent keep it open.
 */
export class LogFile {
  #path: string;
  #size: number;
  #handle: Handle | null = null;
  #isUnsynced = false;
  #lastSync: Promise<void> = Promise.resolve();
  readonly #disk: Disk;
  readonly #readFailed: (error: DiskError) => void;
  readonly #openFiles: OpenLogFiles | null;

  private constructor(disk: Disk, path: string, readFailed: (error: DiskError) => void, openFiles: OpenLogFiles | null) {
    this.#disk = disk;
    this.#path = path;
    this.#size = 0;
    this.#readFailed = readFailed;
    this.#openFiles = openFiles;
  }

  /** Takes the file as it is, making it if it is missing. */
  static open(disk: Disk, path: string, readFailed: (error: DiskError) => void, openFiles: OpenLogFiles | null = null): LogFile {
    const log = new LogFile(disk, path, readFailed, openFiles);
    log.#size = log.#opened().file.size();
    return log;
  }

  get path(): string {
    return this.#path;
  }

  get sizeInBytes(): number {
    return this.#size;
  }

  get isOpen(): boolean {
    return this.#handle !== null;
  }

  append(bytes: Uint8Array): void {
    const { file } = this.#opened();
    this.#isUnsynced = true;
    try {
      file.write([bytes], this.#size);
    } catch (error) {
      // A write that ran out of space leaves its first part behind; nothing may follow it.
      file.truncate(this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Fills `target` from `position`; gives the number of bytes, fewer only at the end. */
  read(target: Uint8Array, position: number): number {
    const wanted = Math.min(target.length, this.#size - position);
    if (wanted <= 0) return 0;
    return this.#opened().file.read(wanted === target.length ? target : target.subarray(0, wanted), position);
  }

  /** A part of the file to be sent. */
  region(position: number, length: number): FileRegion {
    assert(position >= 0 && length > 0 && position + length <= this.#size, 'a region lies within the file');
    const handle = this.#opened();
    handle.regions++;
    return new SegmentRegion(handle, { position, length }, this.#readFailed);
  }

  truncate(length: number): void {
    if (length >= this.#size) return;
    this.#opened().file.truncate(length);
    this.#isUnsynced = true;
    this.#size = length;
  }

  /** Makes what was written before the call durable. A sync that failed stays failed for whoever asks again. */
  sync(): Promise<void> {
    if (this.#isUnsynced) {
      this.#isUnsynced = false;
      this.#lastSync = this.#opened().file.sync();
    }
    return this.#lastSync;
  }

  /** The file may hold what no one in this process has synced: after an unclean stop. */
  distrust(): void {
    this.#isUnsynced = true;
  }

  syncNow(): void {
    this.#isUnsynced = false;
    this.#opened().file.syncNow();
  }

  /** The directory entry was renamed by the caller. */
  renamed(path: string): void {
    this.#path = path;
  }

  /** Lets go of the descriptor until it is needed again. */
  releaseHandle(): void {
    if (this.#handle === null) return;
    this.#handle.isRetired = true;
    closeIfUnused(this.#handle);
    this.#handle = null;
    this.#openFiles?.released(this);
  }

  #opened(): Handle {
    if (this.#handle !== null) return this.#handle;
    this.#openFiles?.opening(this);
    this.#handle = { file: this.#disk.open(this.#path, { create: true }), regions: 0, isRetired: false };
    return this.#handle;
  }
}

function closeIfUnused(handle: Handle): void {
  if (handle.isRetired && handle.regions === 0) handle.file.close();
}

class SegmentRegion implements FileRegion {
  readonly position: number;
  readonly length: number;
  readonly #handle: Handle;
  readonly #readFailed: (error: DiskError) => void;
  #isReleased = false;

  constructor(
    handle: Handle,
    range: { readonly position: number; readonly length: number },
    readFailed: (error: DiskError) => void,
  ) {
    this.#handle = handle;
    this.position = range.position;
    this.length = range.length;
    this.#readFailed = readFailed;
  }

  get file(): DiskFile {
    return this.#handle.file;
  }

  release(): void {
    assert(!this.#isReleased, 'a region is released once');
    this.#isReleased = true;
    this.#handle.regions--;
    closeIfUnused(this.#handle);
  }

  readFailed(error: DiskError): void {
    this.#readFailed(error);
  }
}
