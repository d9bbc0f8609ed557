import { unreachable } from '../../base/assert.ts';
import type { ZlibStreams } from '../../base/zlib-streams.ts';
import type { Codec } from './codec.ts';
import { DecompressionError, tooLarge } from './decompression-error.ts';
import { LZ4_BLOCK_BYTES, lz4CompressPieces, lz4Pieces } from './lz4-frame.ts';
import { SNAPPY_BLOCK_BYTES, snappyCompressPieces, snappyPieces } from './snappy-framing.ts';

/** The largest piece that is given on: what is made of it takes well below a turn of the event loop. */
const PIECE_BYTES_MAX = 64 * 1024;

export interface PiecesOptions {
  readonly maxBytes: number;
  readonly zlib: ZlibStreams;
}

/** What `decompress` gives, in small pieces, without having all of it at any time. Throws as `decompress` does, in the middle of it. */
export async function* decompressInPieces(codec: Codec, bytes: Uint8Array, options: PiecesOptions): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of rawPieces(codec, bytes, options)) {
      size += piece.length;
      if (size > options.maxBytes) throw tooLarge(options.maxBytes);
      for (let at = 0; at < piece.length; at += PIECE_BYTES_MAX) yield piece.subarray(at, at + PIECE_BYTES_MAX);
    }
  } catch (error) {
    if (error instanceof DecompressionError) throw error;
    throw new DecompressionError(error instanceof Error ? error.message : String(error), 'INVALID_RECORD', { cause: error });
  }
}

function rawPieces(
  codec: Codec,
  bytes: Uint8Array,
  { maxBytes, zlib }: PiecesOptions,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  switch (codec) {
    case 'none':
      return [bytes];
    case 'gzip':
      return zlib.run('gunzip', [bytes]);
    case 'snappy':
      return snappyPieces(bytes, maxBytes);
    case 'lz4':
      return lz4Pieces(bytes);
    case 'zstd':
      return zlib.run('unzstd', [bytes]);
    default:
      return unreachable(codec);
  }
}

/** What `compress` gives for all the pieces together, in pieces. */
export function compressInPieces(
  codec: Codec,
  pieces: AsyncIterable<Uint8Array>,
  { level, zlib }: { readonly level?: number; readonly zlib: ZlibStreams },
): AsyncIterable<Uint8Array> {
  switch (codec) {
    case 'none':
      return pieces;
    case 'gzip':
      return zlib.run('gzip', pieces, level);
    case 'snappy':
      return snappyCompressPieces(inBlocks(pieces, SNAPPY_BLOCK_BYTES));
    case 'lz4':
      return lz4CompressPieces(inBlocks(pieces, LZ4_BLOCK_BYTES));
    case 'zstd':
      return zlib.run('zstd', pieces, level);
    default:
      return unreachable(codec);
  }
}

/** The same bytes in blocks of one size, but for the last. */
async function* inBlocks(pieces: AsyncIterable<Uint8Array>, blockBytes: number): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = Buffer.alloc(0);
  for await (const piece of pieces) {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    while (all.length - at >= blockBytes) yield all.subarray(at, (at += blockBytes));
    rest = all.subarray(at);
  }
  if (rest.length > 0) yield rest;
}
