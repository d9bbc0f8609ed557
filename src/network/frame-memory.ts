import { assert } from '../base/assert.ts';

/** Sizes that are kept for reuse: powers of two with an eighth more, because batches come in powers of two and a request holds a little beside them. */
const SIZES: readonly number[] = [36, 72, 144, 288, 576, 1152].map((kibibytes) => kibibytes * 1024);
/** Of what is kept for reuse. */
export const LARGEST_REUSED_BYTES = SIZES[SIZES.length - 1] ?? 0;
/** Requests of at least so many bytes are worth it: below, new memory costs less than keeping track of old. */
export const REUSED_BYTES_MIN = 16 * 1024;
/** Free memory that waits for the next frame. */
const FREE_BYTES_MAX = 8 * 1024 * 1024;

/**
 * Memory for frames. A frame of some size is memory outside of the collector's heap; allocating it anew each time makes the collector run for nothing
 * else. So whoever is sure that nobody looks at a frame any more gives it back, and the next one lies in the same place. A frame that is not
 * given back is collected as anything else.
 */
export class FrameMemory {
  readonly #free: ArrayBufferLike[][] = SIZES.map(() => []);
  #freeBytes = 0;

  /** At least `bytes` of memory with any content. */
  take(bytes: number): Buffer {
    if (bytes < REUSED_BYTES_MIN || bytes > LARGEST_REUSED_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const at = sizeFor(bytes);
    const memory = this.#free[at]?.pop();
    if (memory === undefined) return Buffer.allocUnsafeSlow(SIZES[at] ?? bytes);
    this.#freeBytes -= memory.byteLength;
    return Buffer.from(memory);
  }

  /** Whether `take` needs no new memory for so many bytes. */
  hasFree(bytes: number): boolean {
    return bytes >= REUSED_BYTES_MIN && bytes <= LARGEST_REUSED_BYTES && this.#free[sizeFor(bytes)]?.length !== 0;
  }

  /** Takes back what `take` gave, or a view of its start. Nobody may look at it from now on. */
  giveBack(frame: Buffer): void {
    const { buffer } = frame;
    const free = this.#free[SIZES.indexOf(buffer.byteLength)];
    // Small frames share memory and never start it; memory of a size that is not kept has none of these.
    if (free === undefined || frame.byteOffset !== 0) return;
    assert(!free.includes(buffer), 'a frame is given back once');
    if (this.#freeBytes + buffer.byteLength > FREE_BYTES_MAX) return;
    free.push(buffer);
    this.#freeBytes += buffer.byteLength;
  }
}

function sizeFor(bytes: number): number {
  return SIZES.findIndex((size) => size >= bytes);
}
