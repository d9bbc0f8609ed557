import { readInt32, writeInt32 } from '../../base/bytes/big-endian.ts';
import { DecompressionError, tooLarge } from './decompression-error.ts';
import { checkSnappyElements, snappyStatedSize } from './snappy-block.ts';
import { runCompressor, runDecompressor } from './wasm-kernels.ts';

/**
 * Snappy as Kafka frames it: the framing of snappy-java (xerial), a header of sixteen bytes and then blocks of at most 32 KiB, each a raw snappy
 * block behind its compressed size. Clients that are not Java's may send one raw block without any framing; it is read as well.
 */
const HEADER = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00, 0, 0, 0, 1, 0, 0, 0, 1]);
const MAGIC_BYTES = 8;
export const SNAPPY_BLOCK_BYTES = 32 * 1024;
const BLOCK_SIZE_BYTES = 4;

export function snappyCompress(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = [HEADER];
  for (let position = 0; position < bytes.length; position += SNAPPY_BLOCK_BYTES) {
    parts.push(compressBlock(bytes.subarray(position, position + SNAPPY_BLOCK_BYTES)));
  }
  return Buffer.concat(parts);
}

/** The same for bytes that come in blocks of `SNAPPY_BLOCK_BYTES`, all but the last one. */
export async function* snappyCompressPieces(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield HEADER;
  for await (const block of blocks) yield compressBlock(block);
}

function compressBlock(plain: Uint8Array): Buffer {
  const block = runCompressor('snappyCompress', plain);
  const size = Buffer.allocUnsafe(BLOCK_SIZE_BYTES);
  writeInt32(size, 0, block.length);
  return Buffer.concat([size, block]);
}

export function snappyDecompress(bytes: Uint8Array, maxBytes: number): Buffer {
  const blocks = isFramed(bytes, 0) ? [...framedBlocks(bytes)] : [bytes];
  let size = 0;
  for (const block of blocks) size += checkedSize(block, maxBytes, size);
  const [first] = blocks;
  if (first !== undefined && blocks.length === 1) return decompressBlock(first);
  return Buffer.concat(blocks.map(decompressBlock), size);
}

/** The same block by block, none of which may be larger than `maxBytes`. */
export function* snappyPieces(bytes: Uint8Array, maxBytes: number): Generator<Buffer> {
  for (const block of isFramed(bytes, 0) ? framedBlocks(bytes) : [bytes]) {
    checkedSize(block, maxBytes);
    yield decompressBlock(block);
  }
}

/** What a block will decompress to; it is well-formed, and together with those before it no more than `maxBytes`. */
function checkedSize(block: Uint8Array, maxBytes: number, sizeBefore = 0): number {
  const { size, elementsAt } = snappyStatedSize(block);
  if (sizeBefore + size > maxBytes) throw tooLarge(maxBytes);
  checkSnappyElements(block, elementsAt, size);
  return size;
}

function decompressBlock(block: Uint8Array): Buffer {
  return runDecompressor('snappyDecompress', block);
}

/** A header may come again where streams were joined. */
function* framedBlocks(bytes: Uint8Array): Generator<Uint8Array> {
  let position = 0;
  while (position < bytes.length) {
    if (isFramed(bytes, position)) {
      position += HEADER.length;
      if (position > bytes.length) throw cutShort();
      continue;
    }
    const start = position + BLOCK_SIZE_BYTES;
    // As snappy-java: too few bytes for a size are the end.
    if (start > bytes.length) break;
    const size = readInt32(bytes, position);
    const end = start + size;
    if (size < 0 || end > bytes.length) throw cutShort();
    yield bytes.subarray(start, end);
    position = end;
  }
}

function isFramed(bytes: Uint8Array, position: number): boolean {
  if (bytes.length - position < MAGIC_BYTES) return false;
  for (let index = 0; index < MAGIC_BYTES; index++) if (bytes[position + index] !== HEADER[index]) return false;
  return true;
}

function cutShort(): DecompressionError {
  return new DecompressionError('The snappy blocks are cut short');
}
