/** xxHash, 32 bits, seed 0: the checksum inside lz4 frames. */
const PRIME_1 = 0x9e37_79b1;
const PRIME_2 = 0x85eb_ca77;
const PRIME_3 = 0xc2b2_ae3d;
const PRIME_4 = 0x27d4_eb2f;
const PRIME_5 = 0x1656_67b1;
const STRIPE_BYTES = 16;

/** The hash of `bytes[start, end)`, 0 to 2^32 − 1. */
export function xxhash32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const length = end - start;
  let position = start;
  let hash = PRIME_5;
  if (length >= STRIPE_BYTES) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2 | 0;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (; position <= end - STRIPE_BYTES; position += STRIPE_BYTES) {
      a = round(a, word(bytes, position));
      b = round(b, word(bytes, position + 4));
      c = round(c, word(bytes, position + 8));
      d = round(d, word(bytes, position + 12));
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  hash = (hash + length) | 0;
  for (; position <= end - 4; position += 4) {
    hash = Math.imul(rotate((hash + Math.imul(word(bytes, position), PRIME_3)) | 0, 17), PRIME_4);
  }
  for (; position < end; position++) {
    hash = Math.imul(rotate((hash + Math.imul(bytes[position] as number, PRIME_5)) | 0, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(accumulator: number, input: number): number {
  return Math.imul(rotate((accumulator + Math.imul(input, PRIME_2)) | 0, 13), PRIME_1);
}

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

const word = (bytes: Uint8Array, position: number): number =>
  (bytes[position] as number) |
  ((bytes[position + 1] as number) << 8) |
  ((bytes[position + 2] as number) << 16) |
  ((bytes[position + 3] as number) << 24);
