import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import {
  buildControlBatch,
  buildEndTransactionMarker,
  type ControlRecordInput,
  controlTypeOf,
  readControlRecord,
} from '../../../src/protocol/records/control-record.ts';
import { CorruptBatchError } from '../../../src/protocol/records/corrupt-batch-error.ts';
import { recordsOf } from '../../../src/protocol/records/record-iterator.ts';
import { goldenBatches } from './golden-batches.ts';

test('every golden control record is read, and written again to the same batch', () => {
  const seen = new Set<string>();
  for (const { name, hex, batches } of goldenBatches) {
    for (const [index, batch] of [...batchesOf(Buffer.from(hex, 'hex'))].entries()) {
      if (!batch.isControl) continue;
      const [record] = recordsOf(batch);
      assert.ok(record !== undefined);
      const control = readControlRecord(record);
      assert.equal(control.type, batches[index]?.records[0]?.controlName, name);
      assert.ok(control.type !== 'UNKNOWN');
      seen.add(control.type);
      const common = {
        timestamp: record.timestamp,
        baseOffset: batch.baseOffset,
        partitionLeaderEpoch: batch.partitionLeaderEpoch,
      };
      const built =
        control.type === 'COMMIT' || control.type === 'ABORT'
          ? buildEndTransactionMarker({
              ...common,
              outcome: control.type,
              producerId: batch.producerId,
              producerEpoch: batch.producerEpoch,
              coordinatorEpoch: control.value.coordinatorEpoch,
            })
          : buildControlBatch({ ...common, controls: [control] });
      assert.deepEqual(built, Buffer.from(hex, 'hex'), name);
    }
  }
  assert.equal(seen.size, 7);
});

test('several control records share a batch, as at the head of a snapshot', () => {
  const controls: ControlRecordInput[] = [
    { type: 'SNAPSHOT_HEADER', value: { lastContainedLogTimestamp: 7 } },
    { type: 'KRAFT_VERSION', value: { kRaftVersion: 1 } },
    { type: 'SNAPSHOT_FOOTER' },
  ];
  const [batch] = batchesOf(buildControlBatch({ controls, timestamp: 5 }));
  assert.ok(batch !== undefined);
  assert.deepEqual(
    [...recordsOf(batch)].map((record) => readControlRecord(record).type),
    ['SNAPSHOT_HEADER', 'KRAFT_VERSION', 'SNAPSHOT_FOOTER'],
  );
});

test('a type of a later Kafka is unknown, and a key or value that is too short is corrupt', () => {
  const key = (hex: string) => Buffer.from(hex, 'hex');
  assert.equal(controlTypeOf(key('00000063')), 'UNKNOWN');
  assert.equal(controlTypeOf(key('0005000100')), 'COMMIT');
  for (const bad of [null, key(''), key('000001'), key('ffff0001')]) assert.throws(() => controlTypeOf(bad), CorruptBatchError);
  for (const value of [null, key('00'), key('0000'), key('ffff00000001'), key('00000000')]) {
    assert.throws(() => readControlRecord({ key: key('00000001'), value }), CorruptBatchError);
  }
  assert.throws(() => readControlRecord({ key: key('00000006'), value: key('0000ff') }), CorruptBatchError);
});
