import { assignReplicasToDirs } from '../../../src/protocol/messages/73-assign-replicas-to-dirs.ts';
import { allocateProducerIds } from '../../../src/protocol/messages/67-allocate-producer-ids.ts';
import { controllerRegistration } from '../../../src/protocol/messages/70-controller-registration.ts';
import { unregisterBroker } from '../../../src/protocol/messages/64-unregister-broker.ts';
import { unregisterController } from '../../../src/protocol/messages/94-unregister-controller.ts';
import { updateFeatures } from '../../../src/protocol/messages/57-update-features.ts';
import { heartbeat, oldFeatures, register } from './brokers.ts';
import { alter, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP, replace, TOPIC } from './configs.ts';
import { directory, expire, incarnation, type Step, step } from './step.ts';
import { changeIsr, create, elect, grow, PREFERRED, remove, removeByName, UNCLEAN } from './topics.ts';

const UNKNOWN_ID = 'UnknownUnknownUnknownA';
const RESERVED = 'AAAAAAAAAAAAAAAAAAAAAQ';

const registrations: Step[] = [
  register('of another cluster', 11, { clusterId: 'another' }),
  register('without directories', 11, { logDirs: [] }),
  register('with a reserved directory', 11, { logDirs: [RESERVED] }),
  register('with a directory twice', 11, { logDirs: [directory(11), directory(11)] }),
  register('by a broker that is too old', 11, { features: oldFeatures }),
  register('by a broker without features', 11, { features: [] }),
  register('first', 11, { rack: 'a' }),
  create('while all are fenced', [
    { name: 'early', partitions: 1, factor: 1 },
    { name: 'early2', replicas: [[11]] },
  ]),
  heartbeat('of an unknown broker', 99, { epoch: 5 }),
  heartbeat('of another epoch', 11, { epoch: 3 }),
  heartbeat('that is behind', 11, { offset: 1 }),
  heartbeat('that is behind, and tells its cordoned directories', 11, { offset: 1, cordonedLogDirs: [] }),
  heartbeat('that wants to stay fenced', 11, { wantFence: true }),
  heartbeat('that unfences', 11),
  heartbeat('that changes nothing', 11, { cordonedLogDirs: [] }),
  register('another incarnation in a living session', 11, { incarnation: 111 }),
  register('the same incarnation again, elsewhere', 11, { rack: 'a', port: 9911 }),
  create('with defaults', [{ name: 'defaults' }, { name: 'one', partitions: 1, factor: 1, configs: { 'retention.ms': '1000' } }]),
  create('the same again', [{ name: 'one', partitions: 1, factor: 1 }]),
  grow('automatically', [{ name: 'one', count: 3 }]),
  create('more replicas than brokers', [{ name: 'many', partitions: 1, factor: 2 }]),
  register('with the directory of another', 12, { logDirs: [directory(11)] }),
  register('second', 12, { rack: 'b' }),
  register('third', 13, { rack: 'a' }),
  register('fourth, with two directories', 14, { logDirs: [directory(14), directory(114)] }),
  heartbeat('unfence 12', 12, { cordonedLogDirs: [] }),
  heartbeat('unfence 12 again', 12),
  heartbeat('unfence 13', 13),
];

const badNames = ['', '.', '..', 'bad name', 'ö', 'a/b', 'x'.repeat(250)];

