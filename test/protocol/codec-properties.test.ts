import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import * as fc from 'fast-check';
import { ARRAY_ELEMENTS_MAX, ByteReader, MESSAGE_ELEMENTS_MAX, TAGGED_FIELDS_MAX } from '../../src/protocol/byte-reader.ts';
import { decode, encode, ProtocolError, read } from '../../src/protocol/codec.ts';
import { decodeRequestHeader } from '../../src/protocol/header.ts';
import { fromJson, toJson } from '../../src/protocol/json.ts';
import { addPartitionsToTxn } from '../../src/protocol/messages/24-add-partitions-to-txn.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { array, int32, int8, type Message, message, string } from '../../src/protocol/schema.ts';
import { allSchemas, versionsOf } from './all-schemas.ts';
import { arbitraryMessage } from './arbitrary-message.ts';

const everyVersion = [...allSchemas.values()].flatMap((schema) => versionsOf(schema).map((version) => ({ schema, version })));

/** Bytes that say the largest, smallest and oddest lengths, counts, sizes and varints. */
const EXTREMES = [
  'ffffffff',
  '7fffffff',
  '80000000',
  'fffffffe',
  '00ffffff',
  '7fff',
  '8000',
  'ffff',
  'ffffffff0f',
  'ffffffffff',
  '8080808008',
  '80',
  'ff',
  '00',
  '01',
].map((text) => Buffer.from(text, 'hex'));

/** Those that claim the most. */
const CLAIMS = ['7fffffff', '00ffffff', '7fff', 'ffffffff07'].map((text) => Buffer.from(text, 'hex'));

interface Mutation {
  readonly kind: 'overwrite' | 'insert' | 'cut' | 'random';
  readonly at: number;
  readonly bytes: Uint8Array;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('overwrite', 'overwrite', 'insert', 'cut', 'random'),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  bytes: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...EXTREMES) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  ),
});

function mutate(frame: Buffer, { kind, at, bytes }: Mutation): Buffer {
  const place = Math.floor(at * (frame.length + 1));
  if (kind === 'random') return Buffer.from(bytes);
  if (kind === 'cut') return Buffer.from(frame.subarray(0, place));
  return Buffer.concat([frame.subarray(0, place), bytes, frame.subarray(kind === 'insert' ? place : place + bytes.length)]);
}

/** A reader that keeps the largest promise made to an array, in bytes. */
class CountingReader extends ByteReader {
  promised = 0;

  override count(elementBytes: number): number {
    return this.promise(super.count(elementBytes), elementBytes);
  }

  override compactCount(elementBytes: number): number {
    return this.promise(super.compactCount(elementBytes), elementBytes);
  }

  private promise(count: number, elementBytes: number): number {
    this.promised = Math.max(this.promised, count * elementBytes);
    return count;
  }
}

/** Decodes what may be anything: either a value or a ProtocolError, and never more elements promised than bytes are there. */
function survive(schema: Message, version: number, frame: Buffer): void {
  const reader = new CountingReader(frame);
  try {
    read(schema, version, reader);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
  }
  assert.ok(reader.offset <= frame.length);
  assert.ok(reader.promised <= frame.length);
}

test('any message of any version survives encoding and decoding, as bytes and as JSON', () => {
  for (const { schema, version } of everyVersion) {
    fc.assert(
      fc.property(arbitraryMessage(schema, version), (value) => {
        const bytes = encode(schema, version, value as never);
        const decoded = decode(schema, version, bytes);
        assert.deepEqual(decoded, value);
        assert.deepEqual(encode(schema, version, decoded as never), bytes);
        assert.deepEqual(fromJson(schema, version, toJson(schema, version, decoded as never)), decoded);
      }),
      { numRuns: 8 },
    );
  }
});

test('no mutation of a message makes a decoder throw anything but a ProtocolError or promise more than the bytes can hold', () => {
  for (const { schema, version } of everyVersion) {
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(arbitraryMessage(schema, version), mutations, (value, changes) => {
        survive(schema, version, changes.reduce(mutate, encode(schema, version, value as never)));
      }),
      { numRuns: 40 },
    );
  }
});

test('a message cut at any place is a ProtocolError', () => {
  for (const { schema, version } of everyVersion) {
    const [value] = fc.sample(arbitraryMessage(schema, version), { numRuns: 1, seed: 7 });
    const bytes = encode(schema, version, value as never);
    for (let length = 0; length < Math.min(bytes.length, 400); length++) {
      assert.throws(
        () => decode(schema, version, bytes.subarray(0, length)),
        ProtocolError,
        `${schema.name} v${version} at ${length}`,
      );
    }
  }
});

test('no bytes make the header decoder throw anything but a ProtocolError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 0, max: 100 }), (bytes, key) => {
      const frame = Buffer.concat([Buffer.from([0, key]), bytes]);
      try {
        assert.ok(decodeRequestHeader(frame).bodyOffset <= frame.length);
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
      }
    }),
    { numRuns: 5000 },
  );
});

/** Bytes of memory that a run of `work` takes, garbage included: the median, since the engine allocates and collects when it likes. */
function allocatedBy(work: () => void): number {
  const taken = Array.from({ length: 9 }, () => allocatedOnce(work));
  return taken.sort((a, b) => a - b)[4] as number;
}

