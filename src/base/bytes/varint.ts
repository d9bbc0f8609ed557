import { highWord, joinWords, lowWord } from './big-endian.ts';

/**
 * Variable-length integers as Kafka's record format and flexible messages use them: seven bits a byte, lowest first, the top bit says
 * that more follow. Signed ones are zigzag-coded. Overlong encodings are accepted; bits beyond the type's width are dropped.
 */

/** A place in a byte array that readers move forward. Nothing at or after `end` is read. */
export interface ByteCursor {
  readonly bytes: Uint8Array;
  position: number;
  readonly end: number;
}

/** The bytes at the cursor are not a varint: they end too soon, or the last byte allowed says that more follow. */
export class VarintError extends Error {
  override readonly name = 'VarintError';
  readonly reason: 'cut-short' | 'too-long';
  constructor(reason: 'cut-short' | 'too-long') {
    super(reason === 'cut-short' ? 'The bytes end inside a varint' : 'The varint is longer than its type allows');
    this.reason = reason;
  }
}

/** Reads 0 to 2^32 − 1 from at most five bytes. */
export function readUnsignedVarint(cursor: ByteCursor): number {
  return readWord(cursor) >>> 0;
}

/** Reads −2^31 to 2^31 − 1 from at most five bytes. */
export function readVarint(cursor: ByteCursor): number {
  const { position } = cursor;
  const first = cursor.bytes[position] as number;
  // Nearly all varints of a record are one byte.
  if (first < 0x80 && position < cursor.end) {
    cursor.position = position + 1;
    return (first >>> 1) ^ -(first & 1);
  }
  const word = readWord(cursor);
  return (word >>> 1) ^ -(word & 1);
}

/** Reads a 64-bit integer from at most ten bytes; beyond 2^53 the nearest number. */
export function readVarlong(cursor: ByteCursor): number {
  const { position } = cursor;
  const first = cursor.bytes[position] as number;
  if (first < 0x80 && position < cursor.end) {
    cursor.position = position + 1;
    return (first >>> 1) ^ -(first & 1);
  }
  return readLongVarlong(cursor);
}

function readLongVarlong(cursor: ByteCursor): number {
  const { bytes, end } = cursor;
  let position = cursor.position;
  let low = 0;
  let high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    if (position >= end) throw new VarintError('cut-short');
    const byte = bytes[position++] as number;
    const bits = byte & 0x7f;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high = bits >>> 4;
    } else high |= shift < 64 ? bits << (shift - 32) : 0;
    if (byte < 0x80) {
      cursor.position = position;
      const sign = -(low & 1);
      return joinWords((high >>> 1) ^ sign, ((low >>> 1) | (high << 31)) ^ sign);
    }
  }
  throw new VarintError('too-long');
}

function readWord(cursor: ByteCursor): number {
  const { bytes, end } = cursor;
  let position = cursor.position;
  let word = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    if (position >= end) throw new VarintError('cut-short');
    const byte = bytes[position++] as number;
    word |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      cursor.position = position;
      return word;
    }
  }
  throw new VarintError('too-long');
}

/** Bytes `writeUnsignedVarint` takes: 1 to 5. */
export function sizeOfUnsignedVarint(value: number): number {
  // Each started group of seven significant bits is a byte; zero takes one as well.
  return value === 0 ? 1 : Math.trunc((38 - Math.clz32(value)) / 7);
}

/** Bytes `writeVarint` takes: 1 to 5. */
export function sizeOfVarint(value: number): number {
  return sizeOfUnsignedVarint((value << 1) ^ (value >> 31));
}

/** Bytes `writeVarlong` takes: 1 to 10. */
export function sizeOfVarlong(value: number): number {
  const high = zigzagHigh(value);
  if (high === 0) return sizeOfUnsignedVarint(zigzagLow(value));
  return Math.trunc((70 - Math.clz32(high)) / 7);
}

/** Writes the low 32 bits of `value` and gives the position after them. The caller has made room. */
export function writeUnsignedVarint(bytes: Uint8Array, position: number, value: number): number {
  let rest = value >>> 0;
  while (rest > 0x7f) {
    bytes[position++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[position++] = rest;
  return position;
}

/** Writes a 32-bit integer and gives the position after it. */
export function writeVarint(bytes: Uint8Array, position: number, value: number): number {
  return writeUnsignedVarint(bytes, position, (value << 1) ^ (value >> 31));
}

/** Writes a 64-bit integer and gives the position after it; 2^63 and more is written as 2^63 − 1. */
export function writeVarlong(bytes: Uint8Array, position: number, value: number): number {
  let low = zigzagLow(value) >>> 0;
  let high = zigzagHigh(value) >>> 0;
  while (high !== 0) {
    bytes[position++] = (low & 0x7f) | 0x80;
    low = ((low >>> 7) | (high << 25)) >>> 0;
    high >>>= 7;
  }
  return writeUnsignedVarint(bytes, position, low);
}

const zigzagLow = (value: number): number => (lowWord(value) << 1) ^ (highWord(value) >> 31);

function zigzagHigh(value: number): number {
  const high = highWord(value);
  return ((high << 1) | (lowWord(value) >>> 31)) ^ (high >> 31);
}
