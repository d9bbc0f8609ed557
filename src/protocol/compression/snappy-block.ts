import { DecompressionError } from './decompression-error.ts';

/** The uncompressed size a raw snappy block states in front, and where its elements begin. */
export function snappyStatedSize(bytes: Uint8Array): { readonly size: number; readonly elementsAt: number } {
  let size = 0;
  for (let index = 0; index < 5; index++) {
    if (index >= bytes.length) break;
    const byte = bytes[index] as number;
    size += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { size, elementsAt: index + 1 };
  }
  throw malformed();
}

/**
 * Throws DecompressionError unless the elements of a raw snappy block, from `position` to its end, are well-formed and make exactly `size` bytes. Nothing is written.
 */
export function checkSnappyElements(bytes: Uint8Array, position: number, size: number): void {
  const end = bytes.length;
  let produced = 0;
  while (position < end) {
    const tag = bytes[position++] as number;
    if ((tag & 3) === 0) {
      let length = tag >>> 2;
      if (length >= 60) {
        const lengthBytes = length - 59;
        if (position + lengthBytes > end) throw malformed();
        length = littleEndian(bytes, position, lengthBytes);
        position += lengthBytes;
      }
      position += length + 1;
      produced += length + 1;
      if (position > end) throw malformed();
    } else {
      const isShort = (tag & 3) === 1;
      const distanceBytes = isShort ? 1 : (tag & 3) === 2 ? 2 : 4;
      if (position + distanceBytes > end) throw malformed();
      const low = littleEndian(bytes, position, distanceBytes);
      const distance = isShort ? ((tag >>> 5) << 8) | low : low;
      position += distanceBytes;
      if (distance === 0 || distance > produced) throw malformed();
      produced += isShort ? 4 + ((tag >>> 2) & 7) : 1 + (tag >>> 2);
    }
    if (produced > size) throw malformed();
  }
  if (produced !== size) throw malformed();
}

function littleEndian(bytes: Uint8Array, position: number, count: number): number {
  let value = bytes[position] as number;
  for (let index = 1; index < count; index++) value |= (bytes[position + index] as number) << (8 * index);
  return value >>> 0;
}

function malformed(): DecompressionError {
  return new DecompressionError('The snappy block is malformed');
}
