import { DecompressionError } from './decompression-error.ts';

const MATCH_LENGTH_MIN = 4;
const LENGTH_MORE = 15;

/**
 * The exact number of bytes the lz4 block in `bytes[start, end)` decompresses to, found by walking its sequences without writing anything. A block that
 * passes is well-formed: every literal is there, every match points at earlier output, and it ends where it should. Throws DecompressionError, also
 * when the output would be longer than `maxBytes`.
 */
export function lz4BlockOutputSize(bytes: Uint8Array, { start, end }: { start: number; end: number }, maxBytes: number): number {
  let position = start;
  let size = 0;
  while (position < end) {
    const token = bytes[position++] as number;
    let literals = token >>> 4;
    if (literals === LENGTH_MORE) {
      let more: number;
      do {
        if (position >= end) throw malformed();
        more = bytes[position++] as number;
        literals += more;
      } while (more === 255);
    }
    position += literals;
    size += literals;
    if (position > end || size > maxBytes) throw malformed();
    // The last sequence has literals only.
    if (position === end) return size;

    if (position + 2 > end) throw malformed();
    const distance = (bytes[position] as number) | ((bytes[position + 1] as number) << 8);
    position += 2;
    if (distance === 0 || distance > size) throw malformed();
    let length = token & LENGTH_MORE;
    if (length === LENGTH_MORE) {
      let more: number;
      do {
        if (position >= end) throw malformed();
        more = bytes[position++] as number;
        length += more;
      } while (more === 255);
    }
    size += length + MATCH_LENGTH_MIN;
    if (size > maxBytes) throw malformed();
  }
  throw malformed();
}

function malformed(): DecompressionError {
  return new DecompressionError('The lz4 block is malformed');
}
