import { writeInt16, writeInt32, writeInt64 } from '../base/bytes/big-endian.ts';
import { isFileRegion, type Part } from '../base/disk.ts';
import { UUID_BYTES } from '../base/uuid.ts';
import { ProtocolError } from './protocol-error.ts';
import { NO_LIMIT } from './schema.ts';
import { writeUuid } from './write-uuid.ts';

/** Record bytes from this size on are sent as a part of their own instead of being copied. */
const COPY_BYTES_MAX = 4096;
/** A scratch buffer that grew beyond this is not kept for the next message. */
const SCRATCH_BYTES_KEPT = 1_048_576;
const SCRATCH_BYTES = 16_384;
/** No message has more bytes, records not counted: whoever asks for that much at once asks for too much. */
export const MESSAGE_BYTES_MAX = 268_435_456;
const STRING_BYTES_MAX = 0x7fff;
/** Up to this length it is faster to copy a string here than to call the runtime. */
const SHORT_STRING = 48;

const NOTHING = Buffer.alloc(0);

/** The buffer that the next writer takes, and gives back when it is done. */
let scratch: Buffer | null = null;

function takeScratch(): Buffer {
  const taken = scratch ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  scratch = null;
  return taken;
}

/**
 * Writes the primitive types of the protocol. Small values go to a scratch buffer that writers use one after another: a message is
 * encoded in one go and copied out at its end. Parts that are files, or large, are passed through by reference. Throws ProtocolError
 * for a value that its type cannot carry.
 */
export class ByteWriter {
  private buffer = takeScratch();
  private offset = 0;
  private readonly parts: Part[] = [];
  /** Bytes in `parts`. */
  private partsLength = 0;

  /** Bytes written so far, including those of regions. */
  get length(): number {
    return this.partsLength + this.offset;
  }

  /** Makes room for `size` bytes, moves over them and gives the place where they start. */
  private claim(size: number): number {
    const start = this.offset;
    const end = start + size;
    if (end > this.buffer.length) this.grow(end);
    this.offset = end;
    return start;
  }

  private grow(end: number): void {
    if (end > MESSAGE_BYTES_MAX) throw new ProtocolError(`a message has more than ${MESSAGE_BYTES_MAX} bytes beside its records`);
    const larger = Buffer.allocUnsafeSlow(Math.max(end, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.offset);
    this.buffer = larger;
  }

  boolean(value: boolean): void {
    if (typeof value !== 'boolean') this.fail(value, 'a boolean');
    const start = this.claim(1);
    this.buffer[start] = value ? 1 : 0;
  }

  int8(value: number): void {
    if (value !== (value << 24) >> 24) this.fail(value, 'an int8');
    const start = this.claim(1);
    this.buffer[start] = value;
  }

  int16(value: number): void {
    if (value !== (value << 16) >> 16) this.fail(value, 'an int16');
    const start = this.claim(2);
    writeInt16(this.buffer, start, value);
  }

  uint16(value: number): void {
    if (value !== (value & 0xffff)) this.fail(value, 'a uint16');
    const start = this.claim(2);
    writeInt16(this.buffer, start, value);
  }

  int32(value: number): void {
    if (value !== (value | 0)) this.fail(value, 'an int32');
    const start = this.claim(4);
    writeInt32(this.buffer, start, value);
  }

  uint32(value: number): void {
    if (value !== value >>> 0) this.fail(value, 'a uint32');
    const start = this.claim(4);
    writeInt32(this.buffer, start, value);
  }

  int64(value: number): void {
    if (!Number.isSafeInteger(value) && value !== NO_LIMIT) this.fail(value, 'a safe integer or NO_LIMIT');
    const start = this.claim(8);
    writeInt64(this.buffer, start, value);
  }

  /** Any integer from −2^63 to NO_LIMIT. */
  nearestInt64(value: number): void {
    if (!Number.isInteger(value) || value < -NO_LIMIT || value > NO_LIMIT) this.fail(value, 'an int64');
    const start = this.claim(8);
    writeInt64(this.buffer, start, value);
  }

  hash64(value: bigint): void {
    if (typeof value !== 'bigint' || value !== BigInt.asIntN(64, value)) this.fail(value, 'a signed 64-bit bigint');
    const start = this.claim(8);
    this.buffer.writeBigInt64BE(value, start);
  }

  float64(value: number): void {
    if (typeof value !== 'number') this.fail(value, 'a number');
    const start = this.claim(8);
    this.buffer.writeDoubleBE(value, start);
  }

  uuid(value: string): void {
    const start = this.claim(UUID_BYTES);
    if (typeof value !== 'string' || !writeUuid(this.buffer, start, value)) this.fail(value, 'a uuid');
  }

  varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.buffer[this.claim(1)] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    const start = this.claim(1);
    this.buffer[start] = rest;
  }

  string(value: string): void {
    this.text(value, false);
  }

  nullableString(value: string | null): void {
    if (value === null) this.int16(-1);
    else this.text(value, false);
  }

  compactString(value: string): void {
    this.text(value, true);
  }

  compactNullableString(value: string | null): void {
    if (value === null) this.varint(0);
    else this.text(value, true);
  }

