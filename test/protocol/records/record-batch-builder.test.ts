import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { CODECS } from '../../../src/protocol/compression/index.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import type { RecordInput } from '../../../src/protocol/records/log-record.ts';
import { RecordBatch } from '../../../src/protocol/records/record-batch.ts';
import { type BatchInput, buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { recordsOf } from '../../../src/protocol/records/record-iterator.ts';
import { goldenBatches, plain } from './golden-batches.ts';

/** What no reader can give back: the records' own times behind the log's, and int64 beyond 2^53. */
const NOT_REBUILT = ['log-append-time-none', 'unsafe-producer-id', 'unsafe-base-offset'];

test('what was read from an uncompressed golden batch is built to the same bytes', () => {
  let built = 0;
  for (const { name, hex } of goldenBatches) {
    if (NOT_REBUILT.includes(name)) continue;
    for (const batch of batchesOf(Buffer.from(hex, 'hex'))) {
      if (batch.magic < 2 || batch.codec !== 'none') continue;
      assert.deepEqual(buildBatch(inputOf(batch)), Buffer.from(batch.view()), name);
      built += 1;
    }
  }
  assert.ok(built > 20, `only ${built} were built`);
});

function inputOf(batch: RecordBatch): BatchInput {
  return {
    records: [...recordsOf(batch)].map((record) => ({ ...record, offsetDelta: record.offset - batch.baseOffset })),
    baseOffset: batch.baseOffset,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.baseSequence,
    isTransactional: batch.isTransactional,
    isControl: batch.isControl,
    lastOffsetDelta: batch.lastOffsetDelta,
    maxTimestamp: batch.maxTimestamp,
    ...(batch.deleteHorizonMs === null ? {} : { deleteHorizonMs: batch.deleteHorizonMs }),
  };
}

test('three records and then two take 119 and 93 bytes', () => {
  const record = (index: number, headers: RecordInput['headers'] = []): RecordInput => ({
    key: Buffer.from(`k${index}`),
    value: Buffer.from(`hello-${index}`),
    timestamp: 1_700_000_000_000 + index,
    headers,
  });
  const first = buildBatch({ records: [record(0, [{ key: 'trace', value: Buffer.from('abc') }]), record(1), record(2)] });
  assert.equal(first.length, 119);
  assert.equal(buildBatch({ records: [record(3), record(4)], baseSequence: 3 }).length, 93);
});

const bytes = fc.uint8Array({ maxLength: 200 });
const record = fc.record({
  key: fc.option(bytes),
  value: fc.option(bytes),
  timestamp: fc.integer({ min: -1, max: 253_402_300_799_999 }),
  headers: fc.array(fc.record({ key: fc.string({ unit: 'binary' }), value: fc.option(bytes) }), { maxLength: 4 }),
});
const batchInput = fc.record({
  records: fc.array(record, { minLength: 1, maxLength: 50 }),
  codec: fc.constantFrom(...CODECS),
  baseOffset: fc.maxSafeNat(),
  partitionLeaderEpoch: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
  producerId: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
  producerEpoch: fc.integer({ min: -1, max: 32_767 }),
  baseSequence: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
  isTransactional: fc.boolean(),
});

test('any records come back from a batch of any codec', () => {
  fc.assert(
    fc.property(batchInput, (input) => {
      const [batch, ...others] = batchesOf(buildBatch(input));
      assert.ok(batch !== undefined && others.length === 0);
      batch.ensureValid();
      const { records, ...header } = input;
      for (const [field, value] of Object.entries(header)) assert.equal(batch[field as keyof typeof header], value, field);
      assert.equal(batch.recordsCount, records.length);
      assert.equal(batch.maxTimestamp, Math.max(...records.map(({ timestamp }) => timestamp)));
      const read = [...recordsOf(batch)].map(({ timestamp, key, value, headers }) => ({
        timestamp,
        key: plain(key),
        value: plain(value),
        headers: headers.map((one) => ({ key: one.key, value: plain(one.value) })),
      }));
      const written = records.map(({ key, value, timestamp, headers }) => ({
        timestamp,
        key: plain(key),
        value: plain(value),
        headers: headers.map((one) => ({ key: Buffer.from(one.key).toString(), value: plain(one.value) })),
      }));
      assert.deepEqual(read, written);
    }),
    { numRuns: 300 },
  );
});

test('whatever is done to the bytes of a batch, reading it ends, and throws only what a peer may be told', () => {
  const change = fc.record({
    at: fc.nat(),
    value: fc.nat(255),
    mendChecksum: fc.boolean(),
    cut: fc.option(fc.nat(), { freq: 8 }),
  });
  let refused = 0;
  fc.assert(
    fc.property(batchInput, fc.array(change, { minLength: 1, maxLength: 4 }), (input, changes) => {
      let mutated = buildBatch(input);
      for (const { at, value, mendChecksum, cut } of changes) {
        mutated[at % mutated.length] = value;
        if (cut !== null) {
          mutated = Buffer.from(mutated.subarray(0, 62 + (cut % mutated.length)));
          mutated.writeInt32BE(mutated.length - 12, 8);
        }
        const size = new RecordBatch(mutated).sizeInBytes;
        if (mendChecksum && size >= 61 && size <= mutated.length) new RecordBatch(mutated).writeCrc();
      }
      try {
        let total = 0;
        for (const batch of batchesOf(mutated)) {
          batch.isCrcValid();
          for (const one of recordsOf(batch, { maxDecompressedBytes: 1 << 20 })) {
            total += (one.key?.length ?? 0) + (one.value?.length ?? 0);
          }
        }
        assert.ok(total <= 1 << 20);
      } catch (error) {
        if (!(error instanceof KafkaError) || error.errorName === 'UNKNOWN_SERVER_ERROR') throw error;
        refused += 1;
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(refused > 100, `only ${refused} were refused`);
});
