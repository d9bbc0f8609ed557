import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  readUnsignedVarint,
  readVarint,
  readVarlong,
  sizeOfUnsignedVarint,
  sizeOfVarint,
  sizeOfVarlong,
  VarintError,
  writeUnsignedVarint,
  writeVarint,
  writeVarlong,
} from '../../../src/base/bytes/varint.ts';
import { readGolden } from '../../golden.ts';

const kinds = {
  varint: { read: readVarint, write: writeVarint, sizeOf: sizeOfVarint },
  varlong: { read: readVarlong, write: writeVarlong, sizeOf: sizeOfVarlong },
  'unsigned-varint': { read: readUnsignedVarint, write: writeUnsignedVarint, sizeOf: sizeOfUnsignedVarint },
} as const;

interface Vector {
  readonly type: keyof typeof kinds | 'unsigned-varlong';
  readonly value: number | string;
  readonly hex: string;
}

interface OddVector {
  readonly type: 'varint' | 'varlong' | 'unsigned-varint';
  readonly hex: string;
  readonly value?: number | string;
  readonly bytesRead?: number;
  readonly exception?: string;
}

const cursorOf = (hex: string) => {
  const bytes = Buffer.from(hex, 'hex');
  return { bytes, position: 0, end: bytes.length };
};

const unzigzag = (value: bigint): number => Number((value >> 1n) ^ -(value & 1n));

test('every varint of Kafka reads to its value and, where a number holds it exactly, writes to its bytes', () => {
  let written = 0;
  for (const { type, value, hex } of readGolden('primitives/varints.json.gz') as Vector[]) {
    const cursor = cursorOf(hex);
    if (type === 'unsigned-varlong') {
      // No message has one; a varlong reads the same bytes and then undoes the zigzag.
      assert.equal(readVarlong(cursor), unzigzag(BigInt(value)), `${type} ${value}`);
      continue;
    }
    const kind = kinds[type];
    assert.equal(kind.read(cursor), Number(value), `${type} ${value}`);
    assert.equal(cursor.position, cursor.end);
    if (typeof value === 'string' && value !== '9223372036854775807') continue;
    const target = Buffer.alloc(10);
    const end = kind.write(target, 0, Number(value));
    assert.equal(target.toString('hex', 0, end), hex, `${type} ${value}`);
    assert.equal(kind.sizeOf(Number(value)), end);
    written += 1;
  }
  assert.ok(written > 600, `only ${written} were written`);
});

test('overlong varints are read as Kafka reads them, and cut or endless ones are refused', () => {
  for (const vector of readGolden('primitives/varints-odd.json.gz') as OddVector[]) {
    const cursor = cursorOf(vector.hex);
    const read = () => kinds[vector.type].read(cursor);
    if (vector.exception === undefined) {
      assert.equal(read(), Number(vector.value), `${vector.type} ${vector.hex}`);
      assert.equal(cursor.position, vector.bytesRead);
    } else {
      const reason = vector.exception === 'BufferUnderflowException' ? 'cut-short' : 'too-long';
      assert.throws(read, (error) => error instanceof VarintError && error.reason === reason, `${vector.type} ${vector.hex}`);
      assert.equal(cursor.position, 0, 'a refused varint does not move the cursor');
    }
  }
});

test('any safe integer survives a varlong, and nothing after the end is read', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      const target = Buffer.alloc(12, 0x80);
      const end = writeVarlong(target, 0, value);
      assert.equal(end, sizeOfVarlong(value));
      assert.equal(readVarlong({ bytes: target, position: 0, end }), value);
      assert.throws(() => readVarlong({ bytes: target, position: 0, end: end - 1 }), VarintError);
    }),
  );
});
