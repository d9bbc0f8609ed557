import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { CorruptBatchError } from '../../../src/protocol/records/corrupt-batch-error.ts';
import { scanRecords } from '../../../src/protocol/records/record-scan.ts';
import { RecordWalk, type WalkedRecord } from '../../../src/protocol/records/record-walk.ts';

const anyRecord = fc.record({
  timestamp: fc.integer({ min: 0, max: 2 ** 40 }),
  key: fc.option(fc.uint8Array({ maxLength: 80 })),
  value: fc.option(fc.uint8Array({ maxLength: 300 })),
  headers: fc.array(fc.record({ key: fc.string({ maxLength: 5 }), value: fc.option(fc.uint8Array({ maxLength: 40 })) }), {
    maxLength: 3,
  }),
});
const anyCuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });

function* cut(bytes: Uint8Array, cuts: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const end = at + (cuts[index % cuts.length] ?? 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

function walk(bytes: Uint8Array, count: number, cuts: readonly number[]): WalkedRecord[] | string {
  const seen: WalkedRecord[] = [];
  const records = new RecordWalk({ count, maxRecordBytes: Infinity, visit: (record) => seen.push(record) });
  try {
    for (const piece of cut(bytes, cuts)) records.push(piece);
    records.end();
    return seen;
  } catch (error) {
    if (!(error instanceof CorruptBatchError)) throw error;
    return error.errorName;
  }
}

function scan(bytes: Uint8Array, count: number): string {
  try {
    const cursor = { bytes, position: 0, end: bytes.length };
    scanRecords(cursor, { count, baseTimestamp: 0, earliest: 0, latest: 0, maxRecordBytes: Infinity });
    return 'well-formed';
  } catch (error) {
    if (!(error instanceof CorruptBatchError)) throw error;
    return error.errorName;
  }
}

test('however the bytes are cut, the records are the same', () => {
  const property = fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 12 }), anyCuts, (records, cuts) => {
    const bytes = buildBatch({ records }).subarray(61);
    const first = records[0]?.timestamp ?? 0;
    assert.deepEqual(
      walk(bytes, records.length, cuts),
      records.map(({ timestamp, key, value }, index) => ({
        index,
        timestampDelta: timestamp - first,
        offsetDelta: index,
        keyLength: key?.length ?? -1,
        valueLength: value?.length ?? -1,
      })),
    );
  });
  fc.assert(property, { numRuns: 300 });
});

test('damaged records, missing ones and ones too many are refused exactly where the scan of all bytes refuses them', () => {
  const damage = fc.record({
    at: fc.nat(),
    by: fc.integer({ min: 1, max: 255 }),
    cutOff: fc.nat({ max: 3 }),
    more: fc.nat({ max: 2 }),
  });
  let refused = 0;
  const property = fc.property(
    fc.array(anyRecord, { minLength: 1, maxLength: 6 }),
    anyCuts,
    damage,
    (records, cuts, { at, by, ...rest }) => {
      const whole = Buffer.from(buildBatch({ records }).subarray(61));
      const bytes = whole.subarray(0, Math.max(1, whole.length - rest.cutOff));
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ by;
      const count = records.length + rest.more;
      const found = walk(bytes, count, cuts);
      assert.equal(typeof found === 'string' ? found : 'well-formed', scan(bytes, count));
      if (typeof found === 'string') refused++;
    },
  );
  fc.assert(property, { numRuns: 2000 });
  assert.ok(refused > 200, `${refused}`);
});

test('records that are written anew have other times and are otherwise the same', () => {
  const property = fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 12 }), anyCuts, (records, cuts) => {
    const bytes = buildBatch({ records }).subarray(61);
    const written: Uint8Array[] = [];
    const rewrite = { timestampDelta: (delta: number) => delta * 3, write: (piece: Uint8Array) => void written.push(piece) };
    const walked = new RecordWalk({ count: records.length, maxRecordBytes: Infinity, rewrite });
    for (const piece of cut(bytes, cuts)) walked.push(piece);
    walked.end();
    const first = records[0]?.timestamp ?? 0;
    const later = records.map((record) => ({ ...record, timestamp: first + (record.timestamp - first) * 3 }));
    assert.deepEqual(Buffer.concat(written), Buffer.from(buildBatch({ records: later }).subarray(61)));
  });
  fc.assert(property, { numRuns: 300 });
});
