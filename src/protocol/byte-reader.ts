import { readInt16, readInt32, readUint32 } from '../base/bytes/big-endian.ts';
import { ZERO_UUID } from '../base/uuid.ts';
import { ProtocolError } from './protocol-error.ts';
import { NO_LIMIT } from './schema.ts';
import type { UnknownTags } from './unknown-tags.ts';

/** No array of a message has more elements. */
export const ARRAY_ELEMENTS_MAX = 1_000_000;
/** The arrays of one message together have no more elements: a cluster of 200,000 partitions needs a third of it. */
export const MESSAGE_ELEMENTS_MAX = 4_000_000;
/** No struct carries more tagged fields. */
export const TAGGED_FIELDS_MAX = 10_000;

/** No string is longer. */
const STRING_BYTES_MAX = 0x7fff;
/**
 * The runtime hashes no more characters: all longer strings of one length collide in maps and sets, and a few thousand of them in one request would be compared for minutes. Each
 * counts as many elements, so that there cannot be a few thousand.
 */
const HASHED_BYTES_MAX = 16_383;
const ELEMENTS_OF_LONG_STRING = 1000;
const TWO_TO_32 = 4_294_967_296;
/** The upper half of 2^53: a 64-bit integer whose upper half is at or beyond it is no safe integer. */
const UNSAFE_HIGH = 0x20_0000;

/**
 * Reads the primitive types of the protocol from a buffer, moving forward. Every read is checked against the end, and every length and
 * count against the bytes that are left, so that nothing is allocated for a claim that the bytes cannot keep. Throws ProtocolError.
 */
export class ByteReader {
  readonly bytes: Buffer;
  readonly end: number;
  offset: number;
  private readonly elementsMax: number;
  /** Elements of all arrays so far. */
  private elements = 0;

