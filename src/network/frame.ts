import { readInt32 } from '../base/bytes/big-endian.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { FrameMemory, LARGEST_REUSED_BYTES, REUSED_BYTES_MIN } from './frame-memory.ts';

const LENGTH_BYTES = 4;
/** What a frame gets that has just begun. */
const PARTIAL_BYTES_MIN = 512;

/** Small frames that come together lie in one piece of memory, up to so much: who keeps one of them keeps that. */
const SHARED_BYTES_MAX = 32 * 1024;

export interface FrameSplitterOptions {
  /** Shared with others, if frames are given back. */
  readonly memory?: FrameMemory;
  /** For a frame that claims at most so many bytes all memory is taken at once: the sender is trusted so far. */
  readonly trustedBytes?: number;
}

/**
 * Cuts a stream of bytes into frames: four bytes of length (big-endian, signed) and as many of content. Frames have memory of their own.
 *
 * A claimed length costs nothing: memory grows with the bytes that have come, to at most twice as much (and up to the next size that is kept for
 * reuse), or is some that was there anyway. A frame that is larger than any of these sizes comes in pieces, which are put together at its end.
 */
export class FrameSplitter {
  readonly #maxFrameBytes: number;
  readonly #trustedBytes: number;
  readonly #memory: FrameMemory;
  /** Whole frames that have not been asked for. */
  readonly #frames: Buffer[] = [];
  #framesBytes = 0;
  /** The frame under way: how many bytes of its length have come, the length so far, and its content. */
  #lengthBytes = 0;
  #length = 0;
  #content: Buffer | null = null;
  #contentBytes = 0;
  /** Of a frame that comes in pieces: those that are full, all of one size. */
  #pieces: Buffer[] = [];
  #refusal: ProtocolError | null = null;

