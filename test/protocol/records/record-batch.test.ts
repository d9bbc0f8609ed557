import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import { CorruptBatchError } from '../../../src/protocol/records/corrupt-batch-error.ts';
import { LegacyBatch } from '../../../src/protocol/records/legacy-batch.ts';
import { addToSequence, type RecordBatch } from '../../../src/protocol/records/record-batch.ts';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { type GoldenBatch, goldenBatches } from './golden-batches.ts';

const timestampTypes = { NoTimestampType: 'none', CreateTime: 'create-time', LogAppendTime: 'log-append-time' } as const;

function headerOf(batch: RecordBatch): Partial<Record<keyof GoldenBatch, unknown>> {
  const { bytes: _, start, ...none } = batch;
  assert.deepEqual(none, {});
  return {
    position: start,
    sizeInBytes: batch.sizeInBytes,
    baseOffset: batch.baseOffset,
    magic: batch.magic,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    crc: batch.crc,
    attributes: batch.attributes,
    lastOffsetDelta: batch.lastOffsetDelta,
    baseTimestamp: batch.baseTimestamp,
    maxTimestamp: batch.maxTimestamp,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.baseSequence,
    count: batch.recordsCount,
    compression: batch.codec,
    timestampType: batch.timestampType,
    isTransactional: batch.isTransactional,
    isControl: batch.isControl,
    deleteHorizonMs: batch.deleteHorizonMs,
    lastOffset: batch.lastOffset,
    lastSequence: batch.lastSequence,
  };
}

test('every golden batch is found where it lies and shows the header that Kafka reads', () => {
  let legacy = 0;
  for (const { name, hex, batches, trailingBytes = 0 } of goldenBatches) {
    const bytes = Buffer.from(hex, 'hex');
    const found = [...batchesOf(bytes)];
    assert.equal(found.length, batches.length, name);
    for (const [index, expected] of batches.entries()) {
      const batch = found[index] as RecordBatch;
      batch.ensureValid();
      assert.ok(batch.isCrcValid());
      const header = headerOf(batch);
      for (const [field, value] of Object.entries(expected)) {
        if (field === 'records' || field === 'batchLength') continue;
        const shown = field === 'timestampType' ? timestampTypes[expected.timestampType] : value;
        // An int64 that no number holds reads as the nearest one.
        const wanted = typeof shown === 'string' && /^\d+$/.test(shown) ? Number(shown) : shown;
        assert.equal(header[field as keyof GoldenBatch], wanted, `${name}: ${field}`);
      }
      if (batch instanceof LegacyBatch) legacy += 1;
    }
    assert.equal(bytes.length - (found.at(-1)?.end ?? 0), trailingBytes, name);
  }
  assert.equal(legacy, 6);
});

test('a new base offset and leader epoch leave the checksum as it was', () => {
  const batch = single(buildBatch({ records: [{ value: Buffer.from('a') }, { value: Buffer.from('b') }] }));
  const { crc } = batch;
  batch.setLastOffset(5_000_000_001);
  batch.setPartitionLeaderEpoch(7);
  assert.equal(batch.baseOffset, 5_000_000_000);
  assert.equal(batch.nextOffset, 5_000_000_002);
  assert.equal(batch.partitionLeaderEpoch, 7);
  assert.equal(batch.crc, crc);
  assert.ok(batch.isCrcValid());
});

test('the time of the log sets its bit and a new checksum, and the same time again changes nothing', () => {
  const batch = single(
    buildBatch({ records: [{ value: Buffer.from('a'), timestamp: 5 }], isTransactional: true, producerId: 3 }),
  );
  batch.setMaxTimestamp('log-append-time', 1_700_000_000_000);
  assert.equal(batch.timestampType, 'log-append-time');
  assert.equal(batch.maxTimestamp, 1_700_000_000_000);
  assert.ok(batch.isTransactional);
  assert.ok(batch.isCrcValid());
  const before = Buffer.from(batch.view());
  batch.setMaxTimestamp('log-append-time', 1_700_000_000_000);
  assert.deepEqual(batch.view(), before);
  batch.setMaxTimestamp('create-time', 5);
  assert.equal(batch.timestampType, 'create-time');
  assert.ok(batch.isCrcValid());
});

test('a batch over the given size is refused before it is looked at', () => {
  const bytes = buildBatch({ records: [{ value: Buffer.alloc(100) }] });
  assert.throws(
    () => [...batchesOf(bytes, { maxBatchBytes: 50 })],
    (error) => error instanceof CorruptBatchError && error.errorName === 'CORRUPT_MESSAGE' && /exceeds/.test(error.message),
  );
});

test('sequence numbers start again after the largest int32', () => {
  assert.equal(addToSequence(2_147_483_646, 2), 0);
  assert.equal(addToSequence(2_147_483_647, 1), 0);
  assert.equal(addToSequence(0, 5), 5);
});

function single(bytes: Buffer): RecordBatch {
  const [batch, ...others] = batchesOf(bytes);
  assert.ok(batch !== undefined && others.length === 0);
  return batch;
}
