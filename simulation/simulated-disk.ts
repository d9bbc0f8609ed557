import { posix } from 'node:path';
import { DiskError } from '../src/base/disk.ts';
import type { DirectoryEntry, Disk, DiskFile, DiskLock } from '../src/base/disk.ts';
import type { Clock, Millis } from '../src/base/clock.ts';
import { DirectoryInode, DiskImage, FileInode, ROOT } from './disk-image.ts';
import type { CrashMode, InodeId, Mutation, NameEdit } from './disk-image.ts';
import { SimulatedFile } from './simulated-file.ts';

export interface DiskOperation {
  readonly kind: Mutation['kind'] | 'open' | 'read' | 'list' | 'lock';
  readonly path: string;
  readonly position?: number;
  readonly length?: number;
}

/** What an operation meets instead of success. A failing write may still leave its first `bytesWritten` bytes. */
export interface DiskFault {
  readonly code: string;
  readonly bytesWritten?: number;
}

export interface SimulatedDiskOptions {
  /** Needed for slow syncs only. */
  readonly clock?: Clock;
  /** Writes beyond this many bytes of file contents fail with ENOSPC, after as much as fits. */
  readonly capacityBytes?: number;
  /** Keeps every change, so that `crashAt` can go back to any of them. */
  readonly isTraced?: boolean;
}

/**
 * A disk in memory that knows what would survive a power cut.
 *
 * `crash` gives the disk that a start after it finds, and this one fails from then on. With `isTraced`, `crashAt(i, mode)` gives
 * the disk after a crash just before change number `i` of `trace`, as often as wanted.
 */
export class SimulatedDisk implements Disk {
  readonly trace: Mutation[] = [];
  /** How often each kind of operation was asked for. */
  readonly operationCounts = new Map<DiskOperation['kind'], number>();
  capacityBytes: number;
  /** How long a sync takes. */
  syncDelayMs: Millis | ((path: string) => Millis) = 0;
  readonly #image: DiskImage;
  readonly #initial: DiskImage | null;
  readonly #clock: Clock | null;
  readonly #faults = new Set<(operation: DiskOperation) => DiskFault | string | null>();
  readonly #locked = new Set<string>();
  #usedBytes = 0;
  #isOff = false;

  constructor(options: SimulatedDiskOptions = {}, image = new DiskImage()) {
    this.#image = image;
    this.#initial = options.isTraced ? image.copy() : null;
    this.#clock = options.clock ?? null;
    this.capacityBytes = options.capacityBytes ?? 2 ** 40;
    for (const inode of image.inodes.values()) if (inode instanceof FileInode) this.#usedBytes += inode.data.length;
  }

  /** From now on operations for which `fault` gives something fail with it. Gives the way to end this. */
  failWhen(fault: (operation: DiskOperation) => DiskFault | string | null): () => void {
    this.#faults.add(fault);
    return () => void this.#faults.delete(fault);
  }

