import * as fs from 'node:fs';
import { assert } from '../base/assert.ts';
import { DiskError } from '../base/disk.ts';
import type { DiskFile } from '../base/disk.ts';

/** Linux takes at most this many pieces in one pwritev(2). */
const MAX_CHUNKS_PER_CALL = 1024;

export class NodeFile implements DiskFile {
  readonly path: string;
  #descriptor: number | null;
  /** Reads and syncs that the thread pool still works on. The descriptor must not be given back, and out again, under them. */
  #pending = 0;
  #isClosed = false;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  get descriptor(): number | null {
    return this.#isClosed ? null : this.#descriptor;
  }

  size(): number {
    try {
      return fs.fstatSync(this.#opened()).size;
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }

  read(target: Uint8Array, position: number): number {
    const descriptor = this.#opened();
    try {
      let count = fs.readSync(descriptor, target, 0, target.byteLength, position);
      while (count < target.byteLength) {
        const more = fs.readSync(descriptor, target, count, target.byteLength - count, position + count);
        if (more === 0) break;
        count += more;
      }
      return count;
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }

  async readAsync(target: Uint8Array, position: number): Promise<number> {
    let count = 0;
    while (count < target.byteLength) {
      const more = await this.#readOnce(count === 0 ? target : target.subarray(count), position + count);
      if (more === 0) break;
      count += more;
    }
    return count;
  }

  write(chunks: readonly Uint8Array[], position: number): void {
    const descriptor = this.#opened();
    try {
      if (chunks.length === 1) writeOne(descriptor, chunks[0] ?? new Uint8Array(0), position);
      else writeMany(descriptor, chunks, position);
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }

  truncate(length: number): void {
    try {
      fs.ftruncateSync(this.#opened(), length);
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }

  sync(): Promise<void> {
    const descriptor = this.#opened();
    this.#pending++;
    return new Promise((resolve, reject) => {
      fs.fdatasync(descriptor, (error) => {
        this.#finished();
        if (error === null) resolve();
        else reject(toDiskError(error, this.path));
      });
    });
  }

  syncNow(): void {
    try {
      fs.fdatasyncSync(this.#opened());
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#pending === 0) this.#release();
  }

  #readOnce(target: Uint8Array, position: number): Promise<number> {
    const descriptor = this.#opened();
    this.#pending++;
    return new Promise((resolve, reject) => {
      fs.read(descriptor, target, 0, target.byteLength, position, (error, count) => {
        this.#finished();
        if (error === null) resolve(count);
        else reject(toDiskError(error, this.path));
      });
    });
  }

  #opened(): number {
    assert(!this.#isClosed && this.#descriptor !== null, `${this.path} is open`);
    return this.#descriptor;
  }

  #finished(): void {
    this.#pending--;
    if (this.#isClosed && this.#pending === 0) this.#release();
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    if (descriptor === null) return;
    try {
      fs.closeSync(descriptor);
    } catch (error) {
      throw toDiskError(error, this.path);
    }
  }
}

function writeOne(descriptor: number, chunk: Uint8Array, position: number): void {
  let written = 0;
  while (written < chunk.byteLength) {
    written += advanced(fs.writeSync(descriptor, chunk, written, chunk.byteLength - written, position + written));
  }
}

function writeMany(descriptor: number, chunks: readonly Uint8Array[], start: number): void {
  let position = start;
  let left = chunks.filter((chunk) => chunk.byteLength > 0);
  while (left.length > 0) {
    const written = advanced(fs.writevSync(descriptor, left.slice(0, MAX_CHUNKS_PER_CALL), position));
    position += written;
    left = withoutFirst(left, written);
  }
}

/** What is left of the chunks once `count` bytes of them are written. */
function withoutFirst(chunks: Uint8Array[], count: number): Uint8Array[] {
  let skipped = 0;
  let bytes = count;
  for (const chunk of chunks) {
    if (chunk.byteLength > bytes) break;
    bytes -= chunk.byteLength;
    skipped++;
  }
  const rest = chunks.slice(skipped);
  const first = rest[0];
  if (first !== undefined && bytes > 0) rest[0] = first.subarray(bytes);
  return rest;
}

function advanced(count: number): number {
  assert(count > 0, 'a write that does not fail makes progress');
  return count;
}

export function toDiskError(error: unknown, path: string): DiskError {
  if (error instanceof DiskError) return error;
  if (error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string') {
    return new DiskError(error.code, path, error.message, { cause: error });
  }
  // Not the operating system's word but a mistake in this program.
  throw error;
}
