import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { unreachable } from '../base/assert.ts';
import type { ZlibStreams, ZlibTask } from '../base/zlib-streams.ts';

/** How large the pieces are: each costs a visit to another thread, and one or two wait for whoever takes them. */
const PIECE_BYTES = 64 * 1024;

type ZlibStream = ReturnType<typeof createGunzip | typeof createZstdDecompress>;

/** zlib of Node.js, which works on the threads of its pool. */
export const nodeZlibStreams: ZlibStreams = {
  async *run(task, input, level) {
    let inputBytes = 0;
    const counted = async function* () {
      for await (const piece of input) {
        inputBytes += piece.length;
        yield piece;
      }
    };
    const stream = streamFor(task, level);
    // Failures of either side come out of the stream, where they are thrown.
    pipeline(Readable.from(counted(), { highWaterMark: 1 }), stream, () => undefined);
    for await (const piece of stream) yield piece as Uint8Array;
    if (task === 'unzstd' && stream.bytesWritten !== inputBytes)
      throw new Error('There are other bytes behind the last zstd frame');
  },
};

function streamFor(task: ZlibTask, level?: number): ZlibStream {
  const sizes = { chunkSize: PIECE_BYTES, readableHighWaterMark: PIECE_BYTES };
  switch (task) {
    case 'gunzip':
      return createGunzip(sizes);
    case 'unzstd':
      return createZstdDecompress(sizes);
    case 'gzip':
      return createGzip({ ...sizes, level: level ?? constants.Z_DEFAULT_COMPRESSION });
    case 'zstd':
      return createZstdCompress({
        ...sizes,
        params: { [constants.ZSTD_c_compressionLevel]: level ?? constants.ZSTD_CLEVEL_DEFAULT },
      });
    default:
      return unreachable(task);
  }
}
