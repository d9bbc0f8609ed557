import { assert } from '../base/assert.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';

const LENGTH_BYTES = 4;
/** Chunks below this are copied together while a frame is incomplete: each chunk costs some hundred bytes by itself. */
const SMALL_CHUNK_BYTES = 1024;
const TAIL_BYTES_MIN = 512;
const TAIL_BYTES_MAX = 16 * 1024;
/** Frames from here on get their final memory when half of their bytes are there; shorter ones when all are. */
const EARLY_JOIN_BYTES = 128 * 1024;

/**
 * Cuts a stream of bytes into frames: four bytes of length (big-endian, signed) and as many of content.
 *
 * A claimed length costs nothing: memory grows with the bytes that have come, to at most twice as much and 16 KiB. A frame that
 * came in one chunk is a view of it.
 */
export class FrameSplitter {
  readonly #maxFrameBytes: number;
  /** What has come and belongs to no frame yet, except what is in `#joined`. */
  #chunks: Uint8Array[] = [];
  #chunksBytes = 0;
  /** The last chunk, when it is one of ours with room in it. */
  #tail: { readonly memory: Buffer; used: number } | null = null;
  /** Content length of the frame under way; -1 before it is known. */
  #frameLength = -1;
  #joined: Buffer | null = null;
  #joinedBytes = 0;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Bytes that have come and have not left in a frame. */
  get bufferedBytes(): number {
    return this.#chunksBytes + this.#joinedBytes;
  }

  /** Takes bytes in. They belong to the splitter, and to the frames that it gives, from now on. */
  push(chunk: Uint8Array): void {
    const rest = this.#joined === null ? chunk : this.#fill(this.#joined, chunk);
    if (rest.byteLength === 0) return;
    if (this.#chunksBytes > 0 && rest.byteLength < SMALL_CHUNK_BYTES) this.#pushSmall(rest);
    else this.#pushWhole(rest);
    this.#chunksBytes += rest.byteLength;
  }

  /** The content of the next frame, or null until all of it has come. Throws ProtocolError for a length that is not allowed. */
  next(): Buffer | null {
    if (this.#frameLength < 0) {
      if (this.#chunksBytes < LENGTH_BYTES) return null;
      this.#frameLength = this.#checked(this.#take(LENGTH_BYTES).readInt32BE(0));
    }
    if (this.bufferedBytes < this.#frameLength) {
      this.#joinEarly();
      return null;
    }
    return this.#finish();
  }

  #checked(length: number): number {
    if (length >= 0 && length <= this.#maxFrameBytes) return length;
    throw new ProtocolError(`A frame cannot have ${length} bytes; ${this.#maxFrameBytes} are allowed`);
  }

  #finish(): Buffer {
    const length = this.#frameLength;
    this.#frameLength = -1;
    const joined = this.#joined;
    if (joined === null) return this.#take(length);
    assert(this.#joinedBytes === length, 'an early joined frame is filled to its end');
    this.#joined = null;
    this.#joinedBytes = 0;
    return joined;
  }

  #joinEarly(): void {
    const length = this.#frameLength;
    if (this.#joined !== null || length < EARLY_JOIN_BYTES || this.#chunksBytes < length / 2) return;
    const joined = Buffer.allocUnsafeSlow(length);
    for (const chunk of this.#chunks) {
      joined.set(chunk, this.#joinedBytes);
      this.#joinedBytes += chunk.byteLength;
    }
    this.#joined = joined;
    this.#chunks = [];
    this.#chunksBytes = 0;
    this.#tail = null;
  }

  /** Copies what belongs to the frame under way, gives back the rest. */
  #fill(joined: Buffer, chunk: Uint8Array): Uint8Array {
    const count = Math.min(chunk.byteLength, joined.byteLength - this.#joinedBytes);
    joined.set(count === chunk.byteLength ? chunk : chunk.subarray(0, count), this.#joinedBytes);
    this.#joinedBytes += count;
    return chunk.subarray(count);
  }

  #pushWhole(chunk: Uint8Array): void {
    this.#tail = null;
    this.#chunks.push(chunk);
  }

  #pushSmall(chunk: Uint8Array): void {
    let tail = this.#tail;
    if (tail === null || tail.memory.byteLength - tail.used < chunk.byteLength) {
      const room = Math.min(TAIL_BYTES_MAX, Math.max(TAIL_BYTES_MIN, this.#chunksBytes, 2 * chunk.byteLength));
      tail = { memory: Buffer.allocUnsafeSlow(room), used: 0 };
      this.#chunks.push(tail.memory.subarray(0, 0));
    }
    const start = tail.used;
    tail.memory.set(chunk, start);
    tail.used += chunk.byteLength;
    const last = this.#chunks.pop();
    assert(last !== undefined, 'the tail is the last chunk');
    // The front of the tail may have been taken already.
    this.#chunks.push(tail.memory.subarray(start - last.byteLength, tail.used));
    this.#tail = tail;
  }

  /** The next bytes, which are there: a view of one chunk where they lie in one, otherwise a copy. */
  #take(length: number): Buffer {
    this.#chunksBytes -= length;
    const first = this.#chunks[0];
    if (length === 0 || first === undefined) return Buffer.alloc(0);
    if (first.byteLength >= length) {
      if (first.byteLength === length) this.#dropChunks(1);
      else this.#chunks[0] = first.subarray(length);
      return Buffer.from(first.buffer, first.byteOffset, length);
    }
    return this.#copy(length);
  }

  #copy(length: number): Buffer {
    const target = Buffer.allocUnsafe(length);
    let filled = 0;
    let used = 0;
    while (filled < length) {
      const chunk = this.#chunks[used];
      assert(chunk !== undefined, 'the bytes to take have come');
      const piece = chunk.subarray(0, length - filled);
      target.set(piece, filled);
      filled += piece.byteLength;
      if (piece.byteLength < chunk.byteLength) {
        this.#chunks[used] = chunk.subarray(piece.byteLength);
        break;
      }
      used++;
    }
    this.#dropChunks(used);
    return target;
  }

  #dropChunks(count: number): void {
    if (count === this.#chunks.length) {
      this.#chunks = [];
      this.#tail = null;
    } else {
      this.#chunks.splice(0, count);
    }
  }
}
