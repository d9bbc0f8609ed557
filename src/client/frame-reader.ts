import { readInt32 } from '../base/bytes/big-endian.ts';

const LENGTH_BYTES = 4;
/** An answer longer than this is taken for garbage. */
export const ANSWER_BYTES_MAX = 512 * 1024 * 1024;

/** Cuts a stream into frames: four bytes of length, then so many bytes. A frame that lies in one chunk is handed on without a copy. */
export class FrameReader {
  readonly #receive: (frame: Buffer) => void;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes that the frame at the front takes with its length; 4 while the length itself is not whole. */
  #wanted = LENGTH_BYTES;

  constructor(receive: (frame: Buffer) => void) {
    this.#receive = receive;
  }

  /** Throws RangeError when a length is none. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#wanted) return;
    const joined = this.#chunks.length === 1 ? asBuffer(chunk) : Buffer.concat(this.#chunks, this.#bytes);
    let position = 0;
    for (;;) {
      const left = joined.length - position;
      this.#wanted = LENGTH_BYTES + (left < LENGTH_BYTES ? 0 : lengthAt(joined, position));
      if (left < this.#wanted || left < LENGTH_BYTES) break;
      this.#receive(joined.subarray(position + LENGTH_BYTES, position + this.#wanted));
      position += this.#wanted;
    }
    this.#chunks = position === joined.length ? [] : [joined.subarray(position)];
    this.#bytes = joined.length - position;
  }
}

function lengthAt(bytes: Buffer, position: number): number {
  const length = readInt32(bytes, position);
  if (length < 0 || length > ANSWER_BYTES_MAX) throw new RangeError(`a frame cannot have ${length} bytes`);
  return length;
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
