import { assert } from '../base/assert.ts';
import type { Disk, DiskError, FileRegion } from '../base/disk.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { HeaderScan, LONG_SCAN_BYTES } from './header-scan.ts';
import { LogFile } from './log-file.ts';
import type { OpenLogFiles } from './open-log-files.ts';
import { OffsetIndex, type OffsetPosition, RELATIVE_OFFSET_MAX } from './offset-index.ts';
import { INDEX_SUFFIX, LOG_SUFFIX, pathOf, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX } from './segment-files.ts';
import { TimeIndex, type TimestampOffset } from './time-index.ts';
import { TransactionIndex } from './transaction-index.ts';

/** What a segment needs from its log. */
export interface SegmentContext {
  readonly disk: Disk;
  readonly directory: string;
  readonly indexIntervalBytes: () => number;
  readonly readFailed: (error: DiskError) => void;
  readonly openFiles: OpenLogFiles | null;
  /** An index was not what it must be and is being made again. */
  readonly indexRebuilt: (path: string) => void;
}

export interface BatchPlace {
  readonly position: number;
  readonly size: number;
}

/** Nothing is known of the largest timestamp yet. */
const UNKNOWN = -2;

/**
 * A piece of a log: batches in `.log`, and the indexes that make them quick to find. Only the last segment of a log is appended to. Everything here
 * follows Kafka's rules for when an index gets an entry, so that the files come out the same.
 */
export class LogSegment {
  readonly baseOffset: number;
  readonly createdMs: number;
  /** Taken off segment.ms, so that the segments of many partitions do not roll at once. */
  readonly rollJitterMs: number;
  readonly log: LogFile;
  readonly transactionIndex: TransactionIndex;
  /** Its files have other names by now, or none. */
  isDeleted = false;
  readonly #context: SegmentContext;
  #offsetIndex: OffsetIndex | null = null;
  #timeIndex: TimeIndex | null = null;
  #bytesSinceIndexEntry = 0;
  #maxTimestamp = UNKNOWN;
  #maxTimestampOffset = -1;
  #firstTimestamp: number | null = null;
  /** The last batch appended, so that a reader at the end needs no lookup; −1 if none was since opening. */
  #tailOffset = -1;
  #tailPosition = 0;