const creations: Step[] = [
  create(
    'bad names',
    badNames.map((name) => ({ name, partitions: 1, factor: 1 })),
  ),
  create('the longest name', [{ name: 'x'.repeat(249), replicas: [[11]] }]),
  create('names that collide with one another', [
    { name: 'c.d', replicas: [[11]] },
    { name: 'c_d', replicas: [[11]] },
  ]),
  create('a name that collides', [
    { name: 'c_d', replicas: [[11]] },
    { name: 'c.d', replicas: [[11]] },
  ]),
  create('internal names', [
    { name: '__cluster_metadata', partitions: 1, factor: 1 },
    { name: '__consumer_offsets', replicas: [[11]] },
  ]),
  create('a name twice', [
    { name: 'twice', replicas: [[11]] },
    { name: 'twice', replicas: [[12]] },
    { name: 'once', replicas: [[11]] },
  ]),
  create('bad counts', [
    { name: 'n1', partitions: 0, factor: 1 },
    { name: 'n2', partitions: -2, factor: 1 },
    { name: 'n3', partitions: 1, factor: 0 },
    { name: 'n4', partitions: 1, factor: -2 },
    { name: 'n5', partitions: 1, factor: 5 },
    { name: 'n6', partitions: 0, factor: 0 },
  ]),
  create('counts and assignments', [
    { name: 'm1', partitions: 1, replicas: [[11]] },
    { name: 'm2', factor: 1, replicas: [[11]] },
    { name: 'm3', partitions: 1, factor: 1, replicas: [[11]] },
  ]),
  create('bad assignments', [
    { name: 'a1', replicas: [[]] },
    { name: 'a2', replicas: [[99]] },
    { name: 'a3', replicas: [[11, 11]] },
    { name: 'a4', replicas: [[11, 12], [11]] },
    { name: 'a5', replicas: [[14]] },
    { name: 'a6', assigned: [[1, [11]]] },
    {
      name: 'a7',
      assigned: [
        [0, [11]],
        [2, [11]],
      ],
    },
    {
      name: 'a8',
      assigned: [
        [0, [11]],
        [0, [12]],
      ],
    },
    { name: 'a9', assigned: [[-1, [11]]] },
  ]),
  create('bad configs', [
    { name: 'k1', replicas: [[11]], configs: { 'no.such.config': '1' } },
    { name: 'k2', replicas: [[11]], configs: { 'retention.ms': 'abc' } },
    { name: 'k3', replicas: [[11]], configs: { 'retention.ms': null } },
    { name: 'k4', replicas: [[11]], configs: { 'cleanup.policy': 'burn' } },
    { name: 'k5', replicas: [[11]], configs: { 'min.insync.replicas': '0' } },
    { name: 'k6', replicas: [[11]], configs: { 'segment.bytes': '1' } },
    { name: 'k7', replicas: [[11]], configs: { 'compression.type': 'zip' } },
    { name: 'k8', replicas: [[11]], configs: { 'unclean.leader.election.enable': 'maybe' } },
    { name: 'k9', partitions: 0, factor: 1, configs: { 'retention.ms': 'abc' } },
    { name: 'k10', replicas: [[11]], configs: { 'remote.storage.enable': 'true' } },
    { name: 'k11', replicas: [[11]], configs: { 'retention.ms': null, 'segment.ms': null } },
  ]),
  create('only to try', [{ name: 'tried', partitions: 2, factor: 1 }, { name: 'one' }], { validateOnly: true }),
  create('only to try, at version 4', [{ name: 'tried', partitions: 2, factor: 1 }], { validateOnly: true, version: 4 }),
  create('too many partitions', [{ name: 'huge', partitions: 10_001, factor: 1 }]),
  create('three replicas', [
    {
      name: 'three',
      replicas: [
        [11, 12, 13],
        [12, 13, 11],
        [13, 11, 12],
        [14, 12, 11],
      ],
      configs: { 'min.insync.replicas': '2' },
    },
    {
      name: 'unclean',
      replicas: [[11, 12]],
      configs: { 'unclean.leader.election.enable': 'true', 'cleanup.policy': 'compact,delete' },
    },
    { name: 'single', replicas: [[12]] },
    {
      name: 'pair',
      replicas: [
        [12, 13],
        [13, 12],
      ],
    },
  ]),
  grow('wrongly', [
    { name: 'nowhere', count: 3 },
    { name: 'three', count: 4 },
    { name: 'pair', count: 1 },
    { name: 'single', count: 0 },
    { name: 'one', count: 5, replicas: [[11]] },
    { name: 'defaults', count: 5, replicas: [[11, 12]] },
    { name: 'unclean', count: 2, replicas: [[11, 99]] },
    { name: 'once', count: -1 },
  ]),
  grow('onto a fenced broker, and onto a broker twice', [
    { name: 'single', count: 2, replicas: [[14]] },
    { name: 'pair', count: 3, replicas: [[12, 12]] },
    { name: 'unclean', count: 2, replicas: [[]] },
  ]),
  grow('a topic twice', [
    { name: 'pair', count: 3 },
    { name: 'pair', count: 4 },
  ]),
  grow('only to try', [{ name: 'pair', count: 3, replicas: [[12, 13]] }], true),
  grow('by hand', [
    { name: 'pair', count: 3, replicas: [[12, 13]] },
    { name: 'single', count: 3, replicas: [[11], [12]] },
  ]),
  grow('too much', [{ name: 'single', count: 20_000 }]),
];