  constructor(bytes: Uint8Array, offset = 0, elementsMax = MESSAGE_ELEMENTS_MAX) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
    this.end = bytes.byteLength;
    this.elementsMax = elementsMax;
  }

  get remaining(): number {
    return this.end - this.offset;
  }

  /** Moves over `size` bytes and gives the place where they start. */
  private skip(size: number): number {
    const start = this.offset;
    if (size > this.end - start) this.endsEarly(size);
    this.offset = start + size;
    return start;
  }

  boolean(): boolean {
    return this.bytes[this.skip(1)] !== 0;
  }

  int8(): number {
    return ((this.bytes[this.skip(1)] as number) << 24) >> 24;
  }

  int16(): number {
    return readInt16(this.bytes, this.skip(2));
  }

  uint16(): number {
    return readInt16(this.bytes, this.skip(2)) & 0xffff;
  }

  int32(): number {
    return readInt32(this.bytes, this.skip(4));
  }

  uint32(): number {
    return readUint32(this.bytes, this.skip(4));
  }

  int64(): number {
    const start = this.skip(8);
    const high = readInt32(this.bytes, start);
    const low = readUint32(this.bytes, start + 4);
    if (high >= UNSAFE_HIGH || high < -UNSAFE_HIGH || (high === -UNSAFE_HIGH && low === 0)) return this.beyondSafe(high, low);
    return high * TWO_TO_32 + low;
  }

  /** The nearest number to any int64. */
  nearestInt64(): number {
    const start = this.skip(8);
    return readInt32(this.bytes, start) * TWO_TO_32 + readUint32(this.bytes, start + 4);
  }

  hash64(): bigint {
    return this.bytes.readBigInt64BE(this.skip(8));
  }

  float64(): number {
    return this.bytes.readDoubleBE(this.skip(8));
  }

  uuid(): string {
    const start = this.skip(16);
    const { bytes } = this;
    if (bytes[start] === 0 && bytes[start + 15] === 0 && isZero(bytes, start)) return ZERO_UUID;
    return bytes.toString('base64url', start, start + 16);
  }

  /** 0 to 2^32 − 1; overlong encodings are accepted, as Kafka does. */
  varint(): number {
    const first = this.bytes[this.skip(1)] as number;
    return first < 0x80 ? first : this.longVarint(first);
  }

  private longVarint(first: number): number {
    let word = first & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      const byte = this.bytes[this.skip(1)] as number;
      word |= (byte & 0x7f) << shift;
      if (byte < 0x80) return word >>> 0;
    }
    return this.fail('a varint is longer than five bytes');
  }

  /** A compact length: the varint is one more than it; negative (−1 as Kafka writes it) is null. */
  private compactLength(): number {
    return (this.varint() | 0) - 1;
  }

  string(): string {
    return this.text(this.int16());
  }

  nullableString(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.text(length);
  }

  compactString(): string {
    return this.text(this.compactLength());
  }

  compactNullableString(): string | null {
    const length = this.compactLength();
    return length < 0 ? null : this.text(length);
  }

  /** Invalid UTF-8 becomes replacement characters, as Kafka does. */
  private text(length: number): string {
    if (length <= 0) return length === 0 ? '' : this.fail('a string that may not be null is null');
    if (length > STRING_BYTES_MAX) return this.fail(`a string of ${length} bytes is longer than ${STRING_BYTES_MAX}`);
    if (length > HASHED_BYTES_MAX) this.claimElements(ELEMENTS_OF_LONG_STRING);
    const start = this.skip(length);
    const text = this.bytes.toString('utf8', start, start + length);
    // A replacement character takes up to three times the bytes that it stands for: whoever repeats the text could not write it.
    if (length > STRING_BYTES_MAX / 3 && Buffer.byteLength(text) > STRING_BYTES_MAX)
      return this.fail('a long string is not UTF-8');
    return text;
  }

  data(): Buffer {
    return this.view(this.int32());
  }

  nullableData(): Buffer | null {
    const length = this.int32();
    return length < 0 ? null : this.view(length);
  }

  compactData(): Buffer {
    return this.view(this.compactLength());
  }

  compactNullableData(): Buffer | null {
    const length = this.compactLength();
    return length < 0 ? null : this.view(length);
  }

  /** The next bytes, not copied. */
  private view(length: number): Buffer {
    if (length < 0) return this.fail('bytes that may not be null are null');
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  /** The number of elements of an array, each of which takes at least `elementBytes`; −1 is null. */
  count(elementBytes: number): number {
    return this.checkedCount(this.int32(), elementBytes);
  }

  compactCount(elementBytes: number): number {
    return this.checkedCount(this.compactLength(), elementBytes);
  }

  private checkedCount(count: number, elementBytes: number): number {
    if (count <= 0) return count === 0 ? 0 : -1;
    if (count * elementBytes > this.remaining)
      return this.fail(`an array claims ${count} elements with ${this.remaining} bytes left`);
    if (count > ARRAY_ELEMENTS_MAX) return this.fail(`an array claims ${count} elements, more than ${ARRAY_ELEMENTS_MAX}`);
    this.claimElements(count);
    return count;
  }

  nullArray(): never {
    return this.fail('an array that may not be null is null');
  }

  tagCount(): number {
    const count = this.varint();
    if (count > TAGGED_FIELDS_MAX) this.fail(`a struct claims ${count} tagged fields, more than ${TAGGED_FIELDS_MAX}`);
    return count;
  }

  /** The place where the tagged field that starts here will end. */
  taggedEnd(): number {
    const size = this.varint();
    if (size > this.remaining) this.endsEarly(size);
    return this.offset + size;
  }

  checkTaggedEnd(end: number, tag: number): void {
    if (this.offset !== end) this.fail(`tagged field ${tag} is said to end at byte ${end}`);
  }

  /** Moves over a tagged field that no schema knows; `ranges` are the starts and ends of those seen before it in the struct. */
  passUnknown(ranges: number[] | undefined, start: number, end: number): number[] {
    this.offset = end;
    if (ranges === undefined) return [start, end];
    if (ranges[ranges.length - 1] === start) ranges[ranges.length - 1] = end;
    else ranges.push(start, end);
    return ranges;
  }

  unknownTags(ranges: readonly number[], count: number): UnknownTags {
    const [start, end] = ranges;
    if (ranges.length === 2) return { count, bytes: this.bytes.subarray(start, end) };
    const chunks: Buffer[] = [];
    for (let index = 0; index < ranges.length; index += 2) chunks.push(this.bytes.subarray(ranges[index], ranges[index + 1]));
    return { count, bytes: Buffer.concat(chunks) };
  }

  private claimElements(count: number): void {
    this.elements += count;
    if (this.elements > this.elementsMax) this.fail(`a message claims more than ${this.elementsMax} elements`);
  }

  fail(what: string): never {
    throw new ProtocolError(`At byte ${this.offset}: ${what}`);
  }

  private endsEarly(size: number): never {
    return this.fail(`${size} bytes are needed where ${this.remaining} are left`);
  }

  private beyondSafe(high: number, low: number): number {
    if (high === 0x7fff_ffff && low === 0xffff_ffff) return NO_LIMIT;
    const exact = (BigInt(high) << 32n) + BigInt(low);
    return this.fail(`the 64-bit integer ${exact} is beyond 2^53 and not 2^63 - 1`);
  }
}

function isZero(bytes: Buffer, start: number): boolean {
  for (let index = start; index < start + 16; index++) if (bytes[index] !== 0) return false;
  return true;
}
