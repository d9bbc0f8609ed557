import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimerQueue } from '../../src/base/timer-queue.ts';
import { BrokerMetadata } from '../../src/broker/broker-metadata.ts';
import { MetadataDelta } from '../../src/metadata/metadata-delta.ts';
import { EMPTY_METADATA_IMAGE } from '../../src/metadata/metadata-image.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function changes(metadata: BrokerMetadata) {
  let offset = 0;
  return () => {
    const delta = new MetadataDelta(EMPTY_METADATA_IMAGE);
    metadata.metadataChanged(delta, delta.apply({ offset: ++offset, epoch: 1, timestamp: 0 }));
  };
}

test('followers that take their time hold back those after them, later changes, and who waits for either', async () => {
  const { clock } = simulatedEnvironment();
  const metadata = new BrokerMetadata({ timers: new TimerQueue(clock) });
  const change = changes(metadata);
  const told: string[] = [];
  const ends: (() => void)[] = [];
  metadata.follow((_delta, { provenance }) => {
    told.push(`slow ${provenance.offset}`);
    return new Promise((resolve) => ends.push(resolve));
  });
  metadata.follow((_delta, { provenance }) => void told.push(`quick ${provenance.offset}`));
  change();
  change();
  assert.equal(metadata.image.provenance.offset, 2, 'the image is the newest');
  const waited = metadata.when(({ provenance }) => provenance.offset === 2, 1000).then(() => told.push('waited'));
  metadata.recheck();
  await nextTurn();
  assert.deepEqual(told, ['slow 1']);
  ends[0]?.();
  await nextTurn();
  assert.deepEqual(told, ['slow 1', 'quick 1', 'slow 2']);
  ends[1]?.();
  await waited;
  assert.deepEqual(told, ['slow 1', 'quick 1', 'slow 2', 'quick 2', 'waited']);
});

test('where nobody takes time, everybody is told at once', async () => {
  const metadata = new BrokerMetadata({ timers: new TimerQueue(simulatedEnvironment().clock) });
  let count = 0;
  metadata.follow(() => void count++);
  changes(metadata)();
  assert.equal(count, 1);
  assert.equal(await metadata.when(() => true, 1000), true);
  assert.equal(await metadata.when(({ provenance }) => provenance.offset === 1, 1000), true);
});
