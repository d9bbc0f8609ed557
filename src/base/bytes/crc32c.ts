/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720, appendix B.4), the checksum of record batches. Eight bytes a step with eight
 * tables of 256 entries ("slicing by 8").
 */
const POLYNOMIAL = 0x82f6_3b78;
const SLICES = 8;

/** All tables in one array: entry `slice * 256 + byte` is the checksum of `byte` followed by `slice` zero bytes. */
const table = makeTable();

function makeTable(): Int32Array {
  const entries = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    entries[byte] = crc;
  }
  for (let index = 256; index < entries.length; index++) {
    const before = entries[index - 256] as number;
    entries[index] = (before >>> 8) ^ (entries[before & 0xff] as number);
  }
  return entries;
}

/** The checksum of `bytes[start, end)`, 0 to 2^32 − 1. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  return updateCrc32c(0, bytes, start, end);
}

/** Continues: `updateCrc32c(crc32c(a), b)` is the checksum of `a` followed by `b`. */
export function updateCrc32c(crc: number, bytes: Uint8Array, start = 0, end = bytes.length): number {
  let state = ~crc;
  let position = start;
  for (const lastBlock = end - 8; position <= lastBlock; position += 8) {
    const low =
      state ^
      ((bytes[position] as number) |
        ((bytes[position + 1] as number) << 8) |
        ((bytes[position + 2] as number) << 16) |
        ((bytes[position + 3] as number) << 24));
    state =
      (table[1792 + (low & 0xff)] as number) ^
      (table[1536 + ((low >>> 8) & 0xff)] as number) ^
      (table[1280 + ((low >>> 16) & 0xff)] as number) ^
      (table[1024 + (low >>> 24)] as number) ^
      (table[768 + (bytes[position + 4] as number)] as number) ^
      (table[512 + (bytes[position + 5] as number)] as number) ^
      (table[256 + (bytes[position + 6] as number)] as number) ^
      (table[bytes[position + 7] as number] as number);
  }
  for (; position < end; position++) {
    state = (state >>> 8) ^ (table[(state ^ (bytes[position] as number)) & 0xff] as number);
  }
  return ~state >>> 0;
}
