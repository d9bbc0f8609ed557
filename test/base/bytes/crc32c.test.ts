import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { crc32c, updateCrc32c } from '../../../src/base/bytes/crc32c.ts';
import { readGolden } from '../../golden.ts';

test('the checksum of every golden input is the one Kafka computes', () => {
  const vectors = readGolden('primitives/crc32c.json.gz') as { hex: string; crc32c: number }[];
  assert.ok(vectors.length > 20);
  for (const vector of vectors) assert.equal(crc32c(Buffer.from(vector.hex, 'hex')), vector.crc32c, vector.hex);
});

test('a checksum can be continued at any place, and reads only the range it is given', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), fc.nat(300), (bytes, a, b) => {
      const [start, end] = [Math.min(a, b, bytes.length), Math.min(Math.max(a, b), bytes.length)];
      const whole = crc32c(bytes);
      const parts = [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
      assert.equal(
        parts.reduce((crc, part) => updateCrc32c(crc, part), 0),
        whole,
      );
      assert.equal(crc32c(bytes, start, end), bitByBit(bytes.subarray(start, end)));
    }),
  );
});

test('long inputs, for which there are more tables, have the same checksum as by the definition', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * at * 31 + at) >>> 3);
  for (const [start, end] of [
    [0, bytes.length],
    [1, 70_000],
    [3, 99_998],
    [7, 80],
  ] as const) {
    assert.equal(crc32c(bytes, start, end), bitByBit(bytes.subarray(start, end)));
  }
});

/** The definition, without tables. */
function bitByBit(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f6_3b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}