  constructor(
    context: SegmentContext,
    options: { readonly baseOffset: number; readonly createdMs: number; readonly rollJitterMs: number },
  ) {
    this.#context = context;
    this.baseOffset = options.baseOffset;
    this.createdMs = options.createdMs;
    this.rollJitterMs = options.rollJitterMs;
    this.log = LogFile.open(context.disk, this.#pathOf(LOG_SUFFIX), context.readFailed, context.openFiles);
    this.transactionIndex = new TransactionIndex(context.disk, this.#pathOf(TRANSACTION_INDEX_SUFFIX));
  }

  get sizeInBytes(): number {
    return this.log.sizeInBytes;
  }

  get offsetIndex(): OffsetIndex {
    if (this.#offsetIndex === null) this.#openIndexes();
    return this.#offsetIndex as OffsetIndex;
  }

  get timeIndex(): TimeIndex {
    if (this.#timeIndex === null) this.#openIndexes();
    return this.#timeIndex as TimeIndex;
  }

  /** The largest timestamp and the last offset of its batch; timestamp −1 if there is none. */
  get maxTimestamp(): TimestampOffset {
    this.#loadMaxTimestamp();
    return { timestamp: this.#maxTimestamp, offset: this.#maxTimestampOffset };
  }

  /** What retention by time goes by: the largest timestamp, or the age of a segment whose records have none. */
  get largestTimestampMs(): number {
    this.#loadMaxTimestamp();
    return this.#maxTimestamp >= 0 ? this.#maxTimestamp : this.createdMs;
  }

  /** The timestamp that segment.ms counts from: the largest of the first batch; −1 if there is none. */
  get firstTimestamp(): number {
    if (this.#firstTimestamp === null) {
      const scan = new HeaderScan(this.log, 0);
      this.#firstTimestamp = scan.next() ? scan.batch.maxTimestamp : null;
    }
    return this.#firstTimestamp ?? -1;
  }

  canHold(offset: number): boolean {
    const relative = offset - this.baseOffset;
    return relative >= 0 && relative <= RELATIVE_OFFSET_MAX;
  }

  isIndexFull(indexBytesMax: number): boolean {
    return this.offsetIndex.isFull(indexBytesMax) || this.timeIndex.isFull(indexBytesMax);
  }

  /** Learns from the files what appends go on from. */
  prepareAppend(): void {
    this.#loadMaxTimestamp();
  }

  /** Takes note of batches that were just appended to `log`. */
  noteAppended(batches: readonly RecordBatch[], startPosition: number): void {
    let position = startPosition;
    for (const batch of batches) {
      this.noteBatch(batch, position);
      position += batch.sizeInBytes;
    }
    assert(position === this.log.sizeInBytes, 'the batches make up the bytes');
  }

  /** Keeps indexes and timestamps in step with a batch at the end, at `position`. */
  noteBatch(batch: RecordBatch, position: number): void {
    const { lastOffset, maxTimestamp, sizeInBytes } = batch;
    assert(this.canHold(lastOffset), 'the offset fits the segment');
    if (maxTimestamp > this.#maxTimestamp) {
      this.#maxTimestamp = maxTimestamp;
      this.#maxTimestampOffset = lastOffset;
    }
    if (this.#bytesSinceIndexEntry > this.#context.indexIntervalBytes()) {
      this.offsetIndex.append(lastOffset, position);
      this.timeIndex.maybeAppend(this.#maxTimestamp, this.#maxTimestampOffset);
      this.#bytesSinceIndexEntry = 0;
    }
    this.#bytesSinceIndexEntry += sizeInBytes;
    this.#tailOffset = batch.baseOffset;
    this.#tailPosition = position;
    if (position === 0) this.#firstTimestamp = maxTimestamp;
  }

  /** The first batch whose last offset is `offset` or more; null if there is none. */
  find(offset: number): BatchPlace | null {
    if (this.#tailOffset >= 0 && offset >= this.#tailOffset) return this.#findFrom(this.#tailPosition, offset);
    const entry = this.offsetIndex.floor(offset);
    if (entry === null) return this.#findFrom(0, offset);
    if (this.#isEntryTrue(entry)) return this.#findFrom(entry.position, offset);
    this.rebuildIndexes();
    return this.find(offset);
  }

  #findFrom(position: number, offset: number): BatchPlace | null {
    const scan = new HeaderScan(this.log, position, { shared: true });
    while (scan.next()) {
      if (scan.batch.lastOffset >= offset) return { position: scan.position, size: scan.nextPosition - scan.position };
    }
    return null;
  }

  /** Whether an entry leads to a batch before which its offset cannot be. Indexes are not read when a log is opened, so this is where a wrong one shows. */
  #isEntryTrue({ offset, position }: OffsetPosition): boolean {
    const scan = new HeaderScan(this.log, position, { shared: true });
    return scan.next() && scan.batch.baseOffset >= this.baseOffset && scan.batch.lastOffset <= offset;
  }

  region(position: number, length: number): FileRegion {
    return this.log.region(position, length);
  }

  /** An offset that everything before byte `position` is below; null if the index does not say. */
  offsetAtOrBehind(position: number): number | null {
    return this.offsetIndex.offsetAtOrBehind(position);
  }

  /** The offset after the last whole batch. */
  readNextOffset(): number {
    return this.scanTail().nextOffset;
  }

  /** Where the whole batches end, by their headers, and the offset that follows. */
  scanTail(): { readonly nextOffset: number; readonly endPosition: number } {
    const last = this.offsetIndex.lastEntry;
    if (last !== null && !this.#isEntryTrue(last)) {
      this.rebuildIndexes();
      return this.scanTail();
    }
    const scan = new HeaderScan(this.log, last?.position ?? 0);
    let nextOffset = this.baseOffset;
    while (scan.next()) nextOffset = scan.batch.nextOffset;
    return { nextOffset, endPosition: scan.nextPosition };
  }

  /** Drops every batch that holds `offset` or more. Gives the number of bytes dropped. */
  truncateTo(offset: number): number {
    const place = this.find(offset);
    this.offsetIndex.truncateTo(offset);
    this.timeIndex.truncateTo(offset);
    this.transactionIndex.truncateTo(offset);
    const before = this.log.sizeInBytes;
    if (place !== null) this.log.truncate(place.position);
    this.#bytesSinceIndexEntry = 0;
    this.#tailOffset = -1;
    if (this.log.sizeInBytes === 0) this.#firstTimestamp = null;
    this.#maxTimestamp = UNKNOWN;
    this.#loadMaxTimestamp();
    return before - this.log.sizeInBytes;
  }

  /** The largest timestamp of an index entry, or of a batch behind the last entry. */
  #loadMaxTimestamp(): void {
    if (this.#maxTimestamp !== UNKNOWN) return;
    const last = this.timeIndex.last;
    const from = this.find(last.offset)?.position ?? 0;
    // A wrong index has been made again, and the timestamps with it.
    if (this.#maxTimestamp !== UNKNOWN) return;
    this.#maxTimestamp = last.timestamp;
    this.#maxTimestampOffset = last.offset;
    const scan = new HeaderScan(this.log, from);
    while (scan.next()) {
      if (scan.batch.maxTimestamp <= this.#maxTimestamp) continue;
      this.#maxTimestamp = scan.batch.maxTimestamp;
      this.#maxTimestampOffset = scan.batch.lastOffset;
    }
  }

  /** Empties indexes and what is known of timestamps, before all batches are noted again. */
  resetIndexes(): void {
    const { disk } = this.#context;
    this.#offsetIndex = OffsetIndex.create(disk, this.#pathOf(INDEX_SUFFIX), this.baseOffset);
    this.#timeIndex = TimeIndex.create(disk, this.#pathOf(TIME_INDEX_SUFFIX), this.baseOffset);
    this.#bytesSinceIndexEntry = 0;
    this.#maxTimestamp = -1;
    this.#maxTimestampOffset = this.baseOffset;
    this.#firstTimestamp = null;
    this.#tailOffset = -1;
  }

  /** Makes offset and time index again from the batches' headers. */
  rebuildIndexes(): void {
    this.#context.indexRebuilt(this.#pathOf(INDEX_SUFFIX));
    this.resetIndexes();
    const scan = new HeaderScan(this.log, 0, { blockBytes: LONG_SCAN_BYTES });
    while (scan.next()) this.noteBatch(scan.batch, scan.position);
    this.closeTimeIndex();
    this.writeIndexes();
  }

  /** Gives the time index its last entry. */
  closeTimeIndex(): void {
    this.#loadMaxTimestamp();
    if (this.#maxTimestamp >= 0) this.timeIndex.maybeAppend(this.#maxTimestamp, this.#maxTimestampOffset);
  }

  /** Brings the index files up to date. */
  writeIndexes(): void {
    this.#offsetIndex?.file.writeOut();
    this.#timeIndex?.file.writeOut();
  }

  /** No appends will come any more: brings the files up to date. */
  writeOut(): void {
    this.closeTimeIndex();
    this.writeIndexes();
  }

  /** Makes the segment durable as it is now, without its directory entry. */
  async sync(): Promise<void> {
    await this.log.sync();
    await this.syncIndexes();
  }

  async syncIndexes(): Promise<void> {
    for (const part of [this.offsetIndex.file, this.timeIndex.file, this.transactionIndex]) {
      if (this.isDeleted) return;
      await part.sync();
    }
  }

  /** The segment's files, whether they exist or not. */
  get files(): { readonly path: string; renamed(path: string): void }[] {
    const indexes = [this.#offsetIndex?.file, this.#timeIndex?.file];
    return [
      this.log,
      indexes[0] ?? { path: this.#pathOf(INDEX_SUFFIX), renamed: () => undefined },
      indexes[1] ?? { path: this.#pathOf(TIME_INDEX_SUFFIX), renamed: () => undefined },
      this.transactionIndex,
    ];
  }

  #openIndexes(): void {
    const { disk } = this.#context;
    const offsetIndex = OffsetIndex.open(disk, this.#pathOf(INDEX_SUFFIX), this.baseOffset);
    const timeIndex = TimeIndex.open(disk, this.#pathOf(TIME_INDEX_SUFFIX), this.baseOffset);
    const logBytes = this.log.sizeInBytes;
    if (offsetIndex?.isSane(logBytes, Infinity) && timeIndex?.isSane(Infinity)) {
      this.#offsetIndex = offsetIndex;
      this.#timeIndex = timeIndex;
    } else {
      this.rebuildIndexes();
    }
  }

  #pathOf(suffix: string): string {
    return pathOf(this.#context.directory, this.baseOffset, suffix);
  }
}
