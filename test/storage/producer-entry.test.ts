import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ProducerEntry } from '../../src/storage/producer-entry.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('five batches of a producer are remembered, the latest ones, and none of another epoch', () => {
  const entry = new ProducerEntry(7, 0);
  for (let index = 0; index < 8; index++) {
    entry.addBatch({ lastSequence: index, lastOffset: 100 + index, offsetDelta: 0, timestamp: 5 });
  }
  assert.deepEqual(
    entry.batches.map(({ lastSequence }) => lastSequence),
    [3, 4, 5, 6, 7],
  );
  assert.deepEqual([entry.lastSequence, entry.lastOffset], [7, 107]);
  assert.equal(entry.findBatch(0, 2, 2), null);
  assert.equal(entry.findBatch(0, 3, 3)?.lastOffset, 103);
  entry.setEpoch(1);
  assert.deepEqual([entry.batches.length, entry.lastSequence], [0, -1]);
});

test('a producer that has written one batch takes less than 300 bytes', () => {
  const count = 50_000;
  const entries = new Map<number, ProducerEntry>();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let id = 0; id < count; id++) {
    const entry = new ProducerEntry(id, 0);
    const timestamp = 1_790_000_000_000 + id;
    entry.addBatch({ lastSequence: 0, lastOffset: id, offsetDelta: 0, timestamp });
    entry.lastTimestamp = timestamp;
    entries.set(id, entry);
  }
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / entries.size;
  assert.ok(bytes < 300, `${bytes} bytes`);
});
