import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import { CorruptBatchError } from '../../../src/protocol/records/corrupt-batch-error.ts';
import type { LogRecord } from '../../../src/protocol/records/log-record.ts';
import type { RecordBatch } from '../../../src/protocol/records/record-batch.ts';
import { recordsOf } from '../../../src/protocol/records/record-iterator.ts';
import { readGolden } from '../../golden.ts';
import { bytesOf, type GoldenRead, goldenBatches, plain } from './golden-batches.ts';

test('every golden batch, whatever its codec, holds the records that Kafka reads', () => {
  let count = 0;
  for (const { name, hex, batches } of goldenBatches) {
    for (const [index, batch] of [...batchesOf(Buffer.from(hex, 'hex'))].entries()) {
      const expected = batches[index]?.records ?? [];
      const records = [...recordsOf(batch)];
      assert.equal(records.length, expected.length, name);
      for (const [place, wanted] of expected.entries()) {
        const record = records[place] as LogRecord;
        assert.equal(record.offset, Number(wanted.offset), name);
        assert.equal(record.timestamp, wanted.timestamp, name);
        assert.deepEqual(plain(record.key), bytesOf(wanted.key), name);
        assert.deepEqual(plain(record.value), bytesOf(wanted.value), name);
        assert.deepEqual(
          record.headers.map((header) => ({ key: header.key, value: plain(header.value) })),
          wanted.headers.map((header) => ({ key: header.key, value: bytesOf(header.value) })),
          name,
        );
        count += 1;
      }
    }
  }
  assert.equal(count, 1492);
});

test('the records of an idempotent batch count on from its sequence', () => {
  const golden = goldenBatches.find(({ name }) => name === 'idempotent-sequence-wraps');
  const [batch] = batchesOf(Buffer.from(golden?.hex ?? '', 'hex'));
  assert.deepEqual(
    [...recordsOf(batch as RecordBatch)].map((record) => record.sequence),
    [2_147_483_646, 2_147_483_647, 0],
  );
});

test('damaged batches are refused at the same place with the same words, or accepted, as Kafka does', () => {
  const outcomes = { CorruptRecordException: 'CORRUPT_MESSAGE', InvalidRecordException: 'INVALID_RECORD' } as const;
  const broken = readGolden('records/broken-batches.json.gz') as (GoldenRead & {
    outcome: 'accepted' | 'refused';
    exception?: keyof typeof outcomes | 'IllegalArgumentException' | 'KafkaException';
    records?: number;
  })[];
  assert.equal(broken.length, 17);
  for (const { name, hex, outcome, exception, message, records } of broken) {
    if (outcome === 'accepted') {
      assert.equal(readAll(hex).length, records, name);
      continue;
    }
    const error = failureOf(hex);
    if (exception === 'CorruptRecordException' || exception === 'InvalidRecordException') {
      assert.equal(error.errorName, outcomes[exception], name);
      assert.equal(error.message, message, name);
    } else {
      // Where Kafka's reader lets an error through that it did not foresee, we say what is wrong.
      assert.equal(error.errorName, 'INVALID_RECORD', name);
    }
  }
});

/**
 * Where we differ on purpose: Kafka ignores what follows a gzip member, which only a mistake puts there; and fails on a batch with a codec, no records and no
 * bytes, which says nothing wrong.
 */
const DIFFERENT = ['gzip trailing junk', 'gzip trailing long junk', 'empty 1 count 0', 'empty 2 count 0', 'empty 3 count 0'];

test('1,268 batches with a byte changed, put in, cut off or compressed oddly are read or refused as Kafka does', () => {
  const mutated = readGolden('records/mutated-batches.json.gz') as (GoldenRead & { records: unknown[] })[];
  assert.equal(mutated.length, 1268);
  const others = mutated.filter(({ name, hex, records, error }) => {
    try {
      assert.deepEqual(readAll(hex), records, name);
      return error !== undefined;
    } catch (thrown) {
      if (thrown instanceof KafkaError) return error === undefined;
      throw thrown;
    }
  });
  assert.deepEqual(others.map(({ name }) => name).toSorted(), DIFFERENT.toSorted());
});

test('records that would take more than the given bytes are MESSAGE_TOO_LARGE', () => {
  for (const name of ['large-gzip', 'large-snappy', 'large-lz4', 'large-zstd']) {
    const golden = goldenBatches.find((batches) => batches.name === name);
    const [batch] = batchesOf(Buffer.from(golden?.hex ?? '', 'hex'));
    assert.ok(batch !== undefined);
    assert.equal([...recordsOf(batch, { maxDecompressedBytes: 102_429 })].length, 2);
    assert.throws(
      () => [...recordsOf(batch, { maxDecompressedBytes: 102_428 })],
      (error) => error instanceof KafkaError && error.errorName === 'MESSAGE_TOO_LARGE',
      name,
    );
  }
});

function readAll(hex: string): unknown[] {
  const all: unknown[] = [];
  for (const batch of batchesOf(Buffer.from(hex, 'hex'))) {
    batch.ensureValid();
    for (const { offset, timestamp, key, value, headers } of recordsOf(batch)) {
      all.push({
        offset,
        timestamp,
        key: hexOf(key),
        value: hexOf(value),
        headers: headers.map((header) => [header.key, hexOf(header.value)]),
      });
    }
  }
  return all;
}

const hexOf = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString('hex'));

function failureOf(hex: string): KafkaError {
  try {
    readAll(hex);
  } catch (error) {
    if (error instanceof KafkaError) return error;
    throw error;
  }
  throw new CorruptBatchError('was accepted');
}
