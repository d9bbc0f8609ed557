import type { EpochFile } from './epoch-file.ts';
import type { LogContext } from './log-context.ts';
import type { LogSegment } from './log-segment.ts';
import { isOffsetOnly, type LogOffsetMetadata, offsetOnly } from './offset-metadata.ts';
import type { ProducerStateManager } from './producer-state-manager.ts';
import type { SegmentList } from './segment-list.ts';

/** Closed segments of one log whose files stay open between reads; a consumer that catches up reads one after the other. */
const OPEN_SEGMENTS_MAX = 4;

export interface LoadedLog {
  readonly context: LogContext;
  readonly segments: SegmentList;
  readonly epochs: EpochFile;
  readonly producers: ProducerStateManager;
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly recoveryPoint: number;
}

/**
 * The offsets of one log, which always stand in this order: log start ≤ last stable ≤ high watermark ≤ log end; and the parts they are about.
 */
export class LogState {
  readonly context: LogContext;
  readonly segments: SegmentList;
  readonly epochs: EpochFile;
  readonly producers: ProducerStateManager;
  /** Everything below was synced. */
  recoveryPoint: number;
  /** Counts truncations: whoever waited for something must look whether the log is still the same. */
  truncations = 0;
  #logStartOffset: number;
  #logEnd: LogOffsetMetadata;
  #highWatermark: LogOffsetMetadata;
  #firstUnstable: LogOffsetMetadata | null = null;
  /** Closed segments whose file is open, the one read last at the end. */
  #readSegments: LogSegment[] = [];

  constructor(loaded: LoadedLog) {
    this.context = loaded.context;
    this.segments = loaded.segments;
    this.epochs = loaded.epochs;
    this.producers = loaded.producers;
    this.recoveryPoint = loaded.recoveryPoint;
    this.#logStartOffset = loaded.logStartOffset;
    this.#logEnd = this.#endAt(loaded.logEndOffset);
    this.#highWatermark = offsetOnly(loaded.logStartOffset);
    this.producersMoved();
  }

  get logStartOffset(): number {
    return this.#logStartOffset;
  }

  get logEndOffset(): number {
    return this.#logEnd.offset;
  }

  get logEnd(): LogOffsetMetadata {
    return this.#logEnd;
  }

  get highWatermark(): number {
    return this.#highWatermark.offset;
  }

  get lastStableOffset(): number {
    const first = this.#firstUnstable;
    return first !== null && first.offset < this.#highWatermark.offset ? first.offset : this.#highWatermark.offset;
  }

  get highWatermarkMetadata(): LogOffsetMetadata {
    if (isOffsetOnly(this.#highWatermark)) this.#highWatermark = this.locate(this.#highWatermark.offset);
    return this.#highWatermark;
  }

  get lastStableMetadata(): LogOffsetMetadata {
    const first = this.#firstUnstable;
    if (first === null || first.offset >= this.#highWatermark.offset) return this.highWatermarkMetadata;
    if (!isOffsetOnly(first)) return first;
    const found = this.locate(first.offset);
    this.#firstUnstable = found;
    return found;
  }

  /** A closed segment is being read: its file stays open for the next reads, those of others read long ago do not. */
  reading(segment: LogSegment): void {
    if (segment === this.segments.active || this.#readSegments.at(-1) === segment) return;
    this.#readSegments = [...this.#readSegments.filter((other) => other !== segment), segment];
    if (this.#readSegments.length > OPEN_SEGMENTS_MAX) this.#readSegments.shift()?.log.releaseHandle();
  }

  /** The log now ends here, in its active segment. */
  setLogEnd(offset: number): void {
    this.#logEnd = this.#endAt(offset);
    if (this.#highWatermark.offset > offset) this.setHighWatermark(this.#logEnd);
    if (this.recoveryPoint > offset) this.recoveryPoint = offset;
  }

  /** The log is empty and starts here. */
  restartAt(offset: number): void {
    this.#logStartOffset = offset;
    this.#firstUnstable = null;
    this.recoveryPoint = offset;
    this.#logEnd = this.#endAt(offset);
    this.#highWatermark = this.#logEnd;
  }

  /** Takes a new high watermark, forced into the log's bounds. Gives whether it moved. */
  setHighWatermark(wanted: LogOffsetMetadata): boolean {
    const before = this.#highWatermark.offset;
    this.#highWatermark = this.#bounded(wanted);
    if (this.#highWatermark.offset === before) return false;
    this.producers.highWatermarkMoved(this.#highWatermark.offset);
    this.producersMoved();
    return true;
  }

  #bounded(wanted: LogOffsetMetadata): LogOffsetMetadata {
    if (wanted.offset >= this.#logEnd.offset) return this.#logEnd;
    return wanted.offset < this.#logStartOffset ? offsetOnly(this.#logStartOffset) : wanted;
  }

  setLogStart(offset: number): void {
    this.#logStartOffset = offset;
    if (this.#highWatermark.offset < offset) this.setHighWatermark(offsetOnly(offset));
    this.producersMoved();
  }

  /** Transactions began or ended: the last stable offset may be another. */
  producersMoved(): void {
    const first = this.producers.firstUnstableOffset;
    if (first === null) {
      this.#firstUnstable = null;
      return;
    }
    const offset = Math.max(first, this.#logStartOffset);
    if (this.#firstUnstable?.offset !== offset) this.#firstUnstable = offsetOnly(offset);
  }

  /** Places learned before a truncation may hold other batches now. */
  forgetPlaces(): void {
    this.#highWatermark = this.#bounded(offsetOnly(this.#highWatermark.offset));
    if (this.#firstUnstable !== null) this.#firstUnstable = offsetOnly(this.#firstUnstable.offset);
  }

  /** Finds where an offset is: the start of the batch that holds it, or the place where it will be written. */
  locate(offset: number): LogOffsetMetadata {
    if (offset === this.#logEnd.offset) return this.#logEnd;
    const from = Math.max(0, this.segments.indexOf(offset));
    for (let index = from; index < this.segments.count; index++) {
      const segment = this.segments.at(index);
      const place = segment?.find(offset) ?? null;
      if (segment !== null && place !== null) {
        return { offset, segmentBaseOffset: segment.baseOffset, positionInSegment: place.position };
      }
    }
    return { ...this.#logEnd, offset };
  }

  #endAt(offset: number): LogOffsetMetadata {
    const { active } = this.segments;
    return { offset, segmentBaseOffset: active.baseOffset, positionInSegment: active.sizeInBytes };
  }
}
