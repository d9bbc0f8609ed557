import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigEntry, ConfigResource } from '../../src/config/config-entry.ts';
import { ConfigStore } from '../../src/config/config-store.ts';
import { readGolden } from '../golden.ts';

interface LiveEntry {
  readonly value: string | null;
  readonly source: string;
  readonly readOnly: boolean;
  readonly sensitive: boolean;
  readonly type: string;
  readonly synonyms: readonly (readonly [name: string, value: string | null, source: string])[];
}
type Live = Readonly<Record<string, LiveEntry>>;

/** DescribeConfigs of a running Kafka 4.4, before and after changes. */
const live = readGolden('configs-live.json.gz') as Readonly<Record<string, Live>>;

const fromFile = new Map([
  ['process.roles', 'broker,controller'],
  ['node.id', '1'],
  ['broker.id', '1'],
  ['controller.quorum.voters', '1@127.0.0.1:9331'],
  ['listeners', 'PLAINTEXT://127.0.0.1:9330,CONTROLLER://127.0.0.1:9331'],
  ['advertised.listeners', 'PLAINTEXT://127.0.0.1:9330'],
  ['controller.listener.names', 'CONTROLLER'],
  ['log.dirs', '<dir>/data'],
  ['num.partitions', '4'],
  ['offsets.topic.replication.factor', '1'],
  ['transaction.state.log.replication.factor', '1'],
  ['transaction.state.log.min.isr', '1'],
  ['share.coordinator.state.topic.replication.factor', '1'],
  ['share.coordinator.state.topic.min.isr', '1'],
  ['group.initial.rebalance.delay.ms', '0'],
  ['group.consumer.min.session.timeout.ms', '6000'],
  ['group.share.min.record.lock.duration.ms', '1000'],
]);

const allBrokers: ConfigResource = { type: 'broker', name: '' };
const broker: ConfigResource = { type: 'broker', name: '1' };
const topic: ConfigResource = { type: 'topic', name: 'fresh' };

/** A store as the golden node's, with the setting that a cluster with eligible leader replicas is born with. */
function freshStore(): ConfigStore {
  const store = new ConfigStore({ nodeId: 1, fromFile });
  store.replace(allBrokers, new Map([['min.insync.replicas', '1']]));
  return store;
}

const shown = (entries: readonly ConfigEntry[]): Live =>
  Object.fromEntries(
    entries.map(({ name, value, source, readOnly, sensitive, type, synonyms }) => [
      name,
      {
        value,
        source,
        readOnly,
        sensitive,
        type,
        synonyms: synonyms.map((each) => [each.name, each.value, each.source] as const),
      },
    ]),
  );

/** The golden state of a resource is a first description, and what changed in it since. */
const state = (...sections: readonly string[]): Live =>
  Object.assign({}, ...sections.map((section) => live[section] ?? assert.fail(section)));

test('a fresh broker, topic, group and metrics subscription describe themselves as those of Kafka 4.4', () => {
  const store = freshStore();
  assert.deepEqual(shown(store.describe(broker)), state('broker 1'));
  assert.deepEqual(shown(store.describe(allBrokers)), state('broker default'));
  assert.deepEqual(shown(store.describe(topic)), state('topic fresh'));
  assert.deepEqual(shown(store.describe({ type: 'group', name: 'g' })), state('group g'));
  assert.deepEqual(shown(store.describe({ type: 'client-metrics', name: 'cm' })), state('client-metrics none'));
});

test('what is set for a group or a metrics subscription is described as Kafka 4.4 does', () => {
  const store = freshStore();
  store.replace({ type: 'group', name: 'g' }, new Map([['consumer.session.timeout.ms', '50000']]));
  const changed = 'group g, changed by setting consumer.session.timeout.ms';
  assert.deepEqual(shown(store.describe({ type: 'group', name: 'g' })), state('group g', changed));
  const metrics = new Map([
    ['interval.ms', '1000'],
    ['metrics', '*'],
  ]);
  store.replace({ type: 'client-metrics', name: 'cm' }, metrics);
  const expected = state('client-metrics cm, interval.ms and metrics set');
  assert.deepEqual(shown(store.describe({ type: 'client-metrics', name: 'cm' })), expected);
});