const isrChanges: Step[] = [
  changeIsr('of another broker epoch', 11, [{ topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11] }], 1),
  changeIsr('refused', 11, [
    { topic: UNKNOWN_ID, partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11] },
    { topic: 'three', partition: 9, leaderEpoch: 0, partitionEpoch: 0, isr: [11] },
    { topic: 'three', partition: 0, leaderEpoch: 1, partitionEpoch: 0, isr: [11] },
    { topic: 'three', partition: 0, leaderEpoch: -1, partitionEpoch: 0, isr: [11] },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 1, isr: [11] },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: -1, isr: [11] },
    { topic: 'three', partition: 1, leaderEpoch: 0, partitionEpoch: 0, isr: [11] },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [] },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [12] },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11, 14] },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11, 11] },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11, 12], epochs: { 12: 1 } },
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11], recovery: 1 },
  ]),
  changeIsr('to what it is', 11, [{ topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11, 12, 13] }]),
  changeIsr('smaller', 11, [{ topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [11, 13] }]),
  changeIsr('below the minimum', 11, [
    { topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 1, isr: [11], epochs: { 11: -1 } },
  ]),
  changeIsr('larger again', 11, [{ topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 2, isr: [11, 13] }]),
  changeIsr('with a broker that is fenced', 12, [
    { topic: 'three', partition: 3, leaderEpoch: 0, partitionEpoch: 0, isr: [12, 14] },
  ]),
  changeIsr('whole', 11, [{ topic: 'three', partition: 0, leaderEpoch: 0, partitionEpoch: 3, isr: [11, 12, 13] }]),
  changeIsr('of a single one', 12, [{ topic: 'single', partition: 0, leaderEpoch: 0, partitionEpoch: 0, isr: [12] }]),
];