function allocatedOnce(work: () => void): number {
  const before = getHeapStatistics();
  work();
  const after = getHeapStatistics();
  return after.used_heap_size - before.used_heap_size + after.external_memory - before.external_memory;
}

test('a claimed length or count at any place of any message takes no more memory than 4 times the frame and 64 KiB', () => {
  const limit = (frame: Buffer) => 4 * frame.length + 65_536;
  for (const { schema, version } of everyVersion) {
    const [value] = fc.sample(arbitraryMessage(schema, version), { numRuns: 1, seed: 11 });
    const bytes = encode(schema, version, value as never).subarray(0, 60);
    survive(schema, version, bytes);
    for (let at = 0; at < bytes.length; at++) {
      for (const extreme of CLAIMS) {
        const frame = mutate(bytes, { kind: 'overwrite', at: at / (bytes.length + 1), bytes: extreme });
        const decodeIt = () => survive(schema, version, frame);
        const once = allocatedOnce(decodeIt);
        const taken = once > limit(frame) ? allocatedBy(decodeIt) : once;
        assert.ok(taken <= limit(frame), `${schema.name} v${version} takes ${taken} bytes for ${frame.toString('hex')}`);
      }
    }
  }
});

const refusal = (pattern: RegExp) => (error: unknown) => error instanceof ProtocolError && pattern.test(error.message);

test('an array that claims more elements than its bytes can hold, or than any array may have, is refused', () => {
  const numbers = message({
    name: 'Numbers',
    versions: '0',
    flexible: 'none',
    fields: { numbers: array(int32()), bytes: array(int8()) },
  });
  const claim = (count: number, bytes: number) => {
    const frame = Buffer.alloc(4 + bytes);
    frame.writeInt32BE(count);
    return frame;
  };
  assert.throws(() => decode(numbers, 0, claim(3, 11)), refusal(/claims 3 elements with 11 bytes left/));
  assert.throws(() => decode(numbers, 0, claim(ARRAY_ELEMENTS_MAX + 1, 4_000_100)), refusal(/more than 1000000/));
  assert.equal(decode(numbers, 0, claim(ARRAY_ELEMENTS_MAX, 4_000_004)).numbers.length, ARRAY_ELEMENTS_MAX);
});

test('the arrays of one message have a limit together', () => {
  const topics = Array.from({ length: MESSAGE_ELEMENTS_MAX / ARRAY_ELEMENTS_MAX }, (_, index) => ({
    name: `t${index}`,
    partitions: Array.from({ length: ARRAY_ELEMENTS_MAX }, () => 0),
  }));
  const request = { v3AndBelowTransactionalId: '', v3AndBelowTopics: topics, transactions: [] };
  const bytes = encode(addPartitionsToTxn.request, 0, request);
  assert.throws(() => decode(addPartitionsToTxn.request, 0, bytes), refusal(/more than 4000000 elements/));
});

test('a message has few strings that are too long to be hashed, and many that are not', () => {
  const names = message({ name: 'Names', versions: '0', flexible: 'none', fields: { names: array(string()) } });
  const withNames = (count: number, length: number) =>
    encode(names, 0, { names: Array.from({ length: count }, (_, index) => String(index).padEnd(length)) });
  assert.equal(decode(names, 0, withNames(3000, 16_383), 250_000).names.length, 3000);
  assert.equal(decode(names, 0, withNames(200, 0x7fff), 250_000).names.length, 200);
  assert.throws(() => decode(names, 0, withNames(300, 16_384), 250_000), refusal(/more than 250000 elements/));
});

test('a struct that claims too many tagged fields is refused, and one at the limit is kept as it is', () => {
  const body = Buffer.from('0261026200', 'hex').subarray(0, 4);
  const tags = (count: number) => {
    const head = Buffer.from([(count & 0x7f) | 0x80, count >> 7]);
    return Buffer.concat([
      body,
      head,
      ...Array.from({ length: count }, (_, index) => Buffer.from([0x80 | (index & 0x7f), index >> 7, 0])),
    ]);
  };
  const most = tags(TAGGED_FIELDS_MAX);
  assert.deepEqual(encode(apiVersions.request, 3, decode(apiVersions.request, 3, most)), most);
  assert.throws(() => decode(apiVersions.request, 3, tags(TAGGED_FIELDS_MAX + 1)), refusal(/more than 10000/));
});

test('many unknown tags between known ones are joined once', () => {
  const pair = Buffer.concat([
    Buffer.from('030100', 'hex'),
    Buffer.from('64', 'hex'),
    Buffer.from([0x80, 0x10]),
    Buffer.alloc(2048),
  ]);
  const count = TAGGED_FIELDS_MAX / 2;
  const head = Buffer.concat([Buffer.from('00000100000000', 'hex'), Buffer.from([0x90, 0x4e])]);
  const frame = Buffer.concat([head, ...Array.from({ length: count }, () => pair)]);
  const before = performance.now();
  const value = decode(apiVersions.response, 3, frame);
  assert.ok(performance.now() - before < 2000, 'it is not quadratic');
  assert.equal(value.zkMigrationReady, false);
});

test('a dense frame takes memory in proportion to its bytes', () => {
  const frame = Buffer.alloc(400_004);
  frame.writeInt32BE(200_000);
  const taken = allocatedBy(() => decode(metadata.request, 1, frame));
  assert.ok(taken < 64 * frame.length, `${taken} bytes`);
});
