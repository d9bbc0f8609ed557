import { readInt32, readInt64, writeInt32, writeInt64 } from '../base/bytes/big-endian.ts';
import type { Disk } from '../base/disk.ts';
import { IndexFile } from './index-file.ts';
import { findFloor } from './index-search.ts';

const ENTRY_BYTES = 12;

export interface TimestampOffset {
  readonly timestamp: number;
  readonly offset: number;
}

/**
 * `.timeindex`: the largest timestamp up to a point of the segment (i64) and the last offset of the batch that has it, less the segment's base
 * offset (i32). Timestamps only rise: an entry says that every record with a larger timestamp has a larger offset.
 */
export class TimeIndex {
  readonly baseOffset: number;
  readonly #file: IndexFile;
  /** The newest entry, kept apart because every append compares with it. */
  #lastTimestamp: number;
  #lastOffset: number;

  private constructor(file: IndexFile, baseOffset: number) {
    this.#file = file;
    this.baseOffset = baseOffset;
    const last = this.#newestEntry();
    this.#lastTimestamp = last.timestamp;
    this.#lastOffset = last.offset;
  }

  static create(disk: Disk, path: string, baseOffset: number): TimeIndex {
    return new TimeIndex(IndexFile.create(disk, path, ENTRY_BYTES), baseOffset);
  }

  /** Null if the file is missing or is no index. */
  static open(disk: Disk, path: string, baseOffset: number): TimeIndex | null {
    const file = IndexFile.open(disk, path, ENTRY_BYTES);
    return file && new TimeIndex(file, baseOffset);
  }

  get file(): IndexFile {
    return this.#file;
  }

  get count(): number {
    return this.#file.count;
  }

  /** The newest entry, or timestamp −1 at the base offset. */
  get last(): TimestampOffset {
    return { timestamp: this.#lastTimestamp, offset: this.#lastOffset };
  }

  /** One entry is kept free for closing the segment. */
  isFull(indexBytesMax: number): boolean {
    return this.count >= Math.floor(indexBytesMax / ENTRY_BYTES) - 1;
  }

  /** Adds an entry unless its timestamp is no larger than the newest one. */
  maybeAppend(timestamp: number, offset: number): void {
    if (timestamp <= this.#lastTimestamp) return;
    const at = this.#file.append();
    writeInt64(this.#file.view, at, timestamp);
    writeInt32(this.#file.view, at + 8, offset - this.baseOffset);
    this.#lastTimestamp = timestamp;
    this.#lastOffset = offset;
  }

  entry(index: number): TimestampOffset {
    const at = this.#file.locate(index);
    return { timestamp: readInt64(this.#file.view, at), offset: this.baseOffset + readInt32(this.#file.view, at + 8) };
  }

  /** The last entry whose timestamp is at most `timestamp`; otherwise timestamp −1 at the base offset. */
  floor(timestamp: number): TimestampOffset {
    const index = findFloor(this.#file, timestamp, this.#timestampAt);
    return index < 0 ? { timestamp: -1, offset: this.baseOffset } : this.entry(index);
  }

  readonly #timestampAt = (index: number): number => {
    const at = this.#file.locate(index);
    return readInt64(this.#file.view, at);
  };

  readonly #offsetAt = (index: number): number => {
    const at = this.#file.locate(index);
    return readInt32(this.#file.view, at + 8) + this.baseOffset;
  };

  /** Forgets the entries at `offset` and beyond. */
  truncateTo(offset: number): void {
    this.#file.truncate(findFloor(this.#file, offset - 1, this.#offsetAt) + 1);
    const last = this.#newestEntry();
    this.#lastTimestamp = last.timestamp;
    this.#lastOffset = last.offset;
  }

  isSane(nextOffsetMax: number): boolean {
    if (this.count === 0) return true;
    const first = this.entry(0);
    return first.offset >= this.baseOffset && first.timestamp <= this.#lastTimestamp && this.#lastOffset < nextOffsetMax;
  }

  #newestEntry(): TimestampOffset {
    return this.count === 0 ? { timestamp: -1, offset: this.baseOffset } : this.entry(this.count - 1);
  }
}
