import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { BatchEncoder, type EncoderRecord, setProducer } from '../../src/client/batch-encoder.ts';
import { CODECS, compress } from '../../src/protocol/compression/index.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';

const data = fc.option(
  fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 80 }).filter((text) => text.isWellFormed()),
  ),
);
const record = fc.record({
  key: data,
  value: data,
  headers: fc.array(fc.record({ key: fc.string({ maxLength: 20 }), value: data }), { maxLength: 3 }),
  timestamp: fc.integer({ min: 0, max: 2 ** 45 }),
});

const bytesOf = (value: Uint8Array | string | null | undefined): Buffer | null =>
  value === null || value === undefined ? null : Buffer.from(value as Uint8Array);

test('records that were written one by one are the batch that the builder makes of them', () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), (records) => {
      const encoder = new BatchEncoder(Buffer.alloc(64 * 1024));
      for (const one of records) assert.ok(encoder.append(one, one.timestamp) > 0);
      const built = buildBatch({
        records: records.map(({ key, value, headers, timestamp }) => ({
          timestamp,
          key: bytesOf(key),
          value: bytesOf(value),
          headers: headers.map((header) => ({ key: header.key, value: bytesOf(header.value) })),
        })),
      });
      assert.deepEqual(
        encoder.finish('none', (bytes) => bytes),
        built,
      );
    }),
    { numRuns: 300 },
  );
});

test('a batch is full when the next record does not fit; a larger one has a batch of its own', () => {
  const encoder = new BatchEncoder(Buffer.alloc(200));
  const one: EncoderRecord = { value: 'x'.repeat(50) };
  assert.ok(encoder.append(one, 0) > 0);
  assert.ok(encoder.append(one, 0) > 0);
  assert.equal(encoder.append(one, 0), 0);
  assert.equal(encoder.count, 2);
  const large = new BatchEncoder(Buffer.alloc(200));
  assert.ok(large.append({ value: 'x'.repeat(5000) }, 0) > 5000);
  assert.equal(large.append(one, 0), 0);
});

test('no record is larger than was foreseen', () => {
  fc.assert(
    fc.property(record, (one) => {
      const encoder = new BatchEncoder(Buffer.alloc(16 * 1024));
      encoder.append({ value: null }, 0);
      const size = encoder.append(one, one.timestamp);
      assert.ok(size + 61 <= BatchEncoder.sizeUpperBound(one));
    }),
  );
});

test('each codec keeps the records, and a producer can be written afterwards', () => {
  for (const codec of CODECS) {
    const encoder = new BatchEncoder(Buffer.alloc(4096));
    for (const value of ['a', 'b', 'c']) encoder.append({ value, key: `k${value}` }, 5);
    const bytes = encoder.finish(codec, (records) => compress(codec, records));
    setProducer(bytes, { producerId: 77, producerEpoch: 3, baseSequence: 12 });
    const batch = new RecordBatch(bytes);
    assert.ok(batch.isCrcValid());
    assert.deepEqual(
      [batch.codec, batch.producerId, batch.producerEpoch, batch.baseSequence, batch.recordsCount],
      [codec, 77, 3, 12, 3],
    );
    assert.deepEqual(
      [...recordsOf(batch)].map((one) => Buffer.from(one.value ?? []).toString()),
      ['a', 'b', 'c'],
    );
  }
});
