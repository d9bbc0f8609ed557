import { DecompressionError, tooLarge } from './decompression-error.ts';
import { lz4BlockOutputSize } from './lz4-block.ts';
import { runCompressor, runDecompressor } from './wasm-kernels.ts';
import { xxhash32 } from './xxhash32.ts';

/**
 * lz4 as Kafka frames it: the LZ4 frame format 1.5 with independent blocks, and on writing blocks of 64 KiB without checksums or content size.
 * The kernel has one speed, so a level is not taken.
 */
const MAGIC = 0x184d_2204;
const HEADER_BYTES = 7;
/** Header of the frames we write: version 1, independent blocks, 64 KiB, and the check byte of these two. */
const OUR_HEADER = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
export const LZ4_BLOCK_BYTES = 64 * 1024;
const END_MARK = Buffer.alloc(4);
const STORED_BIT = 0x8000_0000;

interface FrameHeader {
  readonly blockDescriptor: number;
  readonly blockBytesMax: number;
  readonly hasBlockChecksums: boolean;
  readonly hasContentChecksum: boolean;
  /** Where the first block is. */
  readonly blocksAt: number;
}

export function lz4Compress(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = [OUR_HEADER];
  for (let position = 0; position < bytes.length; position += LZ4_BLOCK_BYTES) {
    parts.push(compressBlock(bytes.subarray(position, position + LZ4_BLOCK_BYTES)));
  }
  parts.push(END_MARK);
  return Buffer.concat(parts);
}

/** The same for bytes that come in blocks of `LZ4_BLOCK_BYTES`, all but the last one. */
export async function* lz4CompressPieces(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield OUR_HEADER;
  for await (const block of blocks) yield compressBlock(block);
  yield END_MARK;
}

/** A frame of one block: what is between its header and its end mark. */
function compressBlock(block: Uint8Array): Buffer {
  const frame = runCompressor('lz4Compress', block);
  return frame.subarray(HEADER_BYTES, frame.length - END_MARK.length);
}

/**
 * Bytes after the end mark are ignored, as Kafka's reader does. Message format 0 was written with a wrong header checksum: `anyHeaderChecksum` lets
 * it pass.
 */
export function lz4Decompress(bytes: Uint8Array, maxBytes: number, anyHeaderChecksum = false): Buffer {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const header = readHeader(source, anyHeaderChecksum);
  const { blocks, size } = readBlocks(source, header, maxBytes);
  return size === 0 ? Buffer.alloc(0) : decompressBlocks(header, blocks, size);
}

/** The same block by block, of 4 MiB at the most, without a limit for all of them. */
export function* lz4Pieces(bytes: Uint8Array): Generator<Buffer> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const header = readHeader(source, false);
  for (const { bytes: block, size } of blocksOf(source, header)) if (size > 0) yield decompressBlocks(header, [block], size);
}

function decompressBlocks(header: FrameHeader, blocks: readonly Uint8Array[], size: number): Buffer {
  const output = runDecompressor('lz4Decompress', Buffer.concat([frameHeader(header), ...blocks, END_MARK]));
  if (output.length !== size) throw new DecompressionError(`The lz4 frame gave ${output.length} bytes instead of ${size}`);
  return output;
}

function readHeader(source: Buffer, anyHeaderChecksum: boolean): FrameHeader {
  if (source.length < HEADER_BYTES) throw cutShort();
  if (source.readUInt32LE(0) !== MAGIC) throw unsupported('the magic number is another');
  const flags = source.readUInt8(4);
  const blockDescriptor = source.readUInt8(5);
  if (flags >>> 6 !== 1) throw unsupported(`version ${flags >>> 6}`);
  if ((flags & 0x20) === 0) throw unsupported('blocks depend on each other');
  if ((flags & 0x03) !== 0) throw unsupported('reserved flags or a dictionary');
  const sizeCode = (blockDescriptor >>> 4) & 0x07;
  if ((blockDescriptor & 0x8f) !== 0 || sizeCode < 4) throw unsupported(`block descriptor ${blockDescriptor}`);
  const checkAt = (flags & 0x08) === 0 ? 6 : 14;
  if (source.length <= checkAt) throw cutShort();
  if (!anyHeaderChecksum && ((xxhash32(source, 4, checkAt) >>> 8) & 0xff) !== source.readUInt8(checkAt)) {
    throw new DecompressionError('The header of the lz4 frame fails its checksum');
  }
  return {
    blockDescriptor,
    blockBytesMax: 1 << (8 + 2 * sizeCode),
    hasBlockChecksums: (flags & 0x10) !== 0,
    hasContentChecksum: (flags & 0x04) !== 0,
    blocksAt: checkAt + 1,
  };
}

/** Each block with its size word, without its checksum, and the bytes they decompress to, which are no more than `maxBytes`. */
function readBlocks(source: Buffer, header: FrameHeader, maxBytes: number): { blocks: Uint8Array[]; size: number } {
  const blocks: Uint8Array[] = [];
  let size = 0;
  for (const block of blocksOf(source, header)) {
    size += block.size;
    if (size > maxBytes) throw tooLarge(maxBytes);
    blocks.push(block.bytes);
  }
  return { blocks, size };
}

/** Each block with its size word, without its checksum, and the bytes it decompresses to. */
function* blocksOf(source: Buffer, header: FrameHeader): Generator<{ readonly bytes: Uint8Array; readonly size: number }> {
  let position = header.blocksAt;
  for (;;) {
    if (source.length - position < 4) throw cutShort();
    const sizeWord = source.readUInt32LE(position);
    const start = position + 4;
    const blockBytes = sizeWord & ~STORED_BIT;
    if (blockBytes === 0) {
      // Kafka reads past the checksum of the content without comparing it, and so do we: the batch has one of its own.
      if (header.hasContentChecksum && source.length - start < 4) throw cutShort();
      return;
    }
    const end = start + blockBytes;
    if (blockBytes > header.blockBytesMax)
      throw new DecompressionError('A block of the lz4 frame is larger than the frame allows');
    const next = end + (header.hasBlockChecksums ? 4 : 0);
    if (next > source.length) throw cutShort();
    if (header.hasBlockChecksums && xxhash32(source, start, end) !== source.readUInt32LE(end)) {
      throw new DecompressionError('A block of the lz4 frame fails its checksum');
    }
    const isStored = (sizeWord & STORED_BIT) !== 0;
    const size = isStored ? blockBytes : lz4BlockOutputSize(source, { start, end }, header.blockBytesMax);
    yield { bytes: source.subarray(position, end), size };
    position = next;
  }
}

/** The header the kernel is given: the same block size and none of the options, which are dealt with here. */
function frameHeader({ blockDescriptor }: FrameHeader): Buffer {
  if (blockDescriptor === OUR_HEADER[5]) return OUR_HEADER;
  const header = Buffer.from(OUR_HEADER);
  header[5] = blockDescriptor;
  header[6] = (xxhash32(header, 4, 6) >>> 8) & 0xff;
  return header;
}

function cutShort(): DecompressionError {
  return new DecompressionError('The lz4 frame is cut short');
}

function unsupported(what: string): DecompressionError {
  return new DecompressionError(`The lz4 frame is not of a kind that Kafka reads: ${what}`);
}
