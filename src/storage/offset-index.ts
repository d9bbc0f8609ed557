import { readInt32, writeInt32 } from '../base/bytes/big-endian.ts';
import type { Disk } from '../base/disk.ts';
import { IndexFile } from './index-file.ts';
import { findFloor } from './index-search.ts';

const ENTRY_BYTES = 8;
export const RELATIVE_OFFSET_MAX = 0x7fff_ffff;

export interface OffsetPosition {
  readonly offset: number;
  readonly position: number;
}

/**
 * `.index`: for about every index.interval.bytes of log, the last offset of a batch and where that batch starts in the file. An entry is the
 * offset less the segment's base offset (i32) and the position (i32).
 */
export class OffsetIndex {
  readonly baseOffset: number;
  readonly #file: IndexFile;
  readonly #offsetAt = (index: number): number => {
    const at = this.#file.locate(index);
    return this.baseOffset + readInt32(this.#file.view, at);
  };

  private constructor(file: IndexFile, baseOffset: number) {
    this.#file = file;
    this.baseOffset = baseOffset;
  }

  static create(disk: Disk, path: string, baseOffset: number): OffsetIndex {
    return new OffsetIndex(IndexFile.create(disk, path, ENTRY_BYTES), baseOffset);
  }

  /** Null if the file is missing or is no index. */
  static open(disk: Disk, path: string, baseOffset: number): OffsetIndex | null {
    const file = IndexFile.open(disk, path, ENTRY_BYTES);
    return file && new OffsetIndex(file, baseOffset);
  }

  get file(): IndexFile {
    return this.#file;
  }

  get count(): number {
    return this.#file.count;
  }

  get lastEntry(): OffsetPosition | null {
    return this.count === 0 ? null : this.entry(this.count - 1);
  }

  isFull(indexBytesMax: number): boolean {
    return this.count >= Math.floor(indexBytesMax / ENTRY_BYTES);
  }

  append(offset: number, position: number): void {
    const at = this.#file.append();
    writeInt32(this.#file.view, at, offset - this.baseOffset);
    writeInt32(this.#file.view, at + 4, position);
  }

  entry(index: number): OffsetPosition {
    const at = this.#file.locate(index);
    return { offset: this.baseOffset + readInt32(this.#file.view, at), position: readInt32(this.#file.view, at + 4) };
  }

  /** The last entry whose offset is at most `offset`. */
  floor(offset: number): OffsetPosition | null {
    const index = findFloor(this.#file, offset, this.#offsetAt);
    return index < 0 ? null : this.entry(index);
  }

  /** The offset of the first entry at or behind `position`; null if there is none. */
  offsetAtOrBehind(position: number): number | null {
    const index = findFloor(this.#file, position - 1, this.#positionAt) + 1;
    return index < this.count ? this.#offsetAt(index) : null;
  }

  readonly #positionAt = (index: number): number => {
    const at = this.#file.locate(index);
    return readInt32(this.#file.view, at + 4);
  };

  /** Forgets the entries at `offset` and beyond. */
  truncateTo(offset: number): void {
    this.#file.truncate(findFloor(this.#file, offset - 1, this.#offsetAt) + 1);
  }

  /** Whether the entries can be those of a segment with these bounds. */
  isSane(logBytes: number, nextOffsetMax: number): boolean {
    if (this.count === 0) return true;
    const last = this.entry(this.count - 1);
    const first = this.entry(0);
    return (
      first.offset >= this.baseOffset &&
      first.position >= 0 &&
      first.offset <= last.offset &&
      first.position <= last.position &&
      last.offset < nextOffsetMax &&
      last.position < logBytes
    );
  }
}