const fencing: Step[] = [
  heartbeat('12 wants to be fenced', 12, { wantFence: true }),
  elect('while the preferred is fenced', PREFERRED, { three: [1], pair: [0] }),
  heartbeat('12 comes back', 12),
  elect('wrongly', PREFERRED, { nowhere: [0], three: [0, 1, 9], single: [0] }),
  changeIsr('12 is in sync again', 13, [{ topic: 'three', partition: 1, leaderEpoch: 1, partitionEpoch: 1, isr: [13, 11, 12] }]),
  elect('the preferred', PREFERRED, { three: [1] }),
  elect('all that are not preferred', PREFERRED, null),
  elect('uncleanly where there is a leader', UNCLEAN, { three: [0] }),
  heartbeat('14 unfences', 14, { cordonedLogDirs: [directory(114)] }),
  create('with a directory that is cordoned', [{ name: 'cordoned', replicas: [[14]] }]),
  step('assign directories', assignReplicasToDirs, (known) => ({
    brokerId: 14,
    brokerEpoch: known.epoch(14),
    directories: [
      {
        id: directory(14),
        topics: [
          { topicId: known.topicId('three'), partitions: [{ partitionIndex: 3 }, { partitionIndex: 0 }, { partitionIndex: 7 }] },
          { topicId: UNKNOWN_ID, partitions: [{ partitionIndex: 0 }] },
        ],
      },
      { id: directory(114), topics: [{ topicId: known.topicId('cordoned'), partitions: [{ partitionIndex: 0 }] }] },
    ],
  })),
  step('assign directories again', assignReplicasToDirs, (known) => ({
    brokerId: 14,
    brokerEpoch: known.epoch(14),
    directories: [{ id: directory(14), topics: [{ topicId: known.topicId('three'), partitions: [{ partitionIndex: 3 }] }] }],
  })),
  step('assign directories in another epoch', assignReplicasToDirs, { brokerId: 14, brokerEpoch: 1, directories: [] }),
  heartbeat('14 loses a directory', 14, { offlineLogDirs: [directory(114)] }),
  heartbeat('14 loses it again', 14, { offlineLogDirs: [directory(114)] }),
  step('assign a lost directory', assignReplicasToDirs, (known) => ({
    brokerId: 14,
    brokerEpoch: known.epoch(14),
    directories: [{ id: directory(114), topics: [{ topicId: known.topicId('three'), partitions: [{ partitionIndex: 3 }] }] }],
  })),
  ...[11, 13, 14].map((brokerId) => heartbeat(`${brokerId} tells where it is`, brokerId)),
  heartbeat('12 wants to shut down', 12, { wantShutDown: true }),
  register('12 while it shuts down', 12, { rack: 'b', incarnation: 212, previousEpoch: 'last' }),
  heartbeat('12 may shut down', 12, { wantShutDown: true }),
  register('12 right after its shutdown', 12, { rack: 'b', incarnation: 212, previousEpoch: 'last' }),
  register('15', 15),
  register('15 again, before any heartbeat', 15, { incarnation: 215 }),
  expire('of 12 ends', [11, 13, 14]),
  register('12 after a clean stop', 12, { rack: 'b', incarnation: 312, previousEpoch: 'last' }),
  heartbeat('12 is back', 12),
  expire('of 13 ends', [11, 12, 14]),
  register('13 after a crash', 13, { rack: 'a', incarnation: 213 }),
  heartbeat('13 is back', 13),
  heartbeat('12 is fenced', 12, { wantFence: true }),
  heartbeat('11 is fenced', 11, { wantFence: true }),
  heartbeat('13 is fenced too', 13, { wantFence: true }),
  elect('uncleanly with nobody there', UNCLEAN, { three: [0], unclean: [0] }),
  heartbeat('12 returns first', 12),
  elect('uncleanly', UNCLEAN, { three: [0, 1, 2], unclean: [0] }),
  elect('uncleanly, everywhere', UNCLEAN, null),
  heartbeat('11 returns', 11),
  heartbeat('13 returns', 13),
  expire('of 11 ends', [12, 13, 14]),
  register('11 after a crash', 11, { incarnation: 311, rack: 'a' }),
  heartbeat('11 is back from its crash', 11),
  changeIsr('still recovering', 11, [{ topic: 'one', partition: 0, leaderEpoch: 4, partitionEpoch: 5, isr: [11], recovery: 1 }]),
  changeIsr('recovered', 11, [{ topic: 'one', partition: 0, leaderEpoch: 4, partitionEpoch: 5, isr: [11] }]),
  changeIsr('recovered, and said again', 11, [{ topic: 'one', partition: 0, leaderEpoch: 4, partitionEpoch: 6, isr: [11] }]),
];

