/**
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720, appendix B.4), the checksum of record batches. Sixteen bytes a step with sixteen tables of
 * 256 entries ("slicing by 16"), read as four aligned words.
 */
const POLYNOMIAL = 0x82f6_3b78;
const SLICES = 16;
/** Below this, making a view of words costs more than it saves. */
const WORDS_FROM_BYTES = 64;
/** All tables are filled when so many bytes have come: a node that starts sees fewer, and V8 need not load its compiler for the loop that fills them. */
const TABLES_FROM_BYTES = 64 * 1024;

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** All tables in one array: entry `slice * 256 + byte` is the checksum of `byte` followed by `slice` zero bytes. */
const table = new Int32Array(SLICES * 256);
fillFirstTable();
let bytesUntilTables = TABLES_FROM_BYTES;

/** The checksum is linear: those of the single bits are enough to make all others. */
function fillFirstTable(): void {
  let crc = 1;
  for (let bit = 128; bit > 0; bit >>>= 1) {
    crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    for (let byte = 0; byte < 256; byte += 2 * bit) table[byte + bit] = crc ^ (table[byte] as number);
  }
}

function countBytes(count: number): void {
  bytesUntilTables -= count;
  if (bytesUntilTables <= 0) fillTables();
}

function fillTables(): void {
  for (let index = 256; index < table.length; index++) {
    const before = table[index - 256] as number;
    table[index] = (before >>> 8) ^ (table[before & 0xff] as number);
  }
}

/** The checksum of `bytes[start, end)`, 0 to 2^32 − 1. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  return updateCrc32c(0, bytes, start, end);
}

/** Continues: `updateCrc32c(crc32c(a), b)` is the checksum of `a` followed by `b`. */
export function updateCrc32c(crc: number, bytes: Uint8Array, start = 0, end = bytes.length): number {
  const state = ~crc;
  const length = end - start;
  if (bytesUntilTables > 0) countBytes(length);
  if (length < WORDS_FROM_BYTES || bytesUntilTables > 0 || !isLittleEndian) return ~byBytes(state, bytes, { start, end }) >>> 0;
  const wordsStart = start + (-(bytes.byteOffset + start) & 3);
  const wordCount = ((end - wordsStart) >>> 4) * 4;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + wordsStart, wordCount);
  const before = byBytes(state, bytes, { start, end: wordsStart });
  return ~byBytes(byWords(before, words), bytes, { start: wordsStart + wordCount * 4, end }) >>> 0;
}

function byBytes(state: number, bytes: Uint8Array, { start, end }: { readonly start: number; readonly end: number }): number {
  for (let position = start; position < end; position++) {
    state = (state >>> 8) ^ (table[(state ^ (bytes[position] as number)) & 0xff] as number);
  }
  return state;
}

/** A multiple of four words. */
function byWords(state: number, words: Int32Array): number {
  for (let index = 0; index < words.length; index += 4) {
    const a = state ^ (words[index] as number);
    const b = words[index + 1] as number;
    const c = words[index + 2] as number;
    const d = words[index + 3] as number;
    state =
      (table[3840 + (a & 0xff)] as number) ^
      (table[3584 + ((a >>> 8) & 0xff)] as number) ^
      (table[3328 + ((a >>> 16) & 0xff)] as number) ^
      (table[3072 + (a >>> 24)] as number) ^
      (table[2816 + (b & 0xff)] as number) ^
      (table[2560 + ((b >>> 8) & 0xff)] as number) ^
      (table[2304 + ((b >>> 16) & 0xff)] as number) ^
      (table[2048 + (b >>> 24)] as number) ^
      (table[1792 + (c & 0xff)] as number) ^
      (table[1536 + ((c >>> 8) & 0xff)] as number) ^
      (table[1280 + ((c >>> 16) & 0xff)] as number) ^
      (table[1024 + (c >>> 24)] as number) ^
      (table[768 + (d & 0xff)] as number) ^
      (table[512 + ((d >>> 8) & 0xff)] as number) ^
      (table[256 + ((d >>> 16) & 0xff)] as number) ^
      (table[d >>> 24] as number);
  }
  return state;
}
