import type { Disk, DiskFile } from '../base/disk.ts';
import { assert } from '../base/assert.ts';
import { PageStarts } from './page-starts.ts';

/** Entries that are kept in memory before they are written: one write for many small appends. */
const TAIL_ENTRIES_MAX = 512;
const TAIL_ENTRIES_MIN = 16;
/** Entries that one read of a lookup brings; with an entry each 4 KiB they cover 2 MiB of log. */
export const PAGE_ENTRIES = 512;

/**
 * A file of entries of one size, appended in order: what offset and time index have in common.
 *
 * The newest entries wait in memory (`writeOut` writes them: at roll, at close, and whenever 512 are waiting), because an index can always be made
 * again from the log. Lookups read pages; the last page is kept, and the first entry of each. No file stays open between calls, so that thousands of closed segments cost no
 * descriptors.
 *
 * Kafka grows the index of an active segment to its largest size beforehand and leaves the zeros there when it is killed: entries that are all zero at the
 * end do not count.
 */
export class IndexFile {
  readonly entryBytes: number;
  #path: string;
  readonly #disk: Disk;
  #fileEntries: number;
  #tail: Buffer;
  #tailEntries = 0;
  #page: Buffer | null = null;
  #pageFirst = 0;
  #pageEntries = 0;
  #pageStarts: PageStarts | null = null;
  #isUnsynced = false;
  /** The file ends with its last entry: no room that Kafka keeps is behind it. */
  #isCut = false;
  /** Where `locate` found the entry. */
  view: Buffer;

  private constructor(disk: Disk, path: string, entryBytes: number, fileEntries: number) {
    this.#disk = disk;
    this.#path = path;
    this.entryBytes = entryBytes;
    this.#fileEntries = fileEntries;
    this.#tail = Buffer.alloc(TAIL_ENTRIES_MIN * entryBytes);
    this.view = this.#tail;
  }

  /** An empty index in a new file. An existing file loses its content. */
  static create(disk: Disk, path: string, entryBytes: number): IndexFile {
    const file = disk.open(path, { create: true });
    try {
      if (file.size() > 0) file.truncate(0);
    } finally {
      file.close();
    }
    const index = new IndexFile(disk, path, entryBytes, 0);
    index.#isUnsynced = true;
    index.#isCut = true;
    return index;
  }

  /** Null if the file is missing or cannot be an index (its size is not a whole number of entries). */
  static open(disk: Disk, path: string, entryBytes: number): IndexFile | null {
    if (!disk.exists(path)) return null;
    const file = disk.open(path, { readOnly: true });
    try {
      const size = file.size();
      if (size % entryBytes !== 0) return null;
      const index = new IndexFile(disk, path, entryBytes, countUsedEntries(file, size / entryBytes, entryBytes));
      index.#isCut = size === index.sizeInBytes;
      return index;
    } finally {
      file.close();
    }
  }

  get path(): string {
    return this.#path;
  }

  get count(): number {
    return this.#fileEntries + this.#tailEntries;
  }

  get sizeInBytes(): number {
    return this.count * this.entryBytes;
  }

