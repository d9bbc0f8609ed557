import { readInt16, readInt64, writeInt16, writeInt64 } from '../base/bytes/big-endian.ts';
import type { Disk } from '../base/disk.ts';

const VERSION = 0;
const ENTRY_BYTES = 34;

/** A transaction of this segment that was aborted: its offsets from the first record to the marker. */
export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** The last stable offset once the marker was written: nothing at or after it can belong to a transaction aborted before. */
  readonly lastStableOffset: number;
}

/**
 * `.txnindex`: the aborted transactions whose marker is in this segment, in the order of their markers. The file exists only if there is one.
 * Entries are few; they are kept in memory once asked for.
 */
export class TransactionIndex {
  #path: string;
  readonly #disk: Disk;
  #entries: AbortedTransaction[] | null = null;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  get exists(): boolean {
    return this.#disk.exists(this.#path);
  }

  get entries(): readonly AbortedTransaction[] {
    return this.#load();
  }

  /** Whether the file is one: whole entries of a known version, in order. */
  get isSane(): boolean {
    const bytes = this.#readFile();
    if (bytes.length % ENTRY_BYTES !== 0) return false;
    let last = -1;
    for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
      const entry = decodeEntry(bytes, at);
      if (readInt16(bytes, at) !== VERSION || entry.firstOffset > entry.lastOffset || entry.lastOffset <= last) return false;
      last = entry.lastOffset;
    }
    return true;
  }

  /** Takes the room for entries before their markers are written, for then it is too late to find that there is none. Throws a DiskError in that case. */
  reserve(count: number): void {
    const position = this.#load().length * ENTRY_BYTES;
    const file = this.#disk.open(this.#path, { create: true });
    try {
      // Should this node end before they are written: entries that lie before everything.
      file.write([Buffer.alloc(count * ENTRY_BYTES, 0xff)], position);
    } finally {
      file.close();
    }
  }

  /** Gives back room that was taken. */
  release(): void {
    if (!this.exists) return;
    const file = this.#disk.open(this.#path);
    try {
      file.truncate(this.#load().length * ENTRY_BYTES);
    } finally {
      file.close();
    }
  }

  append(entry: AbortedTransaction): void {
    const entries = this.#load();
    const file = this.#disk.open(this.#path, { create: true });
    try {
      file.write([encodeEntry(entry)], entries.length * ENTRY_BYTES);
    } finally {
      file.close();
    }
    entries.push(entry);
  }

  /** Forgets the transactions that end at `offset` or later. */
  truncateTo(offset: number): void {
    const entries = this.#load();
    const kept = entries.filter((entry) => entry.lastOffset < offset);
    if (kept.length === entries.length) return;
    const file = this.#disk.open(this.#path, { create: true });
    try {
      file.truncate(kept.length * ENTRY_BYTES);
    } finally {
      file.close();
    }
    this.#entries = kept;
  }

  /** Forgets everything, the file too. */
  clear(): void {
    this.#disk.remove(this.#path);
    this.#entries = [];
  }

  async sync(): Promise<void> {
    if (!this.exists) return;
    const file = this.#disk.open(this.#path);
    try {
      await file.sync();
    } finally {
      file.close();
    }
  }

  renamed(path: string): void {
    this.#path = path;
  }

  #load(): AbortedTransaction[] {
    if (this.#entries !== null) return this.#entries;
    const bytes = this.#readFile();
    const entries: AbortedTransaction[] = [];
    for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) entries.push(decodeEntry(bytes, at));
    this.#entries = entries;
    return entries;
  }

  #readFile(): Buffer {
    if (!this.exists) return Buffer.alloc(0);
    const file = this.#disk.open(this.#path, { readOnly: true });
    try {
      const bytes = Buffer.alloc(file.size());
      return bytes.subarray(0, file.read(bytes, 0));
    } finally {
      file.close();
    }
  }
}

function decodeEntry(bytes: Uint8Array, at: number): AbortedTransaction {
  return {
    producerId: readInt64(bytes, at + 2),
    firstOffset: readInt64(bytes, at + 10),
    lastOffset: readInt64(bytes, at + 18),
    lastStableOffset: readInt64(bytes, at + 26),
  };
}

function encodeEntry(entry: AbortedTransaction): Buffer {
  const bytes = Buffer.alloc(ENTRY_BYTES);
  writeInt16(bytes, 0, VERSION);
  writeInt64(bytes, 2, entry.producerId);
  writeInt64(bytes, 10, entry.firstOffset);
  writeInt64(bytes, 18, entry.lastOffset);
  writeInt64(bytes, 26, entry.lastStableOffset);
  return bytes;
}
