import { assert } from '../src/base/assert.ts';
import { DiskError } from '../src/base/disk.ts';
import type { DiskFile } from '../src/base/disk.ts';
import type { DiskFault, SimulatedDisk } from './simulated-disk.ts';
import type { FileInode, InodeId } from './disk-image.ts';

interface Opened {
  readonly id: InodeId;
  readonly node: FileInode;
  readonly isReadOnly: boolean;
}

/** An open file of a SimulatedDisk. It stays readable when its name is gone. */
export class SimulatedFile implements DiskFile {
  readonly path: string;
  readonly descriptor = null;
  readonly #disk: SimulatedDisk;
  readonly #opened: Opened;
  #isClosed = false;

  constructor(disk: SimulatedDisk, path: string, opened: Opened) {
    this.#disk = disk;
    this.path = path;
    this.#opened = opened;
  }

  size(): number {
    this.#assertOpen();
    return this.#opened.node.data.length;
  }

  read(target: Uint8Array, position: number): number {
    this.#assertOpen();
    this.#disk.attempt({ kind: 'read', path: this.path, position, length: target.byteLength });
    const bytes = this.#opened.node.data.view(position, position + target.byteLength);
    target.set(bytes);
    return bytes.byteLength;
  }

  async readAsync(target: Uint8Array, position: number): Promise<number> {
    await Promise.resolve();
    return this.read(target, position);
  }

  write(chunks: readonly Uint8Array[], position: number): void {
    this.#assertOpen();
    assert(!this.#opened.isReadOnly, `${this.path} is open for writing`);
    // The trace keeps what was written at that time, not what the caller's memory holds later.
    const bytes = Uint8Array.from(Buffer.concat(chunks));
    const fault = this.#disk.faultOf({ kind: 'write', path: this.path, position, length: bytes.byteLength });
    const { count, code } = this.#admitted(bytes.byteLength, position, fault);
    if (count > 0) {
      this.#disk.changeFile({
        kind: 'write',
        path: this.path,
        inode: this.#opened.id,
        position,
        bytes: bytes.subarray(0, count),
      });
    }
    if (code !== null) throw new DiskError(code, this.path, `${code}: write ${this.path}`);
  }

  truncate(length: number): void {
    this.#assertOpen();
    this.#disk.attempt({ kind: 'truncate', path: this.path, length });
    this.#disk.changeFile({ kind: 'truncate', path: this.path, inode: this.#opened.id, length });
  }

  sync(): Promise<void> {
    this.#assertOpen();
    const upTo = this.#opened.node.nextChange;
    return new Promise((resolve, reject) => {
      this.#disk.afterSync(this.path, () => {
        try {
          this.#finishSync(upTo);
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  syncNow(): void {
    this.#assertOpen();
    this.#finishSync(this.#opened.node.nextChange);
  }

  close(): void {
    this.#isClosed = true;
  }

  #finishSync(upTo: number): void {
    const change = { path: this.path, inode: this.#opened.id, upTo };
    const fault = this.#disk.faultOf({ kind: 'sync', path: this.path });
    if (fault === null) return this.#disk.changeFile({ kind: 'sync', ...change });
    this.#disk.changeFile({ kind: 'syncFailed', ...change });
    throw new DiskError(fault.code, this.path, `${fault.code}: sync ${this.path}`);
  }

  /** How much of a write gets through: all, what fits on the disk, or what a fault lets pass. */
  #admitted(length: number, position: number, fault: DiskFault | null): { count: number; code: string | null } {
    if (fault !== null) return { count: Math.min(length, fault.bytesWritten ?? 0), code: fault.code };
    const existing = Math.max(0, this.#opened.node.data.length - position);
    const room = existing + this.#disk.space(this.path).usableBytes;
    return room >= length ? { count: length, code: null } : { count: room, code: 'ENOSPC' };
  }

  #assertOpen(): void {
    assert(!this.#isClosed, `${this.path} is open`);
  }
}