  /** Makes room for one more entry; the caller fills it at the returned position of `view`. */
  append(): number {
    if (this.#tailEntries * this.entryBytes === this.#tail.length) this.#growOrWriteOut();
    const at = this.#tailEntries * this.entryBytes;
    this.#tailEntries++;
    this.view = this.#tail;
    return at;
  }

  /** Finds entry `index`; it lies at the returned position of `view` until the next call. */
  locate(index: number): number {
    assert(index >= 0 && index < this.count, 'an index entry that exists is asked for');
    if (index >= this.#fileEntries) {
      this.view = this.#tail;
      return (index - this.#fileEntries) * this.entryBytes;
    }
    if (this.#page === null || index < this.#pageFirst || index >= this.#pageFirst + this.#pageEntries) {
      const starts = this.#pageStarts;
      const at = starts === null || index % PAGE_ENTRIES !== 0 ? -1 : starts.locate(index / PAGE_ENTRIES);
      if (starts !== null && at >= 0) {
        this.view = starts.view;
        return at;
      }
      this.#readPage(index);
    }
    this.view = this.#page ?? this.#tail;
    return (index - this.#pageFirst) * this.entryBytes;
  }

  /** The range of entries in memory around the last lookup, for trying there first; empty if there is none. */
  get cachedRange(): { readonly first: number; readonly end: number } {
    return { first: this.#pageFirst, end: this.#pageFirst + this.#pageEntries };
  }

  get tailRange(): { readonly first: number; readonly end: number } {
    return { first: this.#fileEntries, end: this.count };
  }

  /** Forgets all entries from `count` on, in memory and in the file. */
  truncate(count: number): void {
    if (count >= this.count) return;
    if (count >= this.#fileEntries) {
      this.#tailEntries = count - this.#fileEntries;
      return;
    }
    this.#tailEntries = 0;
    this.#fileEntries = count;
    this.#forgetPage();
    this.#pageStarts = null;
    this.#withFile((file) => file.truncate(count * this.entryBytes));
    this.#isUnsynced = true;
  }

  /** Brings the file up to date, cut to its entries. */
  writeOut(): void {
    if (this.#isCut && this.#tailEntries === 0) return;
    this.#withFile((file) => {
      this.#writeTail(file);
      this.#isCut = true;
      if (file.size() === this.sizeInBytes) return;
      file.truncate(this.sizeInBytes);
      this.#isUnsynced = true;
    });
  }

  /** Makes the file durable as it is now; what waits in memory is written first. */
  async sync(): Promise<void> {
    if (!this.#isUnsynced && this.#tailEntries === 0) return;
    const file = this.#disk.open(this.#path, { create: true });
    try {
      this.#writeTail(file);
      this.#isUnsynced = false;
      await file.sync();
    } finally {
      file.close();
    }
  }

  /** The file now has another name; nothing is held open. */
  renamed(path: string): void {
    this.#path = path;
  }

  #growOrWriteOut(): void {
    if (this.#tailEntries < TAIL_ENTRIES_MAX) {
      const grown = Buffer.alloc(this.#tail.length * 2);
      this.#tail.copy(grown);
      this.#tail = grown;
      return;
    }
    this.#withFile((file) => this.#writeTail(file));
  }

  #writeTail(file: DiskFile): void {
    if (this.#tailEntries === 0) return;
    const used = this.#tail.subarray(0, this.#tailEntries * this.entryBytes);
    file.write([used], this.#fileEntries * this.entryBytes);
    this.#isUnsynced = true;
    this.#fileEntries += this.#tailEntries;
    this.#tailEntries = 0;
    this.#forgetPage();
  }

  #readPage(index: number): void {
    const first = index - (index % PAGE_ENTRIES);
    const entries = Math.min(PAGE_ENTRIES, this.#fileEntries - first);
    const page = this.#page ?? Buffer.alloc(PAGE_ENTRIES * this.entryBytes);
    this.#withFile((file) => {
      const count = file.read(page.subarray(0, entries * this.entryBytes), first * this.entryBytes);
      assert(count === entries * this.entryBytes, `${this.#path} holds the entries it was opened with`);
    });
    (this.#pageStarts ??= new PageStarts(this.entryBytes)).note(first / PAGE_ENTRIES, page);
    this.#page = page;
    this.#pageFirst = first;
    this.#pageEntries = entries;
  }

  #forgetPage(): void {
    this.#page = null;
    this.#pageFirst = 0;
    this.#pageEntries = 0;
  }

  #withFile(use: (file: DiskFile) => void): void {
    const file = this.#disk.open(this.#path, { create: true });
    try {
      use(file);
    } finally {
      file.close();
    }
  }
}

/** The number of entries before the zeros at the end. */
function countUsedEntries(file: DiskFile, entries: number, entryBytes: number): number {
  const entry = Buffer.alloc(entryBytes);
  const isUsed = (index: number): boolean => {
    file.read(entry, index * entryBytes);
    return entry.some((byte) => byte !== 0);
  };
  if (entries === 0 || isUsed(entries - 1)) return entries;
  let low = 0;
  let high = entries - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isUsed(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
