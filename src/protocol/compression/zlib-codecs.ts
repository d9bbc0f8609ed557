import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DecompressionError, tooLarge } from './decompression-error.ts';

/** gzip and zstd by Node's own zlib: pure computation, so it needs no port. The CRC-32 there is the checksum of the old message formats. */
export { crc32 } from 'node:zlib';

export function gzipCompress(bytes: Uint8Array, level = constants.Z_DEFAULT_COMPRESSION): Buffer {
  return gzipSync(bytes, { level });
}

export function zstdCompress(bytes: Uint8Array, level = constants.ZSTD_CLEVEL_DEFAULT): Buffer {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } });
}

/** All members one after the other. Zeros behind the last one are ignored; other bytes, which Kafka also ignores, are not. */
export function gzipDecompress(bytes: Uint8Array, maxBytes: number): Buffer {
  return bounded(maxBytes, (maxOutputLength) => gunzipSync(bytes, { maxOutputLength }));
}

/** All frames one after the other, skippable ones left out. Other bytes behind the last one are an error, as for Kafka. */
export function zstdDecompress(bytes: Uint8Array, maxBytes: number): Buffer {
  return bounded(maxBytes, (maxOutputLength) => {
    const result: unknown = zstdDecompressSync(bytes, { maxOutputLength, info: true });
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
    if (engine.bytesWritten !== bytes.length) throw new DecompressionError('There are other bytes behind the last zstd frame');
    return buffer;
  });
}

function bounded(maxBytes: number, decompress: (maxOutputLength: number) => Buffer): Buffer {
  try {
    // Node takes no limit below one byte.
    return decompress(Math.max(1, maxBytes));
  } catch (error) {
    if (error instanceof DecompressionError) throw error;
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new DecompressionError(error instanceof Error ? error.message : String(error), 'INVALID_RECORD', { cause: error });
  }
}
