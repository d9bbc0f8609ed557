import { assert } from '../base/assert.ts';
import type { LogSegment } from './log-segment.ts';

/** The segments of a log in order of their base offsets; the last one is written to. Never empty once the log is open. */
export class SegmentList {
  #segments: LogSegment[] = [];

  get all(): readonly LogSegment[] {
    return this.#segments;
  }

  get count(): number {
    return this.#segments.length;
  }

  get active(): LogSegment {
    const last = this.#segments.at(-1);
    assert(last !== undefined, 'a log has a segment');
    return last;
  }

  get first(): LogSegment {
    const [first] = this.#segments;
    assert(first !== undefined, 'a log has a segment');
    return first;
  }

  get sizeInBytes(): number {
    let size = 0;
    for (const segment of this.#segments) size += segment.sizeInBytes;
    return size;
  }

  /** The place of the segment that holds `offset`; −1 if it lies before the first. */
  indexOf(offset: number): number {
    let low = 0;
    let high = this.#segments.length;
    // Most readers are in the last segment.
    if (high > 0 && this.active.baseOffset <= offset) return high - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const segment = this.#segments[middle];
      if (segment !== undefined && segment.baseOffset <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  at(index: number): LogSegment | null {
    return this.#segments[index] ?? null;
  }

  /** The segment that holds `offset`; null if it lies before the first. */
  floor(offset: number): LogSegment | null {
    return this.#segments[this.indexOf(offset)] ?? null;
  }

  /** The segments that hold offsets in [`from`, `to`). */
  between(from: number, to: number): LogSegment[] {
    return this.#segments.slice(Math.max(0, this.indexOf(from))).filter((segment) => segment.baseOffset < to);
  }

  next(segment: LogSegment): LogSegment | null {
    return this.#segments[this.#segments.indexOf(segment) + 1] ?? null;
  }

  add(segment: LogSegment): void {
    const before = this.indexOf(segment.baseOffset);
    assert(this.#segments[before]?.baseOffset !== segment.baseOffset, 'a base offset has one segment');
    this.#segments.splice(before + 1, 0, segment);
  }

  remove(segment: LogSegment): void {
    this.#segments = this.#segments.filter((other) => other !== segment);
  }
}