  /** The power goes (`lost`, `torn`), or only the process dies (`kept`). */
  crash(mode: CrashMode, options: SimulatedDiskOptions = {}): SimulatedDisk {
    this.#isOff = true;
    return new SimulatedDisk(options, this.#image.crash(mode));
  }

  crashAt(operationIndex: number, mode: CrashMode, options: SimulatedDiskOptions = {}): SimulatedDisk {
    if (this.#initial === null) throw new Error('only a traced disk can go back');
    const image = this.#initial.copy();
    for (const mutation of this.trace.slice(0, operationIndex)) image.apply(mutation);
    return new SimulatedDisk(options, image.crash(mode));
  }

  /** A copy of what programs see in a file now. */
  contents(path: string): Buffer {
    const inode = this.#find(path);
    if (!(inode instanceof FileInode)) throw new DiskError('ENOENT', path, `no file ${path}`);
    return Buffer.from(inode.data.view());
  }

  /** Makes a file with its directories, all of it durable. */
  put(path: string, bytes: Uint8Array): void {
    this.makeDirectory(posix.dirname(path));
    const file = this.open(path, { create: true });
    file.truncate(0);
    file.write([bytes], 0);
    file.syncNow();
    file.close();
    for (let at = posix.dirname(path); ; at = posix.dirname(at)) {
      this.syncDirectory(at);
      if (at === posix.dirname(at)) break;
    }
  }

  /** Rots one bit, in what programs see and on the device. */
  flipBit(path: string, position: number, bit = 0): void {
    const inode = this.#find(path);
    if (!(inode instanceof FileInode)) throw new DiskError('ENOENT', path, `no file ${path}`);
    for (const data of [inode.data, inode.durable]) {
      const byte = data.view(position, position + 1)[0];
      if (byte !== undefined) data.write(Uint8Array.of(byte ^ (1 << bit)), position);
    }
  }

  open(path: string, options: { readonly create?: boolean; readonly readOnly?: boolean } = {}): DiskFile {
    this.attempt({ kind: 'open', path });
    const { parent, name } = this.#locate(path);
    let inode = this.#image.directory(parent).entries.get(name);
    if (inode === undefined) {
      if (!options.create) throw new DiskError('ENOENT', path, `no such file: ${path}`);
      this.attempt({ kind: 'create', path });
      inode = this.#image.nextInode;
      this.#change({ kind: 'create', path, parent, name, inode });
    }
    const node = this.#image.inodes.get(inode);
    if (!(node instanceof FileInode)) throw new DiskError('EISDIR', path, `is a directory: ${path}`);
    return new SimulatedFile(this, path, { id: inode, node, isReadOnly: options.readOnly ?? false });
  }

  async openLater(path: string, options: { readonly create?: boolean } = {}): Promise<DiskFile> {
    return this.open(path, options);
  }

  absolute(path: string): string {
    return path.startsWith('/') ? path : `/${path}`;
  }

  exists(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  list(directory: string): DirectoryEntry[] {
    this.attempt({ kind: 'list', path: directory });
    const inode = this.#find(directory);
    if (inode === undefined) throw new DiskError('ENOENT', directory, `no such directory: ${directory}`);
    if (!(inode instanceof DirectoryInode)) throw new DiskError('ENOTDIR', directory, `not a directory: ${directory}`);
    const entries = [...inode.entries].map(([name, id]): DirectoryEntry => {
      return { name, kind: this.#image.inodes.get(id) instanceof FileInode ? 'file' : 'directory' };
    });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  makeDirectory(path: string): void {
    let parent = ROOT;
    let at = '/';
    for (const name of segments(path)) {
      at = posix.join(at, name);
      let inode = this.#image.directory(parent).entries.get(name);
      if (inode === undefined) {
        this.attempt({ kind: 'makeDirectory', path: at });
        inode = this.#image.nextInode;
        this.#change({ kind: 'makeDirectory', path: at, parent, name, inode });
      }
      if (!(this.#image.inodes.get(inode) instanceof DirectoryInode))
        throw new DiskError('ENOTDIR', at, `not a directory: ${at}`);
      parent = inode;
    }
  }

  rename(from: string, to: string): void {
    this.attempt({ kind: 'rename', path: from });
    const source = this.#locate(from);
    const target = this.#locate(to);
    const inode = this.#image.directory(source.parent).entries.get(source.name);
    if (inode === undefined) throw new DiskError('ENOENT', from, `no such file: ${from}`);
    const edits: NameEdit[] = [
      { directory: source.parent, name: source.name, inode: null },
      { directory: target.parent, name: target.name, inode },
    ];
    this.#checkReplacement(to, target, this.#image.inodes.get(inode) instanceof DirectoryInode);
    this.#change({ kind: 'rename', path: from, to, edits });
  }

  remove(path: string): void {
    this.attempt({ kind: 'remove', path });
    const inode = this.#find(path);
    if (inode === undefined) return;
    if (inode instanceof DirectoryInode) throw new DiskError('EISDIR', path, `is a directory: ${path}`);
    this.#usedBytes -= inode.data.length;
    this.#change({ kind: 'remove', path, ...this.#locate(path) });
  }

  async removeDirectory(path: string): Promise<void> {
    await Promise.resolve();
    if (!(this.#find(path) instanceof DirectoryInode)) return;
    for (const { name, kind } of this.list(path)) {
      const child = posix.join(path, name);
      if (kind === 'directory') await this.removeDirectory(child);
      else this.remove(child);
    }
    this.attempt({ kind: 'remove', path });
    this.#change({ kind: 'remove', path, ...this.#locate(path) });
  }

  syncDirectory(path: string): void {
    this.attempt({ kind: 'syncDirectory', path });
    const directory = this.#idOf(path);
    if (directory === undefined) throw new DiskError('ENOENT', path, `no such directory: ${path}`);
    this.#change({ kind: 'syncDirectory', path, directory });
  }

  async syncDirectoryLater(path: string): Promise<void> {
    await Promise.resolve();
    this.syncDirectory(path);
  }

  space(_path: string): { readonly totalBytes: number; readonly usableBytes: number } {
    return { totalBytes: this.capacityBytes, usableBytes: Math.max(0, this.capacityBytes - this.#usedBytes) };
  }

  lock(path: string): DiskLock | null {
    this.attempt({ kind: 'lock', path });
    if (this.#locked.has(path)) return null;
    this.open(path, { create: true }).close();
    this.#locked.add(path);
    return {
      syncFileSystem: () => {
        this.#syncBelow('/');
        return true;
      },
      release: () => {
        if (this.#locked.delete(path)) this.remove(path);
      },
    };
  }

  #syncBelow(directory: string): void {
    for (const { name, kind } of this.list(directory)) {
      const path = `${directory === '/' ? '' : directory}/${name}`;
      if (kind === 'directory') this.#syncBelow(path);
      else this.open(path).syncNow();
    }
    this.syncDirectory(directory);
  }

  /** For SimulatedFile: counts the operation and throws if it is to fail. Gives a fault of a write back, to be applied in part. */
  attempt(operation: DiskOperation): void {
    const fault = this.faultOf(operation);
    if (fault !== null) throw new DiskError(fault.code, operation.path, `${fault.code}: ${operation.kind} ${operation.path}`);
  }

  faultOf(operation: DiskOperation): DiskFault | null {
    if (this.#isOff) return { code: 'EIO' };
    this.operationCounts.set(operation.kind, (this.operationCounts.get(operation.kind) ?? 0) + 1);
    for (const rule of this.#faults) {
      const fault = rule(operation);
      if (fault !== null) return typeof fault === 'string' ? { code: fault } : fault;
    }
    return null;
  }

  /** For SimulatedFile: changes a file. */
  changeFile(mutation: Extract<Mutation, { kind: 'write' | 'truncate' | 'sync' | 'syncFailed' }>): void {
    if (this.#isOff) return;
    const before = this.#image.file(mutation.inode).data.length;
    this.#change(mutation);
    this.#usedBytes += this.#image.file(mutation.inode).data.length - before;
  }

  /** For SimulatedFile: calls back when the device has done its work. */
  afterSync(path: string, done: () => void): void {
    const delayMs = typeof this.syncDelayMs === 'function' ? this.syncDelayMs(path) : this.syncDelayMs;
    if (this.#clock === null || delayMs === 0) queueMicrotask(done);
    else this.#clock.schedule(delayMs, done);
  }

  #change(mutation: Mutation): void {
    if (this.#initial !== null) this.trace.push(mutation);
    this.#image.apply(mutation);
  }

  #checkReplacement(path: string, target: { parent: InodeId; name: string }, isDirectory: boolean): void {
    const replaced = this.#image.directory(target.parent).entries.get(target.name);
    const node = replaced === undefined ? undefined : this.#image.inodes.get(replaced);
    if (node instanceof DirectoryInode && (!isDirectory || node.entries.size > 0)) {
      throw new DiskError(isDirectory ? 'ENOTEMPTY' : 'EISDIR', path, `cannot replace the directory ${path}`);
    }
    if (node instanceof FileInode) {
      if (isDirectory) throw new DiskError('ENOTDIR', path, `cannot replace the file ${path}`);
      this.#usedBytes -= node.data.length;
    }
  }

  #locate(path: string): { parent: InodeId; name: string } {
    const parent = this.#idOf(posix.dirname(posix.join('/', path)));
    if (parent === undefined) throw new DiskError('ENOENT', path, `no such directory: ${posix.dirname(path)}`);
    if (!(this.#image.inodes.get(parent) instanceof DirectoryInode)) throw new DiskError('ENOTDIR', path, `not a directory`);
    return { parent, name: posix.basename(path) };
  }

  #find(path: string): FileInode | DirectoryInode | undefined {
    const id = this.#idOf(path);
    return id === undefined ? undefined : this.#image.inodes.get(id);
  }

  #idOf(path: string): InodeId | undefined {
    let id: InodeId | undefined = ROOT;
    for (const name of segments(path)) {
      const inode: FileInode | DirectoryInode | undefined = id === undefined ? undefined : this.#image.inodes.get(id);
      if (!(inode instanceof DirectoryInode)) return undefined;
      id = inode.entries.get(name);
    }
    return id;
  }
}

const segments = (path: string): string[] =>
  posix
    .join('/', path)
    .split('/')
    .filter((name) => name !== '');
