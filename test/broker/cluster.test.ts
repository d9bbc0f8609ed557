import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf } from '../../src/protocol/errors.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { describeLogDirs } from '../../src/protocol/messages/35-describe-log-dirs.ts';
import { electLeaders } from '../../src/protocol/messages/43-elect-leaders.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import { listConfigResources } from '../../src/protocol/messages/74-list-config-resources.ts';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { BROKER_ID, CLUSTER_ID, idOf, TestBroker } from './test-broker.ts';

const ZERO = 'AAAAAAAAAAAAAAAAAAAAAA';
const software = { clientSoftwareName: 'test', clientSoftwareVersion: '1.0' };

describe('ApiVersions', () => {
  const ask = async (
    version: number,
    input: { clientSoftwareName?: string; clusterId?: string | null; nodeId?: number } = {},
  ) => {
    const broker = await TestBroker.start();
    broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }));
    return broker.call(apiVersions, version, { ...software, ...input });
  };

  it('offers what has a handler, in order of the keys, and claims old versions of Produce for old clients', async () => {
    const broker = await TestBroker.start();
    const { apiKeys } = await broker.call(apiVersions, 0, software);
    const keys = apiKeys.map(({ apiKey }) => apiKey);
    assert.deepEqual(
      keys,
      broker.handlers.map(({ api }) => api.key),
    );
    assert.deepEqual(
      keys,
      keys.toSorted((a, b) => a - b),
    );
    assert.ok([0, 1, 18].every((key) => keys.includes(key)));
    assert.deepEqual(apiKeys[0], { apiKey: 0, minVersion: 0, maxVersion: 13 });
    assert.deepEqual(
      apiKeys.find(({ apiKey }) => apiKey === 22),
      { apiKey: 22, minVersion: 0, maxVersion: 5 },
      'version 6 is unstable',
    );
  });

  it('hides features whose least level is 0 from version 3', async () => {
    const names = async (version: number) => (await ask(version)).supportedFeatures.map(({ name }) => name).toSorted();
    assert.deepEqual(await names(3), ['metadata.version']);
    assert.equal((await names(4)).length, 7);
    const { finalizedFeatures, finalizedFeaturesEpoch } = await ask(3);
    assert.deepEqual(finalizedFeatures, [{ name: 'group.version', maxVersionLevel: 1, minVersionLevel: 1 }]);
    assert.equal(finalizedFeaturesEpoch, 2);
  });

  it('refuses names of software that are none, without closing', async () => {
    for (const clientSoftwareName of ['', 'a b', '-a', 'a-']) {
      const { errorCode, apiKeys } = await ask(3, { clientSoftwareName });
      assert.deepEqual([errorCode, apiKeys], [codeOf('INVALID_REQUEST'), []], clientSoftwareName);
    }
    assert.equal((await ask(3, { clientSoftwareName: 'apache-kafka.java' })).errorCode, 0);
  });

  it('tells a client of another cluster or node to bootstrap again', async () => {
    const errorOf = async (clusterId: string | null, nodeId: number) => (await ask(5, { clusterId, nodeId })).errorCode;
    assert.equal(await errorOf(null, -1), 0);
    assert.equal(await errorOf(CLUSTER_ID, BROKER_ID), 0);
    for (const [clusterId, nodeId] of [
      [null, 1],
      [CLUSTER_ID, -1],
      ['x', -1],
    ] as const) {
      assert.equal(await errorOf(clusterId, nodeId), codeOf('INVALID_REQUEST'));
    }
    for (const [clusterId, nodeId] of [
      ['x', 1],
      [CLUSTER_ID, 77],
      ['x', 77],
    ] as const) {
      assert.equal(await errorOf(clusterId, nodeId), codeOf('REBOOTSTRAP_REQUIRED'));
    }
  });
});

const askFor = (broker: TestBroker, names: readonly string[], allowAutoTopicCreation = true, version = 12) =>
  broker.call(metadata, version, {
    topics: names.map((name) => ({ name, topicId: ZERO })),
    allowAutoTopicCreation,
    includeTopicAuthorizedOperations: false,
  });

