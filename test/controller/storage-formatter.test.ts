import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { bootstrapRecords, bootstrapSnapshot, type FormatOptions } from '../../src/controller/storage-formatter.ts';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import { formatDirectories } from '../../src/raft/format-directories.ts';
import { VoterSet } from '../../src/raft/voter-set.ts';
import { readMetaProperties } from '../../src/storage/meta-properties.ts';
import { readGolden } from '../golden.ts';
import { unpackFixture } from '../storage/disk-fixture.ts';

const BOOTSTRAP = '__cluster_metadata-0/00000000000000000000-0000000000.checkpoint';

/** A snapshot without the times in it: its batches and the bytes of its keys and values, the header's time cut off. */
function shapeOf(bytes: Uint8Array): unknown[] {
  return [...batchesOf(bytes)].map((batch) => {
    const { baseOffset, lastOffset, sizeInBytes, attributes, partitionLeaderEpoch, producerId } = batch;
    const isHeader = batch.isControl && baseOffset === 0;
    const records = [...recordsOf(batch)].map(({ key, value }, at) => [
      key === null ? null : Buffer.from(key).toString('hex'),
      isHeader && at === 0 ? value?.length : Buffer.from(value ?? []).toString('hex'),
    ]);
    return { baseOffset, lastOffset, sizeInBytes, attributes, partitionLeaderEpoch, producerId, records };
  });
}

const { clock } = simulatedEnvironment();

test('the bootstrap snapshot of a static quorum is that of Apache Kafka 4.4.0, but for its times', (context) => {
  const kafka = readFileSync(join(unpackFixture(context, 'plain'), BOOTSTRAP));
  assert.deepEqual(shapeOf(bootstrapSnapshot({ voters: null }, clock)), shapeOf(kafka));
});

test('the bootstrap snapshot of a dynamic quorum with a SCRAM user is that of Apache Kafka 4.4.0, but for its times', (context) => {
  const directory = unpackFixture(context, 'metadata-v1');
  const kafka = readFileSync(join(directory, BOOTSTRAP));
  const text = readFileSync(join(directory, 'meta.properties'), 'utf8');
  const directoryId = /directory\.id=(.*)/.exec(text)?.[1] ?? '';
  const voters = new VoterSet([
    {
      id: 1,
      directoryId,
      endpoints: [{ name: 'CONTROLLER', host: '127.0.0.1', port: 19410 }],
      minKRaftVersion: 0,
      maxKRaftVersion: 1,
    },
  ]);
  const credential = metadataRecord('UserScramCredentialRecord', 0, {
    name: 'alice',
    mechanism: 1,
    salt: Buffer.from('c2FsdC1vZi1hbGljZQ==', 'base64'),
    storedKey: Buffer.from('soe6WmAbbC5YyVcGWODnwI9A+65fDhA9mpzEnYBw2tw=', 'base64'),
    serverKey: Buffer.from('ZwRm4BKJgHq+yt4A5HNz09juESnAON9HDx55jI7rZVE=', 'base64'),
    iterations: 4096,
  });
  assert.deepEqual(shapeOf(bootstrapSnapshot({ voters, credentials: [credential] }, clock)), shapeOf(kafka));
});

interface Levels {
  readonly 'metadata.version': {
    readonly levels: readonly {
      readonly level: number;
      readonly production: boolean;
      readonly defaultLevels: Readonly<Record<string, number>>;
    }[];
  };
}

test('each metadata version starts a cluster with the feature levels of Apache Kafka', () => {
  const { levels } = (readGolden('features.json.gz') as Levels)['metadata.version'];
  for (const { level, production, defaultLevels } of levels) {
    if (!production) continue;
    const records = bootstrapRecords({ voters: null, metadataVersion: level });
    const found = records.map((record) =>
      record.type === 'FeatureLevelRecord' ? [record.value.name, record.value.featureLevel] : [],
    );
    const expected = Object.entries(defaultLevels)
      .filter(([name, each]) => name !== 'kraft.version' && each > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    assert.deepEqual(found, [['metadata.version', level], ...expected], `at ${level}`);
  }
});

test('levels that do not exist, or that need others, are refused', () => {
  const refused = (options: Omit<FormatOptions, 'voters'>, message: RegExp): void =>
    assert.throws(
      () => bootstrapRecords({ voters: null, ...options }),
      (error) => error instanceof KafkaError && message.test(error.message),
    );
  refused({ metadataVersion: 34 }, /No MetadataVersion with feature level 34/);
  refused({ features: new Map([['no.such.feature', 1]]) }, /Unsupported feature: no.such.feature/);
  refused({ features: new Map([['group.version', 2]]) }, /group.version with feature level 2/);
  refused(
    { metadataVersion: 22, features: new Map([['eligible.leader.replicas.version', 1]]) },
    /depends on metadata.version level 23/,
  );
});

test('a power cut at any moment leaves a directory that is formatted whole, or that counts as not formatted', () => {
  const options = {
    clusterId: 'CNZbIFiDT3ubYPIek50yaA',
    nodeId: 1,
    directories: [{ path: '/data/one', directoryId: 'LCvgKNl36hdjSca7RHhVdg' }],
    metadata: { logDirectory: '/data/one', bootstrapSnapshot: bootstrapSnapshot({ voters: null }, clock) },
  };
  const environment = simulatedEnvironment({ disk: new SimulatedDisk({ isTraced: true }) });
  const { disk } = environment;
  disk.makeDirectory('/data/one');
  disk.syncDirectory('/');
  disk.syncDirectory('/data');
  const from = disk.trace.length;
  formatDirectories(environment, options);
  let formatted = 0;
  for (let at = from; at <= disk.trace.length; at++) {
    const after = disk.crashAt(at, { unsynced: 'lost' });
    const properties = readMetaProperties(after, '/data/one');
    if (properties === null) continue;
    formatted++;
    assert.deepEqual(properties, { nodeId: 1, clusterId: options.clusterId, directoryId: 'LCvgKNl36hdjSca7RHhVdg' });
    assert.deepEqual(after.contents(`/data/one/${BOOTSTRAP}`), Buffer.from(options.metadata.bootstrapSnapshot));
  }
  assert.ok(formatted > 0 && formatted < disk.trace.length - from, 'some moments are before and some after');
});
