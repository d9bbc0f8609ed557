import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { MetadataDelta } from '../../src/metadata/metadata-delta.ts';
import { EMPTY_METADATA_IMAGE, type MetadataImage } from '../../src/metadata/metadata-image.ts';
import type { LoadManifest } from '../../src/metadata/publisher.ts';
import { SnapshotGenerator } from '../../src/metadata/snapshot-generator.ts';

interface Subject {
  readonly clock: SimulatedClock;
  readonly emitted: number[];
  readonly failures: unknown[];
  finish: (error?: Error) => void;
  publish(offset: number, manifest: LoadManifest): void;
}

function subject(maxBytes: number, maxIntervalMs: number): Subject {
  const clock = new SimulatedClock();
  const made: Subject = {
    clock,
    emitted: [],
    failures: [],
    finish: () => undefined,
    publish: (offset, manifest) => {
      const image: MetadataImage = { ...EMPTY_METADATA_IMAGE, provenance: { offset, epoch: 1, timestamp: 1 } };
      generator.metadataChanged(new MetadataDelta(image), image, manifest);
    },
  };
  const generator = new SnapshotGenerator({
    clock,
    logger: silentLogger,
    maxBytes,
    maxIntervalMs,
    emit: (image) => {
      made.emitted.push(image.provenance.offset);
      return new Promise((resolve, reject) => {
        made.finish = (error) => (error === undefined ? resolve() : reject(error));
      });
    },
    failed: (error) => void made.failures.push(error),
  });
  return made;
}

const log = (bytes: number): LoadManifest => ({ source: 'log', bytes });

test('a snapshot is written when enough of the log has come, and the next one after as much again', async () => {
  const made = subject(100, 0);
  made.publish(1, log(60));
  assert.deepEqual(made.emitted, []);
  made.publish(2, log(40));
  assert.deepEqual(made.emitted, [2]);
  made.finish();
  await made.clock.scheduler.run(1);
  made.publish(3, log(99));
  made.publish(4, log(1));
  assert.deepEqual(made.emitted, [2, 4]);
});

test('one snapshot is written at a time; what comes meanwhile counts for the next', async () => {
  const made = subject(100, 0);
  made.publish(1, log(100));
  made.publish(2, log(500));
  assert.deepEqual(made.emitted, [1]);
  made.finish();
  await made.clock.scheduler.run(1);
  made.publish(3, log(1));
  assert.deepEqual(made.emitted, [1, 3]);
});

test('a snapshot is written when enough time has passed, but only if something has come', async () => {
  const made = subject(1_000_000, 3_600_000);
  await made.clock.scheduler.run(7_200_000);
  assert.deepEqual(made.emitted, []);
  made.publish(1, log(1));
  assert.deepEqual(made.emitted, [1]);
});

test('a snapshot that was loaded needs no other one', () => {
  const made = subject(100, 0);
  made.publish(1, log(99));
  made.publish(50, { source: 'snapshot', bytes: 5000 });
  made.publish(51, log(99));
  assert.deepEqual(made.emitted, []);
});

test('a snapshot that cannot be written is told', async () => {
  const made = subject(10, 0);
  made.publish(1, log(10));
  made.finish(new Error('no space'));
  await made.clock.scheduler.run(1);
  assert.equal(made.failures.length, 1);
});
