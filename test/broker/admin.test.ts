import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, KafkaError } from '../../src/protocol/errors.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { describeConfigs } from '../../src/protocol/messages/32-describe-configs.ts';
import { describeLogDirs } from '../../src/protocol/messages/35-describe-log-dirs.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { describeQuorum } from '../../src/protocol/messages/55-describe-quorum.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import type { LogLevels } from '../../src/broker/log-levels.ts';
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
    assert.deepEqual(
      apiKeys.map(({ apiKey }) => apiKey),
      [0, 1, 2, 3, 10, 18, 19, 20, 21, 22, 23, 32, 35, 37, 44, 55, 60, 61, 75],
    );
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

describe('A topic that nobody made', () => {
  it('is made when its metadata is asked for, and is there the next time', async () => {
    const broker = await TestBroker.start({ properties: { 'num.partitions': '3' } });
    const [first] = (await askFor(broker, ['a'])).topics;
    assert.deepEqual([first?.errorCode, first?.partitions], [codeOf('UNKNOWN_TOPIC_OR_PARTITION'), []]);
    await broker.settle();
    const [second] = (await askFor(broker, ['a'])).topics;
    assert.deepEqual([second?.errorCode, second?.partitions.length], [0, 3]);
  });

  it('is asked for once, however many ask while the controller thinks', async () => {
    const broker = await TestBroker.start();
    await Promise.all([askFor(broker, ['a', 'b']), askFor(broker, ['a', 'c']), askFor(broker, ['a'])]);
    const wanted = broker.controller.sent.map(({ request }) =>
      (request as { topics: { name: string }[] }).topics.map(({ name }) => name),
    );
    assert.deepEqual(wanted, [['a', 'b'], ['c']]);
  });

  it('is not made for who does not want it, where that is off, or under a name that is none', async () => {
    const broker = await TestBroker.start();
    assert.equal((await askFor(broker, ['a'], false)).topics[0]?.errorCode, codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
    assert.equal((await askFor(broker, ['a b'])).topics[0]?.errorCode, codeOf('INVALID_TOPIC_EXCEPTION'));
    const off = await TestBroker.start({ properties: { 'auto.create.topics.enable': 'false' } });
    assert.equal((await askFor(off, ['a'])).topics[0]?.errorCode, codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
    assert.deepEqual([broker.controller.sent, off.controller.sent], [[], []]);
  });

  it('has its own settings when it belongs to the brokers', async () => {
    const broker = await TestBroker.start({ properties: { 'offsets.topic.num.partitions': '7' } });
    assert.equal((await askFor(broker, ['__consumer_offsets'])).topics[0]?.isInternal, true);
    const [wanted] = (
      broker.controller.sent[0]?.request as { topics: { numPartitions: number; configs: { name: string; value: string }[] }[] }
    ).topics;
    assert.equal(wanted?.numPartitions, 7);
    assert.deepEqual(wanted?.configs[0], { name: 'cleanup.policy', value: 'compact' });
  });
});

describe('CreateTopics', () => {
  it('answers when the topic can be produced to here', async () => {
    const broker = await TestBroker.start();
    const { send } = broker.controller;
    let commit = () => undefined as void;
    broker.controller.send = async (api, request, options) => {
      if (api.key !== createTopics.key) return send(api, request, options);
      commit = () => void broker.createTopic('a', { partitions: 2 });
      const topic = {
        name: 'a',
        topicId: idOf('a'),
        errorCode: 0,
        errorMessage: null,
        topicConfigErrorCode: 0,
        numPartitions: 2,
        replicationFactor: 1,
        configs: [],
      };
      return { throttleTimeMs: 0, topics: [topic] } as never;
    };
    let isAnswered = false;
    const topics = [{ name: 'a', numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] }];
    const created = broker.call(createTopics, 7, { topics, timeoutMs: 30_000 }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await broker.settle();
    assert.equal(isAnswered, false, 'the controller has decided, this broker has not heard of it');
    commit();
    assert.equal((await created).topics[0]?.errorCode, 0);
    assert.equal(broker.replicaManager.byName('a', 1).isLeader, true);
  });

  it('does not wait for ever for a broker that cannot keep up', async () => {
    const broker = await TestBroker.start();
    broker.controller.send = async () =>
      ({
        throttleTimeMs: 0,
        topics: [
          {
            name: 'a',
            topicId: idOf('a'),
            errorCode: 0,
            errorMessage: null,
            topicConfigErrorCode: 0,
            numPartitions: 1,
            replicationFactor: 1,
            configs: [],
          },
        ],
      }) as never;
    const topics = [{ name: 'a', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }];
    const created = broker.call(createTopics, 7, { topics, timeoutMs: 1000 });
    await broker.advance(1000);
    assert.equal((await created).topics[0]?.errorCode, 0);
  });

  it('tells each topic why when the controller cannot be asked', async () => {
    const broker = await TestBroker.start();
    broker.controller.send = () => Promise.reject(new KafkaError('REQUEST_TIMED_OUT'));
    const topics = [{ name: 'a', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }];
    const { topics: answers } = await broker.call(createTopics, 7, { topics, timeoutMs: 1000 });
    assert.deepEqual(
      answers.map(({ name, errorCode }) => [name, errorCode]),
      [['a', codeOf('REQUEST_TIMED_OUT')]],
    );
    assert.equal((await broker.call(describeQuorum, 2, { topics: [] })).errorCode, codeOf('REQUEST_TIMED_OUT'));
  });
});

describe('Producer ids', () => {
  it('are never given out twice, and come in blocks that are asked for in advance', async () => {
    const broker = await TestBroker.start();
    const ids = new Set<number>();
    const requests = () => broker.controller.sent.filter(({ api }) => api === 'AllocateProducerIds').length;
    for (let count = 0; count < 2500; count++) {
      const { producerId, producerEpoch } = await broker.call(initProducerId, 5, {
        transactionalId: null,
        transactionTimeoutMs: 0,
      });
      assert.equal(producerEpoch, 0);
      ids.add(producerId);
      if (count === 0) assert.equal(requests(), 1);
      if (count === 950) assert.equal(requests(), 2);
    }
    assert.equal(ids.size, 2500);
    assert.deepEqual([Math.min(...ids), Math.max(...ids)], [0, 2499]);
  });

  it('are waited for together, and refused with an error that clients retry when there are none', async () => {
    const broker = await TestBroker.start();
    const ask = () => broker.call(initProducerId, 5, { transactionalId: null, transactionTimeoutMs: 0 });
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    assert.equal(new Set(answers.map(({ producerId }) => producerId)).size, 10);
    assert.equal(broker.controller.sent.length, 1);
    const alone = await TestBroker.start();
    alone.controller.send = () => Promise.reject(new KafkaError('NOT_CONTROLLER'));
    const refused = await alone.call(initProducerId, 5, { transactionalId: null, transactionTimeoutMs: 0 });
    assert.deepEqual(
      [refused.errorCode, refused.producerId, refused.producerEpoch],
      [codeOf('COORDINATOR_LOAD_IN_PROGRESS'), -1, -1],
    );
  });

  it('are not given for transactions, which have no coordinator yet', async () => {
    const broker = await TestBroker.start();
    const { errorCode } = await broker.call(initProducerId, 5, { transactionalId: 't', transactionTimeoutMs: 1000 });
    assert.equal(errorCode, codeOf('COORDINATOR_NOT_AVAILABLE'));
  });
});

describe('FindCoordinator', () => {
  it('says that there is none, in the words of each version', async () => {
    const broker = await TestBroker.start();
    const old = await broker.call(findCoordinator, 2, { key: 'g', keyType: 0, coordinatorKeys: [] });
    assert.deepEqual([old.errorCode, old.nodeId, old.host, old.port], [codeOf('COORDINATOR_NOT_AVAILABLE'), -1, '', -1]);
    const { coordinators } = await broker.call(findCoordinator, 4, { keyType: 1, coordinatorKeys: ['a', 'b'] });
    assert.deepEqual(
      coordinators.map(({ key, errorCode, errorMessage }) => [key, errorCode, errorMessage]),
      [
        ['a', codeOf('COORDINATOR_NOT_AVAILABLE'), ''],
        ['b', codeOf('COORDINATOR_NOT_AVAILABLE'), ''],
      ],
    );
    const errorOf = async (version: number, keyType: number, key: string) =>
      (await broker.call(findCoordinator, version, { keyType, coordinatorKeys: [key] })).coordinators[0]?.errorCode;
    assert.equal(await errorOf(4, 7, 'a'), codeOf('INVALID_REQUEST'));
    assert.equal(await errorOf(5, 2, `g:${ZERO}:0`), codeOf('INVALID_REQUEST'));
    assert.equal(await errorOf(6, 2, 'bad'), codeOf('INVALID_REQUEST'));
    assert.equal(await errorOf(6, 2, `g:${ZERO}:0`), codeOf('COORDINATOR_NOT_AVAILABLE'));
  });
});

describe('DescribeConfigs', () => {
  const describeOne = async (resourceType: number, resourceName: string, keys: string[] | null = null) => {
    const broker = await TestBroker.start({ properties: { 'num.partitions': '4' } });
    broker.createTopic('a', { configs: { 'retention.ms': '1000' } });
    const resources = [{ resourceType, resourceName, configurationKeys: keys }];
    const { results } = await broker.call(describeConfigs, 4, { resources, includeSynonyms: true, includeDocumentation: true });
    assert.ok(results[0] !== undefined);
    return results[0];
  };

  it('tells where the values of a topic come from', async () => {
    const { configs, errorCode, errorMessage } = await describeOne(2, 'a', ['retention.ms', 'segment.bytes', 'nothing']);
    assert.deepEqual([errorCode, errorMessage], [0, '']);
    const [retention, segment] = configs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    assert.deepEqual([retention?.value, retention?.configSource, retention?.configType], ['1000', 1, 5]);
    assert.deepEqual(retention?.synonyms, [{ name: 'retention.ms', value: '1000', source: 1 }]);
    assert.deepEqual(segment?.synonyms, [{ name: 'log.segment.bytes', value: '1073741824', source: 5 }]);
    assert.ok((segment?.documentation?.length ?? 0) > 0);
    assert.ok((await describeOne(2, 'a', [])).configs.length > 30, 'no names are all names');
  });

  it('describes this broker, what holds for all, groups and metrics subscriptions', async () => {
    const partitions = (await describeOne(4, '1', ['num.partitions'])).configs[0];
    assert.deepEqual([partitions?.value, partitions?.configSource, partitions?.readOnly], ['4', 4, true]);
    assert.deepEqual((await describeOne(4, '')).configs, []);
    assert.ok((await describeOne(32, 'g')).configs.length > 20);
    assert.equal((await describeOne(16, 's')).configs.length, 3);
    assert.deepEqual(
      (await describeOne(8, '1')).configs.map(({ name, configSource }) => [name, configSource]),
      [['root', 6]],
    );
  });

  it('says what it cannot describe, and why, as Kafka does', async () => {
    const refusals: readonly (readonly [number, string, string, string])[] = [
      [2, 'zz', 'UNKNOWN_TOPIC_OR_PARTITION', ''],
      [2, '', 'INVALID_TOPIC_EXCEPTION', 'Topic name is invalid: the empty string is not allowed'],
      [4, '2', 'INVALID_REQUEST', 'Unexpected broker id, expected 1 or empty string, but received 2'],
      [4, 'x', 'INVALID_REQUEST', 'Broker id must be an integer, but it is: x'],
      [8, '2', 'INVALID_REQUEST', 'Unexpected broker id, expected 1 but received 2'],
      [8, '', 'INVALID_REQUEST', 'Broker id must not be empty'],
      [16, '', 'INVALID_REQUEST', 'Client metrics subscription name must not be empty'],
      [32, '', 'INVALID_REQUEST', 'Group name must not be empty'],
    ];
    for (const [type, name, error, message] of refusals) {
      const { errorCode, errorMessage } = await describeOne(type, name);
      assert.deepEqual([errorCode, errorMessage], [codeOf(error as 'INVALID_REQUEST'), message]);
    }
    assert.equal((await describeOne(77, 'x')).errorCode, codeOf('INVALID_REQUEST'));
  });
});

describe('IncrementalAlterConfigs', () => {
  type Change = readonly [type: number, name: string, ...configs: (readonly [string, number, string | null])[]];
  const alter = async (broker: TestBroker, changes: readonly Change[], validateOnly = false) => {
    const resources = changes.map(([resourceType, resourceName, ...configs]) => ({
      resourceType,
      resourceName,
      configs: configs.map(([name, configOperation, value]) => ({ name, configOperation, value })),
    }));
    const { responses } = await broker.call(incrementalAlterConfigs, 1, { resources, validateOnly });
    return responses.map(({ errorCode, errorMessage, resourceName }) => [resourceName, errorCode, errorMessage]);
  };
  const INVALID = codeOf('INVALID_REQUEST');

  it('leaves topics to the controller, and puts answers in the order of the request', async () => {
    const broker = await TestBroker.start();
    broker.controller.send = async (_api, request) => {
      const { resources } = request as { resources: { resourceType: number; resourceName: string }[] };
      return {
        throttleTimeMs: 0,
        responses: resources.toReversed().map((resource) => ({ ...resource, errorCode: 0, errorMessage: null })),
      } as never;
    };
    const answers = await alter(broker, [
      [2, 'a', ['retention.ms', 0, '1']],
      [4, '7', ['log.cleaner.threads', 0, '2']],
      [2, 'b', ['retention.ms', 0, '1']],
    ]);
    assert.deepEqual(answers, [
      ['a', 0, null],
      ['7', INVALID, 'Unexpected broker id, expected 1, but received 7'],
      ['b', 0, null],
    ]);
  });

  it('refuses what is wrong in itself, or what this broker cannot take, without asking the controller', async () => {
    const broker = await TestBroker.start();
    const refused: readonly (readonly [Change, string])[] = [
      [[77, 'x', ['a', 0, '1']], 'Unknown resource type 77'],
      [[2, 'a', ['retention.ms', 0, '1'], ['retention.ms', 0, '2']], 'Error due to duplicate config keys'],
      [[2, 'a', ['retention.ms', 0, null]], 'Null value not supported for : retention.ms'],
      [[4, 'x', ['log.cleaner.threads', 0, '1']], 'Node id must be an integer, but it is: x'],
      [[4, '1', ['node.id', 0, '2']], 'Cannot update these configs dynamically: [node.id]'],
      [
        [4, '', ['listeners', 0, 'PLAINTEXT://:1']],
        'Cannot update these configs at default cluster level, broker id must be specified: [listeners]',
      ],
      [
        [4, '1', ['log.cleaner.threads', 0, 'a']],
        'Invalid value a for configuration log.cleaner.threads: Not a number of type INT',
      ],
    ];
    for (const [change, message] of refused) assert.deepEqual(await alter(broker, [change]), [[change[1], INVALID, message]]);
    const twice: Change = [2, 'a', ['retention.ms', 0, '1']];
    assert.deepEqual(
      (await alter(broker, [twice, twice])).map(([, error]) => error),
      [INVALID, INVALID],
    );
    assert.deepEqual(broker.controller.sent, []);
  });

  it('changes the levels of its loggers itself', async () => {
    const levels = new Map([
      ['root', 'INFO'],
      ['log', 'INFO'],
    ]);
    const logLevels: LogLevels = {
      levels,
      set: (name, level) => void levels.set(name, level),
      clear: (name) => void levels.set(name, 'INFO'),
    };
    const broker = await TestBroker.start({ services: { logLevels } });
    assert.deepEqual(await alter(broker, [[8, '1', ['log', 0, 'DEBUG']]], true), [['1', 0, null]]);
    assert.equal(levels.get('log'), 'INFO', 'only looked at');
    await alter(broker, [[8, '1', ['log', 0, 'DEBUG']]]);
    assert.equal(levels.get('log'), 'DEBUG');
    await alter(broker, [[8, '1', ['log', 1, null]]]);
    assert.equal(levels.get('log'), 'INFO');
    const wrong: readonly (readonly [Change, RegExp])[] = [
      [[8, '2', ['log', 0, 'DEBUG']], /^Unexpected node id/],
      [[8, '1', ['nope', 0, 'DEBUG']], /^Logger nope does not exist!$/],
      [[8, '1', ['log', 0, 'LOUD']], /Valid log levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN$/],
      [[8, '1', ['root', 1, null]], /^Removing the log level of the root logger is not allowed$/],
      [[8, '1', ['root', 2, 'INFO']], /^APPEND operation is not allowed/],
    ];
    for (const [change, message] of wrong) assert.match(String((await alter(broker, [change]))[0]?.[2]), message);
  });
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
