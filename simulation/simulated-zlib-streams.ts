import { gunzipSync, gzipSync } from 'node:zlib';
import type { Clock } from '../src/base/clock.ts';
import type { ZlibStreams, ZlibTask } from '../src/base/zlib-streams.ts';
import { zstdCompress, zstdDecompress } from '../src/protocol/compression/zlib-codecs.ts';

const PIECE_BYTES = 64 * 1024;

/** The same results; all of the work is done at once, and the pieces come one a turn of the simulated clock. */
export class SimulatedZlibStreams implements ZlibStreams {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async *run(
    task: ZlibTask,
    input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    level?: number,
  ): AsyncGenerator<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of input) pieces.push(piece);
    const output = work(task, Buffer.concat(pieces), level);
    for (let at = 0; at < output.length; at += PIECE_BYTES) {
      await new Promise<void>((resolve) => this.#clock.defer(resolve));
      yield output.subarray(at, at + PIECE_BYTES);
    }
  }
}

function work(task: ZlibTask, bytes: Buffer, level?: number): Buffer {
  if (task === 'gunzip') return gunzipSync(bytes);
  if (task === 'unzstd') return zstdDecompress(bytes, 2 ** 31);
  if (task === 'gzip') return gzipSync(bytes, level === undefined ? {} : { level });
  return zstdCompress(bytes, level);
}