test('what is set for all brokers, one broker and a topic shows in values, sources and synonyms as in Kafka 4.4', () => {
  const store = freshStore();
  const forAll = new Map([
    ['min.insync.replicas', '1'],
    ['message.max.bytes', '2000000'],
    ['log.retention.ms', '1000000'],
  ]);
  store.replace(allBrokers, forAll);
  const brokerAfterAll = 'broker 1, changed by the cluster-wide default';
  const topicAfterAll = 'topic fresh, changed by the cluster-wide default';
  assert.deepEqual(shown(store.describe(allBrokers)), state('broker default, with message.max.bytes and log.retention.ms'));
  assert.deepEqual(shown(store.describe(broker)), state('broker 1', brokerAfterAll));
  assert.deepEqual(shown(store.describe(topic)), state('topic fresh', topicAfterAll));

  store.replace(broker, new Map([['message.max.bytes', '3000000']]));
  const brokerAfterOwn = 'broker 1, changed by its own message.max.bytes too';
  assert.deepEqual(shown(store.describe(broker)), state('broker 1', brokerAfterAll, brokerAfterOwn));
  assert.deepEqual(shown(store.describe(topic)), state('topic fresh', topicAfterAll, 'topic fresh, changed by both'));

  const forTopic = new Map([
    ['max.message.bytes', '4000000'],
    ['cleanup.policy', 'compact'],
  ]);
  store.replace(topic, forTopic);
  const topicAfterOwn = 'topic fresh, changed by its own max.message.bytes and cleanup.policy too';
  assert.deepEqual(
    shown(store.describe(topic)),
    state('topic fresh', topicAfterAll, 'topic fresh, changed by both', topicAfterOwn),
  );
});

test("a listener's own password is listed and not shown", () => {
  const store = freshStore();
  store.replace(broker, new Map([['listener.name.plaintext.ssl.keystore.password', 'secret']]));
  assert.deepEqual(shown(store.describe(broker)), state('broker 1', "broker 1, changed by a listener's own password"));
});

test('typed values follow the strongest layer and fall back when it is taken away', () => {
  const store = freshStore();
  assert.equal(store.topic('fresh')['max.message.bytes'], 1_048_588);
  store.replace(allBrokers, new Map([['message.max.bytes', '2']]));
  store.replace(broker, new Map([['message.max.bytes', '3']]));
  assert.equal(store.topic('fresh')['max.message.bytes'], 3);
  store.replace(topic, new Map([['max.message.bytes', '4']]));
  assert.equal(store.topic('fresh')['max.message.bytes'], 4);
  store.replace(topic, new Map());
  store.replace(broker, new Map());
  assert.equal(store.topic('fresh')['max.message.bytes'], 2);
  assert.equal(store.broker()['message.max.bytes'], 2);
});

test('hours, minutes and milliseconds of a broker stand in for the milliseconds of a topic, the finest first', () => {
  const retention = (texts: Readonly<Record<string, string>>) =>
    new ConfigStore({ nodeId: 1, fromFile: new Map([...fromFile, ...Object.entries(texts)]) }).topic('t');
  assert.equal(retention({})['retention.ms'], 604_800_000);
  assert.equal(retention({ 'log.retention.hours': '1' })['retention.ms'], 3_600_000);
  assert.equal(retention({ 'log.retention.hours': '1', 'log.retention.minutes': '7' })['retention.ms'], 420_000);
  assert.equal(retention({ 'log.retention.ms': '5', 'log.retention.minutes': '7' })['retention.ms'], 5);
  assert.equal(retention({ 'log.retention.hours': '-5' })['retention.ms'], -1);
  assert.equal(retention({ 'log.roll.hours': '2' })['segment.ms'], 7_200_000);
  assert.equal(retention({ 'log.roll.jitter.hours': '2' })['segment.jitter.ms'], 7_200_000);
  assert.equal(retention({ 'log.flush.scheduler.interval.ms': '77' })['flush.ms'], 77);
});

test('a dynamic value that cannot be read is as good as none', () => {
  const store = freshStore();
  store.replace(broker, new Map([['message.max.bytes', 'lots']]));
  store.replace(topic, new Map([['cleanup.policy', 'shred']]));
  assert.equal(store.broker()['message.max.bytes'], 1_048_588);
  assert.deepEqual(store.topic('fresh')['cleanup.policy'], ['delete']);
});

test('a config of one listener holds for that listener only', () => {
  const store = new ConfigStore({
    nodeId: 1,
    fromFile: new Map([...fromFile, ['listener.name.plaintext.max.connections', '7']]),
  });
  assert.equal(store.listener('PLAINTEXT')['max.connections'], 7);
  assert.equal(store.broker()['max.connections'], 2_147_483_647);
});