const settings: Step[] = [
  alter('a topic', [
    {
      type: TOPIC,
      name: 'one',
      changes: [
        ['set', 'retention.ms', '5000'],
        ['set', 'cleanup.policy', 'compact'],
      ],
    },
  ]),
  alter('to what it is', [{ type: TOPIC, name: 'one', changes: [['set', 'retention.ms', '5000']] }]),
  alter('lists', [{ type: TOPIC, name: 'one', changes: [['append', 'cleanup.policy', 'delete']] }]),
  alter('lists, the other way', [{ type: TOPIC, name: 'one', changes: [['subtract', 'cleanup.policy', 'compact']] }]),
  alter('to the default', [
    {
      type: TOPIC,
      name: 'one',
      changes: [
        ['delete', 'retention.ms'],
        ['delete', 'segment.ms'],
      ],
    },
  ]),
  alter('wrongly', [
    { type: TOPIC, name: 'one', changes: [['set', 'no.such.config', '1']] },
    { type: TOPIC, name: 'three', changes: [['set', 'retention.ms', 'abc']] },
    { type: TOPIC, name: 'pair', changes: [['set', 'retention.ms', null]] },
    { type: TOPIC, name: 'single', changes: [['append', 'retention.ms', '1']] },
    { type: TOPIC, name: 'nowhere', changes: [['set', 'retention.ms', '1']] },
    { type: TOPIC, name: '', changes: [['set', 'retention.ms', '1']] },
    { type: TOPIC, name: 'bad name', changes: [['set', 'retention.ms', '1']] },
    {
      type: TOPIC,
      name: 'unclean',
      changes: [
        ['set', 'retention.ms', '1'],
        ['set', 'segment.ms', 'x'],
      ],
    },
    { type: BROKER, name: 'abc', changes: [['set', 'log.cleaner.threads', '2']] },
    { type: BROKER, name: '-1', changes: [['set', 'log.cleaner.threads', '2']] },
    { type: BROKER, name: '77', changes: [['set', 'log.cleaner.threads', '2']] },
    { type: BROKER_LOGGER, name: '11', changes: [['set', 'kafka', 'INFO']] },
    { type: 1, name: 'x', changes: [['set', 'a', 'b']] },
    { type: 99, name: 'x', changes: [['set', 'a', 'b']] },
  ]),
  alter('a resource twice', [
    { type: TOPIC, name: 'one', changes: [['set', 'retention.ms', '1']] },
    { type: TOPIC, name: 'one', changes: [['set', 'retention.ms', '2']] },
  ]),
  alter('a config twice', [
    {
      type: TOPIC,
      name: 'one',
      changes: [
        ['set', 'retention.ms', '1'],
        ['delete', 'retention.ms'],
      ],
    },
  ]),
  alter('only to try', [{ type: TOPIC, name: 'one', changes: [['set', 'retention.ms', '1']] }], true),
  alter('brokers', [
    { type: BROKER, name: '', changes: [['set', 'log.cleaner.threads', '2']] },
    {
      type: BROKER,
      name: '11',
      changes: [
        ['set', 'log.cleaner.threads', '3'],
        ['set', 'no.such.config', '1'],
      ],
    },
  ]),
  alter('brokers, the same again', [{ type: BROKER, name: '', changes: [['set', 'log.cleaner.threads', '2']] }]),
  alter('brokers, what is not set', [{ type: BROKER, name: '11', changes: [['delete', 'log.cleaner.backoff.ms']] }]),
  alter('the minimum of in-sync replicas of one broker', [
    { type: BROKER, name: '11', changes: [['set', 'min.insync.replicas', '2']] },
  ]),
  alter('the minimum of in-sync replicas away', [{ type: BROKER, name: '', changes: [['delete', 'min.insync.replicas']] }]),
  alter('the minimum of in-sync replicas of all', [{ type: BROKER, name: '', changes: [['set', 'min.insync.replicas', '2']] }]),
  alter('the minimum of in-sync replicas of a topic', [
    { type: TOPIC, name: 'three', changes: [['set', 'min.insync.replicas', '1']] },
  ]),
  alter('the minimum of in-sync replicas back', [{ type: BROKER, name: '', changes: [['set', 'min.insync.replicas', '1']] }]),
  alter('a topic to unclean', [{ type: TOPIC, name: 'pair', changes: [['set', 'unclean.leader.election.enable', 'true']] }]),
  alter('groups and metrics', [
    { type: GROUP, name: 'g', changes: [['set', 'consumer.session.timeout.ms', '50000']] },
    { type: GROUP, name: 'h', changes: [['set', 'consumer.session.timeout.ms', '1']] },
    { type: GROUP, name: '', changes: [['set', 'consumer.session.timeout.ms', '50000']] },
    { type: GROUP, name: 'i', changes: [['set', 'no.such.config', '1']] },
    { type: CLIENT_METRICS, name: 'm', changes: [['set', 'interval.ms', '1000']] },
    { type: CLIENT_METRICS, name: '', changes: [['set', 'interval.ms', '1000']] },
    { type: CLIENT_METRICS, name: 'n', changes: [['set', 'no.such.config', '1000']] },
  ]),
  replace('all of a topic', TOPIC, 'one', { 'retention.ms': '7000', 'segment.ms': '8000' }),
  replace('all of a topic, differently', TOPIC, 'one', { 'segment.ms': '8000' }),
  replace('all of a topic, wrongly', TOPIC, 'one', { 'segment.ms': 'x' }),
  replace('all of a topic, with null', TOPIC, 'one', { 'segment.ms': null }),
  replace('all of an unknown topic', TOPIC, 'nowhere', { 'segment.ms': '8000' }),
  replace('all of the brokers, without the minimum of in-sync replicas', BROKER, '', { 'log.cleaner.threads': '4' }),
  replace('all of the brokers', BROKER, '', { 'log.cleaner.threads': '4', 'min.insync.replicas': '1' }),
];