describe('The rest of what a broker tells', () => {
  it('is where its logs lie and how large they are', async () => {
    const broker = await TestBroker.start();
    broker.createTopic('a', { partitions: 2 });
    const ask = (topics: { topic: string; partitions: number[] }[] | null) => broker.call(describeLogDirs, 5, { topics });
    const [all] = (await ask(null)).results;
    assert.deepEqual([all?.errorCode, all?.logDir, all?.topics[0]?.partitions.length, all?.isCordoned], [0, '/data', 2, false]);
    assert.ok((all?.totalBytes ?? 0) > 0);
    const [some] = (
      await ask([
        { topic: 'a', partitions: [1, 9] },
        { topic: 'zz', partitions: [0] },
      ])
    ).results;
    assert.deepEqual(some?.topics, [
      { name: 'a', partitions: [{ partitionIndex: 1, partitionSize: 0, offsetLag: 0, isFutureKey: false }] },
    ]);
    assert.deepEqual((await ask([])).results[0]?.topics, []);
  });

  it('is only what its asker may know', async () => {
    const broker = await TestBroker.start({
      services: { authorizer: { isAllowed: (_subject, operation, _type, name) => operation === 'DESCRIBE' && name === 'mine' } },
    });
    broker.createTopic('mine');
    broker.createTopic('theirs');
    const all = await broker.call(metadata, 12, { topics: null, includeTopicAuthorizedOperations: true });
    assert.deepEqual(
      all.topics.map(({ name, topicAuthorizedOperations }) => [name, topicAuthorizedOperations]),
      [['mine', 1 << 8]],
    );
    const some = await askFor(broker, ['theirs', 'nothing']);
    assert.deepEqual(
      some.topics.map(({ errorCode }) => errorCode),
      [29, 29],
      'what exists looks like what does not',
    );
    const [byId] = (
      await broker.call(metadata, 12, {
        topics: [{ name: null, topicId: idOf('theirs') }],
        includeTopicAuthorizedOperations: false,
      })
    ).topics;
    assert.deepEqual([byId?.errorCode, byId?.name], [29, null]);
    assert.equal((await broker.call(describeLogDirs, 5, { topics: null })).errorCode, codeOf('CLUSTER_AUTHORIZATION_FAILED'));
    assert.equal((await broker.call(initProducerId, 5, { transactionalId: null, transactionTimeoutMs: 0 })).errorCode, 31);
    assert.equal((await broker.call(findCoordinator, 2, { key: 'g', keyType: 0, coordinatorKeys: [] })).errorCode, 30);
  });

  it('leaves fenced brokers out unless they are asked for', async () => {
    const broker = await TestBroker.start();
    broker.registerBroker(2, { fenced: true });
    const ids = async (includeFencedBrokers: boolean) =>
      (await broker.call(describeCluster, 2, { includeClusterAuthorizedOperations: false, includeFencedBrokers })).brokers.map(
        ({ brokerId, isFenced }) => [brokerId, isFenced],
      );
    assert.deepEqual(await ids(false), [[1, false]]);
    assert.deepEqual(await ids(true), [
      [1, false],
      [2, true],
    ]);
  });

  it('tells of partitions whose leader or replicas cannot be reached, as each version can', async () => {
    const broker = await TestBroker.start();
    broker.createTopic('a', { replicas: [1, 5], isr: [1], leader: 5 });
    const partition = async (version: number) => {
      const topics = [{ name: 'a', topicId: ZERO }];
      return (await broker.call(metadata, version, { topics, includeTopicAuthorizedOperations: false })).topics[0]?.partitions[0];
    };
    const old = await partition(0);
    assert.deepEqual(
      [old?.errorCode, old?.leaderId, old?.replicaNodes, old?.isrNodes],
      [codeOf('LEADER_NOT_AVAILABLE'), -1, [1], [1]],
    );
    const recent = await partition(12);
    assert.deepEqual(
      [recent?.errorCode, recent?.leaderId, recent?.replicaNodes, recent?.offlineReplicas],
      [codeOf('LEADER_NOT_AVAILABLE'), -1, [1, 5], [5]],
    );
  });
});

describe('ElectLeaders', () => {
  it('knows two kinds of election, and says so at every partition', async () => {
    const broker = await TestBroker.start();
    const request = { electionType: 7, topicPartitions: [{ topic: 't', partitions: [0] }], timeoutMs: 1000 };
    assert.deepEqual(await broker.call(electLeaders, 2, request), {
      throttleTimeMs: 0,
      errorCode: 42,
      replicaElectionResults: [
        { topic: 't', partitionResult: [{ partitionId: 0, errorCode: 42, errorMessage: 'Unknown election type 7' }] },
      ],
    });
    assert.deepEqual(broker.controller.sent, []);
  });
});

describe('ListConfigResources', () => {
  const started = async (isAllowed = true) => {
    const broker = await TestBroker.start({ services: { authorizer: { isAllowed: () => isAllowed } } });
    broker.createTopic('t');
    broker.registerBroker(9, { fenced: true });
    const set = (resourceType: number, resourceName: string, name: string, value: string) =>
      metadataRecord('ConfigRecord', 0, { resourceType, resourceName, name, value });
    broker.apply(
      set(16, 'm', 'interval.ms', '1000'),
      set(32, 'g', 'consumer.session.timeout.ms', '46000'),
      set(2, 't', 'retention.ms', '1'),
    );
    return async (version: number, resourceTypes: readonly number[] = []) => {
      const { errorCode, configResources } = await broker.call(listConfigResources, version, {
        resourceTypes: [...resourceTypes],
      });
      return [errorCode, ...configResources.map(({ resourceName, resourceType }) => `${resourceType} ${resourceName}`)];
    };
  };

  it('lists what has configs, in the order of Apache Kafka: groups, metrics, loggers, brokers, topics', async () => {
    const list = await started();
    assert.deepEqual(await list(1), [0, '32 g', '16 m', '8 1', '4 1', '2 t']);
    assert.deepEqual(await list(1, [2, 16, 2]), [0, '16 m', '2 t']);
    assert.deepEqual(await list(0), [0, '16 m'], 'which is all that version 0 knows');
  });

  it('lists nothing where a type is none, or for whom it is not meant', async () => {
    for (const types of [[0], [1], [99], [16, 99]])
      assert.deepEqual(await (await started())(1, types), [codeOf('UNSUPPORTED_VERSION')]);
    assert.deepEqual(await (await started(false))(1), [codeOf('CLUSTER_AUTHORIZATION_FAILED')]);
  });
});
