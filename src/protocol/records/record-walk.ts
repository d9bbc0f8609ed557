import { readVarint, readVarlong, sizeOfVarint, VarintError, writeVarint, writeVarlong } from '../../base/bytes/varint.ts';
import { invalidRecord } from './corrupt-batch-error.ts';

/** What is looked at of one record. */
export interface WalkedRecord {
  readonly index: number;
  readonly timestampDelta: number;
  readonly offsetDelta: number;
  /** −1 for null, as in the record. */
  readonly keyLength: number;
  readonly valueLength: number;
}

export interface RecordWalkOptions {
  /** How many records the batch says it has. */
  readonly count: number;
  /** The most bytes of one record, its own length not counted. */
  readonly maxRecordBytes: number;
  /** Told each record when its value has begun. */
  readonly visit?: (record: WalkedRecord) => void;
  /** Given the records anew, in pieces, each with another timestamp delta. */
  readonly rewrite?: { readonly timestampDelta: (delta: number) => number; readonly write: (piece: Uint8Array) => void };
}

type Step = 'head' | 'value' | 'headers' | 'header key' | 'header value';

/** The most bytes that a step looks at before it is done or bytes may be passed over: a length, attributes, a time, an offset, and the length of the key. */
const STEP_BYTES_MAX = 5 + 1 + 10 + 5 + 5;
const ATTRIBUTES_BYTES = 1;

/**
 * Walks over the plain bytes of a batch's records as they come, piece by piece, and keeps nothing of them but a few bytes between two pieces. Throws CorruptBatchError
 * (INVALID_RECORD) unless they are `count` well-formed records and nothing else: what `scanRecords` accepts.
 */
export class RecordWalk {
  readonly #options: RecordWalkOptions;
  #bytes: Uint8Array = Buffer.alloc(0);
  /** The place in `bytes`, and what it is in all that came. */
  #position = 0;
  #before = 0;
  #step: Step = 'head';
  #index = 0;
  #skip = 0;
  /** Where the record under way ends, in all that came. */
  #recordEnd = 0;
  #headersLeft = 0;
  #timestampDelta = 0;
  #offsetDelta = 0;
  #keyLength = 0;

  constructor(options: RecordWalkOptions) {
    this.#options = options;
  }

  push(piece: Uint8Array): void {
    const rest = this.#bytes.subarray(this.#position);
    this.#before += this.#position;
    this.#bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    this.#position = 0;
    this.#walk(false);
  }

  /** All has come. */
  end(): void {
    this.#walk(true);
    if (this.#index < this.#options.count || this.#skip > 0)
      throw invalidRecord('Incorrect declared batch size, premature EOF reached');
  }

  #walk(isLast: boolean): void {
    try {
      const { count } = this.#options;
      while (this.#passSkipped() && this.#index < count) {
        const left = this.#bytes.length - this.#position;
        if (left < STEP_BYTES_MAX && (!isLast || (left === 0 && this.#step === 'head'))) return;
        this.#take();
      }
      if (this.#index === count && this.#position < this.#bytes.length) {
        throw invalidRecord('Incorrect declared batch size, records still remaining in file');
      }
    } catch (error) {
      if (error instanceof VarintError) throw invalidRecord('Found invalid record structure', { cause: error });
      throw error;
    }
  }

  /** Whether all that is to be passed over has come. */
  #passSkipped(): boolean {
    const count = Math.min(this.#skip, this.#bytes.length - this.#position);
    this.#move(count);
    this.#skip -= count;
    return this.#skip === 0;
  }

  #take(): void {
    switch (this.#step) {
      case 'head':
        return this.#takeHead();
      case 'value':
        return this.#takeValue();
      case 'headers':
        return this.#takeHeaders();
      case 'header key': {
        const size = this.#length();
        if (size < 0) throw invalidRecord(`Invalid negative header key size ${size}`);
        this.#passOver(size);
        this.#step = 'header value';
        return;
      }
      case 'header value':
        this.#passOver(Math.max(0, this.#length()));
        this.#headersLeft--;
        return this.#afterHeader();
    }
  }

  #takeHead(): void {
    const cursor = { bytes: this.#bytes, position: this.#position, end: this.#bytes.length };
    const size = readVarint(cursor);
    if (size < 0 || size > this.#options.maxRecordBytes) throw invalidRecord(`Invalid record size: ${size}`);
    this.#recordEnd = this.#before + cursor.position + size;
    cursor.position += ATTRIBUTES_BYTES;
    this.#timestampDelta = readVarlong(cursor);
    this.#offsetDelta = readVarint(cursor);
    const headEnd = cursor.position;
    this.#rewriteHead(this.#recordEnd - this.#before - headEnd);
    this.#position = headEnd;
    this.#keyLength = this.#length();
    this.#passOver(Math.max(0, this.#keyLength));
    this.#step = 'value';
  }

  #takeValue(): void {
    const valueLength = this.#length();
    const { visit } = this.#options;
    if (visit !== undefined) {
      visit({
        index: this.#index,
        timestampDelta: this.#timestampDelta,
        offsetDelta: this.#offsetDelta,
        keyLength: this.#keyLength,
        valueLength,
      });
    }
    this.#passOver(Math.max(0, valueLength));
    this.#step = 'headers';
  }

  #takeHeaders(): void {
    const count = this.#length();
    if (count < 0 || count > this.#recordLeft) throw invalidRecord(`Found invalid number of record headers ${count}`);
    this.#headersLeft = count;
    this.#afterHeader();
  }

  #afterHeader(): void {
    if (this.#headersLeft > 0) {
      this.#step = 'header key';
      return;
    }
    if (this.#recordLeft !== this.#skip)
      throw invalidRecord(`Invalid record size: ${this.#recordLeft - this.#skip} bytes are left`);
    this.#index++;
    this.#step = 'head';
  }

  get #recordLeft(): number {
    return this.#recordEnd - this.#before - this.#position;
  }

  #length(): number {
    const cursor = { bytes: this.#bytes, position: this.#position, end: this.#bytes.length };
    const length = readVarint(cursor);
    this.#move(cursor.position - this.#position);
    return length;
  }

  #passOver(size: number): void {
    if (size > this.#recordLeft) throw invalidRecord('Found invalid record structure');
    this.#skip = size;
  }

  #move(count: number): void {
    if (count === 0) return;
    const start = this.#position;
    this.#position += count;
    this.#options.rewrite?.write(this.#bytes.subarray(start, this.#position));
  }

  #rewriteHead(restBytes: number): void {
    const { rewrite } = this.#options;
    if (rewrite === undefined) return;
    const delta = rewrite.timestampDelta(this.#timestampDelta);
    const fields = Buffer.alloc(ATTRIBUTES_BYTES + 15);
    const fieldsEnd = writeVarint(fields, writeVarlong(fields, ATTRIBUTES_BYTES, delta), this.#offsetDelta);
    const size = fieldsEnd + restBytes;
    const sizeField = Buffer.alloc(sizeOfVarint(size));
    writeVarint(sizeField, 0, size);
    rewrite.write(sizeField);
    rewrite.write(fields.subarray(0, fieldsEnd));
  }
}
