import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { ControllerChannel } from '../../src/broker/forwarding.ts';
import type { RequestOf } from '../../src/protocol/schema.ts';
import { codeOf, KafkaError } from '../../src/protocol/errors.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { describeQuorum } from '../../src/protocol/messages/55-describe-quorum.ts';
import { RecordingLogger } from '../server/recording-logger.ts';
import { idOf, TestBroker } from './test-broker.ts';

const ZERO = 'AAAAAAAAAAAAAAAAAAAAAA';

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

  it('is made with a hundred others at most at a time; who asks again gets the rest', async () => {
    const broker = await TestBroker.start();
    const names = Array.from({ length: 250 }, (_, index) => `t${index}`);
    const known = async () => {
      const { topics } = await askFor(broker, names);
      await broker.settle();
      return topics.filter(({ errorCode }) => errorCode === 0).length;
    };
    assert.deepEqual([await known(), await known(), await known(), await known()], [0, 100, 200, 250]);
  });

  it('is not made for who does not want it, where that is off, or under a name that is none', async () => {
    const broker = await TestBroker.start();
    assert.equal((await askFor(broker, ['a'], false)).topics[0]?.errorCode, codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
    assert.equal((await askFor(broker, ['a b'])).topics[0]?.errorCode, codeOf('INVALID_TOPIC_EXCEPTION'));
    const off = await TestBroker.start({ properties: { 'auto.create.topics.enable': 'false' } });
    assert.equal((await askFor(off, ['a'])).topics[0]?.errorCode, codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
    assert.deepEqual([broker.controller.sent, off.controller.sent], [[], []]);
  });

  it('is spoken of in one line, however many the controller does not make', async () => {
    const logger = new RecordingLogger();
    const environment = simulatedEnvironment({ logger: { ...silentLogger, info: (...line) => logger.info(...line) } });
    const refuse: ControllerChannel['send'] = async (_api, request) => {
      const { topics } = request as RequestOf<typeof createTopics>;
      const errorCode = codeOf('POLICY_VIOLATION');
      return { topics: topics.map(({ name }) => ({ name, errorCode, errorMessage: 'too many' })) } as never;
    };
    const broker = await TestBroker.start({ environment, services: { controller: { send: refuse } } });
    const names = Array.from({ length: 100 }, (_, index) => `t${index}`);
    await askFor(broker, names);
    await broker.settle();
    const lines = logger.lines.filter(({ message }) => message === 'A topic was not created on demand');
    assert.deepEqual(
      lines.map(({ facts }) => [facts['topic'], facts['others']]),
      [['t0', 99]],
    );
  });

  it('has its own settings when it belongs to the brokers', async () => {
    const broker = await TestBroker.start({ properties: { 'offsets.topic.num.partitions': '7' } });
    assert.equal((await askFor(broker, ['__consumer_offsets'])).topics[0]?.isInternal, true);
    const sent = broker.controller.sent.map(({ request }) => request as RequestOf<typeof createTopics>);
    const wanted = sent[0]?.topics[0];
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
});

describe('FindCoordinator', () => {
  it('says that there is none yet, in the words of each version, and has it made', async () => {
    const broker = await TestBroker.start();
    const old = await broker.call(findCoordinator, 2, { key: 'g', keyType: 0, coordinatorKeys: [] });
    assert.deepEqual([old.errorCode, old.nodeId, old.host, old.port], [codeOf('COORDINATOR_NOT_AVAILABLE'), -1, '', -1]);
    for (const answer of [
      ['a', codeOf('COORDINATOR_NOT_AVAILABLE'), '', -1],
      ['a', 0, '', 1],
    ]) {
      const { coordinators } = await broker.call(findCoordinator, 4, { keyType: 1, coordinatorKeys: ['a'] });
      assert.deepEqual(
        coordinators.map(({ key, errorCode, errorMessage, nodeId }) => [key, errorCode, errorMessage, nodeId]),
        [answer],
      );
    }
    const errorOf = async (version: number, keyType: number, key: string) =>
      (await broker.call(findCoordinator, version, { keyType, coordinatorKeys: [key] })).coordinators[0]?.errorCode;
    assert.equal(await errorOf(4, 7, 'a'), codeOf('INVALID_REQUEST'));
    assert.equal(await errorOf(5, 2, `g:${ZERO}:0`), codeOf('INVALID_REQUEST'));
    assert.equal(await errorOf(6, 2, 'bad'), codeOf('INVALID_REQUEST'));
    assert.equal(await errorOf(6, 2, `g:${ZERO}:0`), codeOf('COORDINATOR_NOT_AVAILABLE'));
  });
});
