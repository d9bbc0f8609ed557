import type { Disk } from '../base/disk.ts';
import type { ProducerSnapshotEntry } from './producer-entry.ts';
import { decodeProducerSnapshot, encodeProducerSnapshot } from './producer-snapshot.ts';
import { offsetOfFile, pathOf, SNAPSHOT_SUFFIX } from './segment-files.ts';
import { readSmallFile, replaceSmallFile, replaceSmallFileLater } from './small-file.ts';

/** The snapshot files of one partition, by the offset that each is named after. */
export class ProducerSnapshots {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #written: (path: string) => void;
  #offsets: number[] = [];

  /** `written` is told the path of a file whose content is not durable yet. */
  constructor(disk: Disk, directory: string, written: (path: string) => void) {
    this.#disk = disk;
    this.#directory = directory;
    this.#written = written;
  }

  /** In rising order. */
  get offsets(): readonly number[] {
    return this.#offsets;
  }

  /** −1 if there is none. */
  get latestOffset(): number {
    return this.#offsets.at(-1) ?? -1;
  }

  /** Takes the files that are in the directory. */
  found(fileNames: readonly string[]): void {
    const offsets = fileNames.filter((name) => name.endsWith(SNAPSHOT_SUFFIX)).map(offsetOfFile);
    this.#offsets = offsets.filter((offset) => offset !== null).sort((a, b) => a - b);
  }

  write(offset: number, entries: readonly ProducerSnapshotEntry[]): void {
    const path = this.#pathOf(offset);
    replaceSmallFile(this.#disk, path, encodeProducerSnapshot(entries), { durable: false });
    this.#written(path);
    this.#note(offset);
  }

  /** The same off the event loop. `isWanted` is asked at the last moment. */
  async writeLater(
    offset: number,
    { entries, isWanted }: { readonly entries: readonly ProducerSnapshotEntry[]; readonly isWanted: () => boolean },
  ): Promise<void> {
    const path = this.#pathOf(offset);
    await replaceSmallFileLater(this.#disk, path, { bytes: encodeProducerSnapshot(entries), isWanted, durable: false });
    if (!isWanted()) return;
    this.#written(path);
    this.#note(offset);
  }

  #note(offset: number): void {
    if (!this.#offsets.includes(offset)) this.#offsets = [...this.#offsets, offset].sort((a, b) => a - b);
  }

  /** The newest readable snapshot. Unreadable ones are removed: the state comes from an older one and the log. */
  loadLatest(): { readonly offset: number; readonly entries: readonly ProducerSnapshotEntry[] } | null {
    for (let offset = this.#offsets.at(-1); offset !== undefined; offset = this.#offsets.at(-1)) {
      const bytes = readSmallFile(this.#disk, this.#pathOf(offset));
      const entries = bytes === null ? null : decodeProducerSnapshot(bytes);
      if (entries !== null) return { offset, entries };
      this.remove(offset);
    }
    return null;
  }

  keepOnly(isKept: (offset: number) => boolean): void {
    for (const offset of this.#offsets) if (!isKept(offset)) this.remove(offset);
  }

  remove(offset: number): void {
    this.#disk.remove(this.#pathOf(offset));
    this.forget(offset);
  }

  /** The file went with its segment. */
  forget(offset: number): void {
    this.#offsets = this.#offsets.filter((known) => known !== offset);
  }

  /**
   * Removes what only an unclean stop can have left: snapshots that are not at the start of a segment, except the newest of all if it is behind the last segment's
   * start (that of the log end).
   */
  removeStrays(segmentOffsets: ReadonlySet<number>): void {
    const lastSegment = Math.max(...segmentOffsets);
    const newestStray = this.#offsets.findLast((offset) => !segmentOffsets.has(offset));
    this.keepOnly((offset) => segmentOffsets.has(offset) || (offset === newestStray && offset > lastSegment));
  }

  #pathOf(offset: number): string {
    return pathOf(this.#directory, offset, SNAPSHOT_SUFFIX);
  }
}
