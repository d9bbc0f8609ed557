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
const BLOCK_BYTES = 32 * 1024;
const BLOCK_SIZE_BYTES = 4;

export function snappyCompress(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = [HEADER];
  for (let position = 0; position < bytes.length; position += BLOCK_BYTES) {
    const block = runCompressor('snappyCompress', bytes.subarray(position, position + BLOCK_BYTES));
    const size = Buffer.allocUnsafe(BLOCK_SIZE_BYTES);
    writeInt32(size, 0, block.length);
    parts.push(size, block);
  }
  return Buffer.concat(parts);
}

export function snappyDecompress(bytes: Uint8Array, maxBytes: number): Buffer {
  const blocks = isFramed(bytes, 0) ? framedBlocks(bytes) : [bytes];
  let size = 0;
  for (const block of blocks) {
    const stated = snappyStatedSize(block);
    size += stated.size;
    if (size > maxBytes) throw tooLarge(maxBytes);
    checkSnappyElements(block, stated.elementsAt, stated.size);
  }
  const [first] = blocks;
  if (first !== undefined && blocks.length === 1) return decompressBlock(first);
  return Buffer.concat(blocks.map(decompressBlock), size);
}

function decompressBlock(block: Uint8Array): Buffer {
  return runDecompressor('snappyDecompress', block);
}

/** A header may come again where streams were joined. */
function framedBlocks(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
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
    blocks.push(bytes.subarray(start, end));
    position = end;
  }
  return blocks;
}

function isFramed(bytes: Uint8Array, position: number): boolean {
  if (bytes.length - position < MAGIC_BYTES) return false;
  for (let index = 0; index < MAGIC_BYTES; index++) if (bytes[position + index] !== HEADER[index]) return false;
  return true;
}

function cutShort(): DecompressionError {
  return new DecompressionError('The snappy blocks are cut short');
}