  private text(value: string, compact: boolean): void {
    if (typeof value !== 'string') this.fail(value, 'a string');
    if (value.length <= SHORT_STRING && this.shortAscii(value, compact)) return;
    const size = Buffer.byteLength(value, 'utf8');
    if (size > STRING_BYTES_MAX) throw new ProtocolError(`a string of ${size} bytes is longer than ${STRING_BYTES_MAX}`);
    if (compact) this.varint(size + 1);
    else this.int16(size);
    const start = this.claim(size);
    this.buffer.write(value, start, size, 'utf8');
  }

  /** Writes a short string with its length if all its characters are ASCII. */
  private shortAscii(value: string, compact: boolean): boolean {
    const { length } = value;
    const head = compact ? 1 : 2;
    const start = this.claim(head + length);
    const { buffer } = this;
    for (let index = 0; index < length; index++) {
      const character = value.charCodeAt(index);
      if (character > 0x7f) {
        this.offset = start;
        return false;
      }
      buffer[start + head + index] = character;
    }
    if (compact) buffer[start] = length + 1;
    else writeInt16(buffer, start, length);
    return true;
  }

  data(value: Uint8Array): void {
    this.dataLength(value, false);
    this.raw(value);
  }

  nullableData(value: Uint8Array | null): void {
    if (value === null) this.int32(-1);
    else this.data(value);
  }

  compactData(value: Uint8Array): void {
    this.dataLength(value, true);
    this.raw(value);
  }

  compactNullableData(value: Uint8Array | null): void {
    if (value === null) this.varint(0);
    else this.compactData(value);
  }

  private dataLength(value: Uint8Array, compact: boolean): void {
    if (!(value instanceof Uint8Array)) this.fail(value, 'bytes');
    if (compact) this.varint(value.length + 1);
    else this.int32(value.length);
  }

  /** Record bytes, or the parts that together are them; null where a null may be written. */
  records(value: Uint8Array | readonly Part[]): void {
    this.recordParts(value, false);
  }

  nullableRecords(value: Uint8Array | readonly Part[] | null): void {
    if (value === null) this.int32(-1);
    else this.recordParts(value, false);
  }

  compactRecords(value: Uint8Array | readonly Part[]): void {
    this.recordParts(value, true);
  }

  compactNullableRecords(value: Uint8Array | readonly Part[] | null): void {
    if (value === null) this.varint(0);
    else this.recordParts(value, true);
  }

  private recordParts(value: Uint8Array | readonly Part[], compact: boolean): void {
    if (!(value instanceof Uint8Array) && !Array.isArray(value)) this.fail(value, 'record bytes or parts');
    const parts = value instanceof Uint8Array ? [value] : value;
    let size = 0;
    for (const part of parts) size += part.length;
    if (compact) this.varint(size + 1);
    else this.int32(size);
    for (const part of parts) {
      if (part instanceof Uint8Array && part.length < COPY_BYTES_MAX) this.raw(part);
      else this.splice(part);
    }
  }

  /** Passes a part through by reference. */
  private splice(part: Part): void {
    if (part.length === 0) return;
    this.flush();
    this.parts.push(part);
    this.partsLength += part.length;
  }

  raw(value: Uint8Array): void {
    const start = this.claim(value.length);
    this.buffer.set(value, start);
  }

  count(length: number): void {
    this.int32(length);
  }

  compactCount(length: number): void {
    this.varint(length + 1);
  }

  /** Starts a tagged field, whose size comes before it: one byte is reserved. */
  startTagged(tag: number): number {
    this.varint(tag);
    return this.claim(1) + 1;
  }

  /** Ends the tagged field that started at `start`, and moves it if its size takes more than one byte. */
  endTagged(start: number): void {
    const size = this.offset - start;
    if (size > 0x7f) {
      const extra = size > 0x1f_ffff ? (size > 0xfff_ffff ? 4 : 3) : size > 0x3fff ? 2 : 1;
      this.claim(extra);
      this.buffer.copyWithin(start + extra, start, start + size);
    }
    const end = this.offset;
    this.offset = start - 1;
    this.varint(size);
    this.offset = end;
  }

  /** A value in a version that has no place for it. */
  absent(name: string): never {
    throw new ProtocolError(`${name} has a value, but this version does not have the field`);
  }

  fail(value: unknown, what: string): never {
    throw new ProtocolError(`${describe(value)} is not ${what}`);
  }

  private flush(): void {
    if (this.offset === 0) return;
    this.parts.push(this.copyOut());
    this.partsLength += this.offset;
    this.offset = 0;
  }

  private copyOut(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.offset));
  }

  /** All that was written, in order. Ends this writer. */
  toParts(): Part[] {
    this.flush();
    this.release();
    return this.parts;
  }

  /** All that was written in one buffer; for messages without file regions. Ends this writer. */
  toBuffer(): Buffer {
    if (this.parts.length > 0) return joined(this.toParts());
    const bytes = this.copyOut();
    this.release();
    return bytes;
  }

  private release(): void {
    if (this.buffer.length <= SCRATCH_BYTES_KEPT) scratch = this.buffer;
    this.buffer = NOTHING;
    this.offset = 0;
  }
}

function joined(parts: readonly Part[]): Buffer {
  const chunks: Uint8Array[] = [];
  for (const part of parts) {
    if (isFileRegion(part)) throw new ProtocolError('a file region cannot be part of a message in memory');
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === 'object' && value !== null ? `an object of ${value.constructor?.name ?? 'no class'}` : String(value);
}