const others: Step[] = [
  step('producer ids of an unknown broker', allocateProducerIds, { brokerId: 99, brokerEpoch: 1 }),
  step('producer ids of another epoch', allocateProducerIds, { brokerId: 11, brokerEpoch: 1 }),
  step('producer ids', allocateProducerIds, (known) => ({ brokerId: 11, brokerEpoch: known.epoch(11) })),
  step('more producer ids', allocateProducerIds, (known) => ({ brokerId: 12, brokerEpoch: known.epoch(12) })),
  ...updatesOfFeatures(),
  step('a controller', controllerRegistration, {
    controllerId: 2,
    incarnationId: incarnation(2),
    zkMigrationReady: false,
    listeners: [{ name: 'CONTROLLER', host: 'localhost', port: 9999, securityProtocol: 0 }],
    features: [{ name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 33 }],
  }),
  step('an unknown broker away', unregisterBroker, { brokerId: 99 }),
  step('a broker away', unregisterBroker, { brokerId: 14 }),
  step('a broker with leaderships away', unregisterBroker, { brokerId: 12 }),
  step('an unknown controller away', unregisterController, { controllerId: 99 }),
  step('a controller away', unregisterController, { controllerId: 2 }),
  remove('topics', [
    { name: 'one' },
    { idOf: 'pair' },
    { name: 'nowhere' },
    { id: UNKNOWN_ID },
    'nothing',
    { idOf: 'three', name: 'three' },
    { name: '__cluster_metadata' },
  ]),
  remove('a topic twice', [{ name: 'single' }, { name: 'single' }]),
  remove('a topic by name and by id', [{ name: 'unclean' }, { idOf: 'unclean' }]),
  remove('an id twice', [{ idOf: 'three' }, { idOf: 'three' }]),
  removeByName('by name, old', ['single', 'single', 'nowhere', 'defaults'], 1),
  removeByName('by name, newer', ['unclean', 'nowhere'], 5),
  create('one of the deleted again', [{ name: 'pair', replicas: [[11]] }]),
];

function updatesOfFeatures(): Step[] {
  const update = (
    note: string,
    updates: readonly (readonly [string, number, number?])[],
    validateOnly = false,
    version = 2,
  ): Step =>
    step(
      note,
      updateFeatures,
      {
        timeoutMs: 10_000,
        featureUpdates: updates.map(([feature, maxVersionLevel, upgradeType = 1]) => ({
          feature,
          maxVersionLevel,
          ...(version === 0 ? {} : { upgradeType }),
        })),
        ...(version === 0 ? {} : { validateOnly }),
      },
      version,
    );
  return [
    update('no features', []),
    update('an unknown feature', [['no.such.feature', 1]]),
    update('a level that is not there', [['group.version', 9]]),
    update('a negative level', [['group.version', -1]]),
    update('down without saying so', [['group.version', 0]]),
    update('down, only to try', [['group.version', 0, 2]], true),
    update('down', [['group.version', 0, 2]]),
    update('up', [['group.version', 1]]),
    update('to what it is', [['group.version', 1]]),
    update('the metadata version down', [['metadata.version', 32, 2]]),
    update('the metadata version to a level that is not there', [['metadata.version', 99]]),
    update('the metadata version far down', [['metadata.version', 7, 2]]),
    update('the metadata version far down, unsafely', [['metadata.version', 8, 3]], true),
    update('eligible leader replicas off', [['eligible.leader.replicas.version', 0, 2]]),
    update('eligible leader replicas on', [['eligible.leader.replicas.version', 1]]),
    update(
      'several, one wrong',
      [
        ['share.version', 1, 2],
        ['group.version', 9],
      ],
      false,
      1,
    ),
    update('an unknown kind of upgrade', [['group.version', 0, 7]]),
    update('at version 0', [['no.such.feature', 1]], false, 0),
    update('transaction version down', [['transaction.version', 1, 2]]),
  ];
}

/** What is asked of the controller, in this order: every domain, rightly and wrongly. */
export const scenario: readonly Step[] = [...registrations, ...creations, ...isrChanges, ...fencing, ...settings, ...others];
