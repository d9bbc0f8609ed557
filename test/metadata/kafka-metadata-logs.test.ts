import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import type { Environment } from '../../src/base/environment.ts';
import { configsOf } from '../../src/metadata/image/configs-image.ts';
import { MetadataDelta } from '../../src/metadata/metadata-delta.ts';
import { EMPTY_METADATA_IMAGE, type MetadataImage } from '../../src/metadata/metadata-image.ts';
import { decodeMetadataRecord, encodeMetadataRecord } from '../../src/metadata/metadata-record-serde.ts';
import type { MetadataRecord } from '../../src/metadata/metadata-record.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import { PartitionRaftLog } from '../../src/raft/partition-raft-log.ts';
import type { OffsetAndEpoch } from '../../src/raft/raft-log.ts';
import { loadSnapshot } from '../../src/raft/snapshot-reader.ts';
import { readGolden } from '../golden.ts';
import { unpackFixture } from '../storage/disk-fixture.ts';
import { imageFacts } from './image-facts.ts';

const fixtures = ['plain', 'metadata-v0', 'metadata-v1', 'transactions', 'groups', 'leader-epochs', 'compacted', 'unclean'];

const serde = { encode: encodeMetadataRecord, decode: decodeMetadataRecord };

async function withLog(context: TestContext, fixture: string, use: (log: PartitionRaftLog) => void): Promise<void> {
  const environment: Environment = { ...simulatedEnvironment(), disk: nodeDisk };
  const log = PartitionRaftLog.open(environment, {
    logDirectory: unpackFixture(context, fixture),
    segmentBytes: 1024 * 1024 * 1024,
    segmentMs: 604_800_000,
    retentionBytes: -1,
    retentionMs: -1,
  });
  try {
    use(log);
  } finally {
    await log.close();
  }
}

interface Placed {
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly record: MetadataRecord;
}

function* recordsOfLog(log: PartitionRaftLog): Generator<Placed> {
  for (let offset = log.startOffset; offset < log.end.offset; ) {
    for (const batch of batchesOf(log.read(offset, log.end.offset, 65_536))) {
      offset = batch.nextOffset;
      if (batch.isControl) continue;
      for (const { value, offset: at } of recordsOf(batch)) {
        if (value !== null) yield { offset: at, bytes: value, record: decodeMetadataRecord(value) };
      }
    }
  }
}

function imageOf(records: Iterable<MetadataRecord>, base: MetadataImage = EMPTY_METADATA_IMAGE): MetadataImage {
  const delta = new MetadataDelta(base);
  for (const record of records) delta.replay(record);
  return delta.apply({ offset: 0, epoch: 0, timestamp: 0 });
}

function imageOfSnapshot(log: PartitionRaftLog, id: OffsetAndEpoch): MetadataImage {
  const source = log.readSnapshot(id);
  try {
    return imageOf(loadSnapshot(source, serde).records);
  } finally {
    source.close();
  }
}

for (const fixture of fixtures) {
  test(`every record that Kafka wrote into the metadata log of ${fixture} is read and would be written the same`, (context) =>
    withLog(context, fixture, (log) => {
      let count = 0;
      for (const { bytes, record, offset } of recordsOfLog(log)) {
        assert.ok(encodeMetadataRecord(record).equals(bytes), `${record.type} at ${offset}`);
        count++;
      }
      assert.ok(count > 15, `${count} records`);
    }));
}

for (const fixture of ['metadata-v0', 'metadata-v1']) {
  test(`each snapshot of ${fixture} is the state that the records before it lead to`, (context) =>
    withLog(context, fixture, (log) => {
      const records = [...recordsOfLog(log)];
      const snapshots = log.snapshots().filter(({ offset }) => offset > 0);
      assert.equal(snapshots.length, 6);
      const whole = imageFacts(imageOf(records.map(({ record }) => record)));
      for (const id of snapshots) {
        const before = records.filter(({ offset }) => offset < id.offset).map(({ record }) => record);
        const snapshot = imageOfSnapshot(log, id);
        assert.deepEqual(imageFacts(snapshot), imageFacts(imageOf(before)), `at ${id.offset}`);
        const after = records.filter(({ offset }) => offset >= id.offset).map(({ record }) => record);
        assert.deepEqual(imageFacts(imageOf(after, snapshot)), whole, `from ${id.offset} on`);
      }
    }));
}

interface ExpectedRecord {
  readonly type?: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Expected {
  readonly partitions: Readonly<Record<string, { readonly topicId: string; readonly records: readonly ExpectedRecord[] }>>;
}

const METADATA = '__cluster_metadata-0';

for (const fixture of ['plain', 'metadata-v1', 'groups']) {
  test(`the image of ${fixture} has the topics, partitions, configs and features that its expected file tells`, (context) =>
    withLog(context, fixture, (log) => {
      const { partitions } = readGolden(`disk/${fixture}.expected.json.gz`) as Expected;
      const image = imageOf([...recordsOfLog(log)].map(({ record }) => record));
      const directories = Object.entries(partitions).filter(([name]) => name !== METADATA);
      let partitionCount = 0;
      for (const [name, { topicId }] of directories) {
        const dash = name.lastIndexOf('-');
        const topic = image.topics.byName.get(name.slice(0, dash));
        assert.equal(topic?.id, topicId, name);
        assert.ok(topic.partitions[Number(name.slice(dash + 1))], name);
        partitionCount++;
      }
      const inImage = [...image.topics.byId.values()].reduce((sum, topic) => sum + topic.partitions.length, 0);
      assert.equal(inImage, partitionCount);
      const configs = new Map<string, Map<string, unknown>>();
      const features = new Map<unknown, unknown>();
      const names = new Map<unknown, unknown>();
      for (const { type, value } of partitions[METADATA]?.records ?? []) {
        if (type === 'FeatureLevelRecord') features.set(value['name'], value['featureLevel']);
        if (type === 'TopicRecord') names.set(value['topicId'], value['name']);
        if (type === 'RemoveTopicRecord') configs.delete(`2/${String(names.get(value['topicId']))}`);
        if (type !== 'ConfigRecord') continue;
        const key = `${String(value['resourceType'])}/${String(value['resourceName'])}`;
        const values = configs.get(key) ?? new Map<string, unknown>();
        configs.set(key, values);
        if (typeof value['value'] === 'string') values.set(String(value['name']), value['value']);
        else values.delete(String(value['name']));
      }
      assert.deepEqual(image.features.finalized, features);
      for (const [key, values] of configs) {
        assert.deepEqual(image.configs.resources.get(key)?.values ?? new Map(), values, key);
      }
      assert.ok(configs.size > 0);
      assert.equal(configsOf(image.configs, { type: 'broker', name: '' }).get('min.insync.replicas'), '1');
      assert.equal(image.cluster.brokers.get(1)?.fenced, true);
      assert.equal(image.cluster.controllers.size, 1);
    }));
}
