import { unreachable } from '../../base/assert.ts';
import type { Codec } from './codec.ts';
import { lz4Compress, lz4Decompress } from './lz4-frame.ts';
import { snappyCompress, snappyDecompress } from './snappy-framing.ts';
import { gzipCompress, gzipDecompress, zstdCompress, zstdDecompress } from './zlib-codecs.ts';

export { CODECS, type Codec, codecOfId, idOfCodec } from './codec.ts';
export { DecompressionError } from './decompression-error.ts';

/**
 * Compresses as Kafka frames each codec. `level` is gzip's −1 or 1 to 9, or zstd's −131072 to 22; left out, the codec's default. Snappy has
 * no levels and lz4 is always written fast, whatever the level.
 */
export function compress(codec: Codec, bytes: Uint8Array, level?: number): Uint8Array {
  switch (codec) {
    case 'none':
      return bytes;
    case 'gzip':
      return gzipCompress(bytes, level);
    case 'snappy':
      return snappyCompress(bytes);
    case 'lz4':
      return lz4Compress(bytes);
    case 'zstd':
      return zstdCompress(bytes, level);
    default:
      return unreachable(codec);
  }
}

export interface DecompressOptions {
  readonly maxBytes: number;
  /** Message format 0 has lz4 frames with a wrong header checksum. */
  readonly anyLz4HeaderChecksum?: boolean;
}

/**
 * The bytes that were compressed. Throws DecompressionError: MESSAGE_TOO_LARGE as soon as it is known that there are more than `maxBytes`, before they
 * are allocated, and INVALID_RECORD for bytes that the codec did not write.
 */
export function decompress(codec: Codec, bytes: Uint8Array, options: DecompressOptions): Uint8Array {
  const { maxBytes } = options;
  switch (codec) {
    case 'none':
      return bytes;
    case 'gzip':
      return gzipDecompress(bytes, maxBytes);
    case 'snappy':
      return snappyDecompress(bytes, maxBytes);
    case 'lz4':
      return lz4Decompress(bytes, maxBytes, options.anyLz4HeaderChecksum);
    case 'zstd':
      return zstdDecompress(bytes, maxBytes);
    default:
      return unreachable(codec);
  }
}