  constructor(maxFrameBytes: number, { memory = new FrameMemory(), trustedBytes = 0 }: FrameSplitterOptions = {}) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#memory = memory;
    this.#trustedBytes = trustedBytes;
  }

  /** Bytes of content that have come and have not left in a frame. */
  get bufferedBytes(): number {
    return this.#framesBytes + this.#contentBytes;
  }

  /** Memory of what has come and has not left in a frame. */
  get heldBytes(): number {
    return this.#framesBytes + this.#pieces.length * LARGEST_REUSED_BYTES + (this.#content?.byteLength ?? 0);
  }

  /** The length of the frame that has begun and is not whole; 0 if there is none. */
  get lengthUnderWay(): number {
    return this.#lengthBytes === LENGTH_BYTES ? this.#length : 0;
  }

  /** Takes bytes in, all of which are copied. What comes behind a length that is not allowed is dropped. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.byteLength && this.#refusal === null) {
      if (this.#lengthBytes === 0) at = this.#takeSmallFrames(chunk, at);
      if (at < chunk.byteLength) at = this.#takePart(chunk, at);
    }
  }

  /** The content of the next frame, or null until all of it has come. Throws ProtocolError for a length that is not allowed. */
  next(): Buffer | null {
    const frame = this.#frames.shift();
    if (frame !== undefined) {
      this.#framesBytes -= frame.byteLength;
      return frame;
    }
    if (this.#refusal !== null) throw this.#refusal;
    return null;
  }

  /** Nobody looks at the frame any more: its memory may be used for another one. */
  giveBack(frame: Buffer): void {
    this.#memory.giveBack(frame);
  }

  /** Small frames that are whole in the chunk share memory. Gives the place of the first byte behind them. */
  #takeSmallFrames(chunk: Uint8Array, start: number): number {
    let end = start;
    const last = Math.min(chunk.byteLength, start + SHARED_BYTES_MAX);
    const longest = Math.min(this.#maxFrameBytes, REUSED_BYTES_MIN - 1);
    while (last - end >= LENGTH_BYTES) {
      const length = readInt32(chunk, end);
      if (length < 0 || length > longest || end + LENGTH_BYTES + length > last) break;
      end += LENGTH_BYTES + length;
    }
    if (end === start) return end;
    const memory = Buffer.allocUnsafeSlow(end - start);
    memory.set(start === 0 && end === chunk.byteLength ? chunk : chunk.subarray(start, end));
    for (let at = 0; at < memory.byteLength; ) {
      const content = at + LENGTH_BYTES;
      at = content + readInt32(memory, at);
      this.#deliver(memory.subarray(content, at));
    }
    return end;
  }

  /** Takes what belongs to the frame under way. Gives the place of the first byte behind that. */
  #takePart(chunk: Uint8Array, start: number): number {
    let at = start;
    while (this.#lengthBytes < LENGTH_BYTES) {
      const byte = chunk[at++];
      if (byte === undefined) return chunk.byteLength;
      this.#length = (this.#length << 8) | byte;
      this.#lengthBytes++;
    }
    if (this.#length < 0 || this.#length > this.#maxFrameBytes) {
      this.#refusal = new ProtocolError(`A frame cannot have ${this.#length} bytes; ${this.#maxFrameBytes} are allowed`);
      return chunk.byteLength;
    }
    return this.#comesInPieces ? this.#takeIntoPiece(chunk, at) : this.#takeIntoContent(chunk, at);
  }

  get #comesInPieces(): boolean {
    return this.#length > LARGEST_REUSED_BYTES && this.#length > this.#trustedBytes;
  }

  #takeIntoContent(chunk: Uint8Array, at: number): number {
    const count = Math.min(this.#length - this.#contentBytes, chunk.byteLength - at);
    const content = this.#contentFor(this.#contentBytes + count);
    content.set(count === chunk.byteLength ? chunk : chunk.subarray(at, at + count), this.#contentBytes);
    this.#contentBytes += count;
    if (this.#contentBytes === this.#length) this.#finish(content);
    return at + count;
  }

  /** The content of the frame under way, with room for so many bytes. */
  #contentFor(bytes: number): Buffer {
    const old = this.#content;
    if (old !== null && old.byteLength >= bytes) return old;
    const length = this.#length;
    const isTakenWhole = length <= this.#trustedBytes || this.#memory.hasFree(length);
    const content = this.#memory.take(isTakenWhole ? length : Math.min(length, Math.max(PARTIAL_BYTES_MIN, 2 * bytes)));
    this.#moveInto(content, this.#contentBytes);
    return content;
  }

  /** Copies what the content has so far into memory that takes its place. */
  #moveInto(content: Buffer, bytes: number): void {
    if (this.#content !== null) {
      content.set(this.#content.subarray(0, bytes));
      this.#memory.giveBack(this.#content);
    }
    this.#content = content;
  }

  /** The first piece grows as any content does; the others are taken whole. */
  #takeIntoPiece(chunk: Uint8Array, at: number): number {
    const pieceStart = this.#pieces.length * LARGEST_REUSED_BYTES;
    const start = this.#contentBytes - pieceStart;
    const isLast = this.#length - pieceStart <= LARGEST_REUSED_BYTES;
    const room = isLast ? this.#length - pieceStart : LARGEST_REUSED_BYTES;
    const count = Math.min(room - start, chunk.byteLength - at);
    const needed = start + count;
    if (this.#content === null || this.#content.byteLength < needed) {
      const bytes =
        pieceStart > 0 ? LARGEST_REUSED_BYTES : Math.min(LARGEST_REUSED_BYTES, Math.max(PARTIAL_BYTES_MIN, 2 * needed));
      this.#moveInto(this.#memory.take(bytes), start);
    }
    this.#content?.set(chunk.subarray(at, at + count), start);
    this.#contentBytes += count;
    if (needed === room && this.#content !== null) this.#endPiece(this.#content);
    return at + count;
  }

  #endPiece(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#content = null;
    if (this.#contentBytes < this.#length) return;
    const content = this.#memory.take(this.#length);
    for (const [index, each] of this.#pieces.entries()) {
      const start = index * LARGEST_REUSED_BYTES;
      content.set(each.subarray(0, this.#length - start), start);
      this.#memory.giveBack(each);
    }
    this.#pieces = [];
    this.#finish(content);
  }

  #finish(content: Buffer): void {
    this.#deliver(content.subarray(0, this.#length));
    this.#lengthBytes = 0;
    this.#length = 0;
    this.#content = null;
    this.#contentBytes = 0;
  }

  #deliver(frame: Buffer): void {
    this.#frames.push(frame);
    this.#framesBytes += frame.byteLength;
  }
}
