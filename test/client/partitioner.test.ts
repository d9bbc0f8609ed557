import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PartitionLoad, StickyPartitioner } from '../../src/client/partitioner.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';

const loads =
  (queued: readonly number[], leaderless: readonly number[] = []): (() => PartitionLoad[]) =>
  () =>
    queued.map((queuedBatches, partition) => ({ partition, queuedBatches, hasLeader: !leaderless.includes(partition) }));

/** How often each partition is chosen when every choice lasts for one record. */
function histogram(queued: readonly number[], leaderless: readonly number[] = []): number[] {
  const partitioner = new StickyPartitioner(new SimulatedRandom(7), 1);
  const counts = queued.map(() => 0);
  for (let round = 0; round < 10_000; round++) {
    const partition = partitioner.partition(queued.length, loads(queued, leaderless));
    counts[partition] = (counts[partition] ?? 0) + 1;
    partitioner.appended(2);
  }
  return counts;
}

test('records stay with one partition until twice a batch of bytes went there', () => {
  const partitioner = new StickyPartitioner(new SimulatedRandom(1), 100);
  const chosen = new Set<number>();
  for (let bytes = 0; bytes < 190; bytes += 10) {
    chosen.add(partitioner.partition(50, loads(Array.from({ length: 50 }, () => 0))));
    partitioner.appended(10);
  }
  assert.equal(chosen.size, 1);
});

test('a full batch ends the stay, once a batch of bytes went there', () => {
  const partitioner = new StickyPartitioner(new SimulatedRandom(1), 100);
  partitioner.partition(3, loads([0, 0, 0]));
  partitioner.appended(50);
  assert.equal(partitioner.batchIsFull(20), false);
  partitioner.appended(30);
  assert.equal(partitioner.batchIsFull(20), true);
});

test('equal partitions are chosen equally', () => {
  for (const count of histogram([0, 0, 0, 0])) assert.ok(Math.abs(count - 2500) < 200, String(count));
});

test('a partition with a long queue is chosen seldom (KIP-794)', () => {
  const [idle = 0, busy = 0, middle = 0] = histogram([0, 9, 5]);
  // Weights 10, 1 and 5 of 16.
  assert.ok(Math.abs(idle - 6250) < 250, String(idle));
  assert.ok(Math.abs(busy - 625) < 150, String(busy));
  assert.ok(Math.abs(middle - 3125) < 250, String(middle));
});

test('partitions without a leader are passed over while others have one', () => {
  assert.equal(histogram([0, 0, 0], [1])[1], 0);
  for (const count of histogram([0, 0], [0, 1])) assert.ok(count > 4000);
});

test('a topic that shrank, by being made anew, is chosen from anew', () => {
  const partitioner = new StickyPartitioner(new SimulatedRandom(3), 1000);
  for (let round = 0; round < 50; round++) {
    partitioner.partition(10, loads(Array.from({ length: 10 }, () => 0)));
    assert.ok(partitioner.partition(2, loads([0, 0])) < 2);
    partitioner.appended(3000);
  }
});
