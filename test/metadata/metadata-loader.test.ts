import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetadataDelta } from '../../src/metadata/metadata-delta.ts';
import type { MetadataImage } from '../../src/metadata/metadata-image.ts';
import { type MetadataBatch, MetadataLoader } from '../../src/metadata/metadata-loader.ts';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record.ts';
import type { LoadManifest, MetadataPublisher } from '../../src/metadata/publisher.ts';

class Recorder implements MetadataPublisher {
  readonly name = 'recorder';
  readonly told: { readonly features: readonly string[]; readonly image: MetadataImage; readonly manifest: LoadManifest }[] = [];
  readonly leaders: (number | null)[] = [];

  metadataChanged(delta: MetadataDelta, image: MetadataImage, manifest: LoadManifest): void {
    this.told.push({ features: [...(delta.features?.changes.keys() ?? [])], image, manifest });
  }

  controllerChanged({ leaderId }: { readonly leaderId: number | null }): void {
    this.leaders.push(leaderId);
  }
}

const feature = (name: string): MetadataRecord => metadataRecord('FeatureLevelRecord', 0, { name, featureLevel: 1 });
const begin = metadataRecord('BeginTransactionRecord', 0, { name: 'test' });
const end = metadataRecord('EndTransactionRecord', 0, {});
const abort = metadataRecord('AbortTransactionRecord', 0, { reason: 'test' });

function batch(baseOffset: number, ...records: readonly MetadataRecord[]): MetadataBatch {
  const lastOffset = baseOffset + Math.max(records.length, 1) - 1;
  return { baseOffset, lastOffset, epoch: 1, appendTimestamp: 1000 + baseOffset, sizeInBytes: 100, records };
}

function loaderAt(highWatermark: number | null): { readonly loader: MetadataLoader; readonly recorder: Recorder } {
  const loader = new MetadataLoader(() => highWatermark);
  const recorder = new Recorder();
  loader.install(recorder);
  return { loader, recorder };
}

test('nothing is published before everything is loaded that was committed at the start', () => {
  const { loader, recorder } = loaderAt(6);
  loader.handleLeaderChange({ leaderId: 1, epoch: 1 });
  loader.handleCommit([batch(0, feature('a'), feature('b'))]);
  loader.handleCommit([batch(2, feature('c'))]);
  assert.equal(recorder.told.length, 0);
  assert.deepEqual(recorder.leaders, []);
  loader.handleCommit([batch(3, feature('d'), feature('e'), feature('f'))]);
  assert.deepEqual(
    recorder.told.map(({ features }) => features),
    [['a', 'b', 'c', 'd', 'e', 'f']],
  );
  assert.deepEqual(recorder.leaders, [1]);
  assert.deepEqual(loader.image.provenance, { offset: 5, epoch: 1, timestamp: 1003 });
  assert.deepEqual(recorder.told[0]?.manifest, { source: 'log', bytes: 300 });
});

test('nothing is published while it is not known what is committed', () => {
  const { loader, recorder } = loaderAt(null);
  loader.handleCommit([batch(0, feature('a'))]);
  assert.deepEqual(recorder.told, []);
});

test('later commits are published one by one, each with its own change', () => {
  const { loader, recorder } = loaderAt(1);
  loader.handleCommit([batch(0, feature('a'))]);
  loader.handleCommit([batch(1, feature('b')), batch(2, feature('c'))]);
  loader.handleCommit([batch(3)]);
  assert.deepEqual(
    recorder.told.map(({ features }) => features),
    [['a'], ['b', 'c'], []],
  );
  assert.equal(loader.image.provenance.offset, 3);
});

test('records of a transaction are published when it ends, across batches, and never when it is aborted', () => {
  const { loader, recorder } = loaderAt(1);
  loader.handleCommit([batch(0, feature('a'))]);
  loader.handleCommit([batch(1, begin, feature('b'))]);
  assert.ok(loader.isInTransaction);
  assert.equal(loader.image.provenance.offset, 0);
  loader.handleCommit([batch(3, feature('c'), end, feature('d'))]);
  assert.deepEqual(
    recorder.told.map(({ features }) => features),
    [['a'], ['b', 'c', 'd']],
  );
  assert.equal(loader.image.provenance.offset, 5);
  loader.handleCommit([batch(6, begin, feature('x')), batch(8, abort, feature('e'))]);
  assert.deepEqual(recorder.told.at(-1)?.features, ['e']);
  assert.ok(!loader.image.features.finalized.has('x'));
});

test('a log that ends within a transaction is caught up with all the same', () => {
  const { loader, recorder } = loaderAt(3);
  loader.handleCommit([batch(0, feature('a')), batch(1, begin, feature('b'))]);
  assert.deepEqual(
    recorder.told.map(({ features }) => features),
    [['a']],
  );
});

test('a snapshot replaces what was known', () => {
  const { loader, recorder } = loaderAt(2);
  loader.handleCommit([batch(0, feature('a'), feature('b'))]);
  loader.handleLoadSnapshot({
    offset: 10,
    epoch: 2,
    lastContainedLogTimestamp: 77,
    sizeInBytes: 500,
    records: [feature('b'), feature('c')],
  });
  assert.deepEqual([...loader.image.features.finalized.keys()], ['b', 'c']);
  assert.deepEqual(loader.image.provenance, { offset: 9, epoch: 2, timestamp: 77 });
  assert.deepEqual(recorder.told.at(-1)?.manifest, { source: 'snapshot', bytes: 500 });
});

test('a publisher that comes late is told everything at once, and one that has left nothing more', () => {
  const { loader, recorder } = loaderAt(1);
  loader.handleCommit([batch(0, feature('a'), feature('b'))]);
  const late = new Recorder();
  loader.install(late);
  assert.deepEqual(
    late.told.map(({ features }) => features),
    [['a', 'b']],
  );
  loader.remove(recorder);
  loader.handleCommit([batch(2, feature('c'))]);
  assert.equal(recorder.told.length, 1);
  assert.equal(late.told.length, 2);
});
