import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { electLeaders } from '../../src/protocol/messages/43-elect-leaders.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { imageFacts } from '../metadata/image-facts.ts';
import { MemoryRaftLog } from '../raft/memory-raft-log.ts';
import { ask, send, TestBroker } from './brokers.ts';
import { TestController } from './test-controller.ts';

const DUPLICATE_BROKER_REGISTRATION = 101;

const topic = (name: string, numPartitions = 1, replicationFactor = 1) => ({
  topics: [{ name, numPartitions, replicationFactor, assignments: [], configs: [] }],
});

const types = (subject: TestController, from = 0): string[] => subject.recordsFrom(from).map(({ type }) => type);

async function withBroker(id: number): Promise<{ subject: TestController; broker: TestBroker }> {
  const subject = await TestController.started();
  const broker = new TestBroker(() => subject, id);
  await broker.register();
  await broker.heartbeat();
  return { subject, broker };
}

test('the first controller of a cluster begins the log as Apache Kafka does', async () => {
  const subject = await TestController.started();
  assert.deepEqual(
    subject.log.batches.map(({ baseOffset, lastOffset }) => [baseOffset, lastOffset]),
    [
      [0, 0],
      [1, 9],
      [10, 10],
    ],
  );
  assert.deepEqual(types(subject), [
    'BeginTransactionRecord',
    ...Array.from({ length: 6 }, () => 'FeatureLevelRecord'),
    'ConfigRecord',
    'EndTransactionRecord',
    'RegisterControllerRecord',
  ]);
  assert.equal(subject.loader.image.features.finalized.get('metadata.version'), 33);
});

test('a controller that starts again writes its registration and nothing of the bootstrap', async () => {
  const first = await TestController.started();
  await first.raft.close();
  const end = first.log.end.offset;
  const subject = await TestController.started({
    environment: first.environment,
    log: first.log,
    settings: { incarnationId: 'IncIncIncIncIncInc002A' },
  });
  assert.deepEqual(types(subject, end), ['RegisterControllerRecord']);
  assert.equal(subject.raft.leaderAndEpoch.epoch, 2);
});

test('an answer comes when what it tells is durable, and not before', async () => {
  const { subject } = await withBroker(11);
  subject.log.held = [];
  let isAnswered = false;
  const answer = send(subject, createTopics, topic('t')).then((response) => {
    isAnswered = true;
    return response;
  });
  await subject.run(1000);
  assert.ok(!isAnswered);
  assert.equal(subject.loader.image.topics.byName.size, 0, 'brokers see committed records only');
  assert.equal(subject.controller.image.topics.byName.size, 1, 'the next decision sees what was decided');
  const refused = send(subject, createTopics, topic('t'));
  subject.log.held.shift()?.();
  subject.log.held = null;
  assert.equal((await subject.resolve(answer)).topics[0]?.errorCode, 0);
  assert.equal(subject.loader.image.topics.byName.size, 1, 'who has the answer finds the topic in the image');
  assert.equal((await subject.resolve(refused)).topics[0]?.errorCode, 36);
});

test('a decision that writes nothing is told when what it rests on is durable', async () => {
  const { subject } = await withBroker(11);
  subject.log.held = [];
  const told: string[] = [];
  const created = send(subject, createTopics, topic('t')).then(() => told.push('created'));
  const exists = send(subject, createTopics, topic('t')).then(() => told.push('exists'));
  await subject.run(100);
  assert.deepEqual(told, []);
  subject.log.held.shift()?.();
  await subject.resolve(Promise.all([created, exists]));
  assert.deepEqual(told, ['created', 'exists']);
});

test('what was not committed is forgotten when the leadership is lost, and its asker is told', async () => {
  const { subject } = await withBroker(11);
  const before = imageFacts(subject.controller.image);
  subject.log.held = [];
  const answer = send(subject, createTopics, topic('t'));
  await subject.run(100);
  subject.controller.handleLeaderChange({ leaderId: null, epoch: 2 });
  await assert.rejects(subject.resolve(answer), (error) => error instanceof KafkaError && error.errorName === 'NOT_CONTROLLER');
  assert.deepEqual(imageFacts(subject.controller.image), before);
  assert.ok(!subject.controller.isActive);
});

test('who asks before a controller is active waits for one, but not for ever', async () => {
  const subject = new TestController();
  const early = send(subject, createTopics, topic('t'));
  const impatient = assert.rejects(
    subject.resolve(
      subject.channel.send(
        createTopics,
        { ...topic('t'), timeoutMs: 1, validateOnly: false },
        {
          version: 7,
          timeoutMs: 50,
        },
      ),
    ),
    (error) => error instanceof KafkaError && error.errorName === 'NOT_CONTROLLER',
  );
  await subject.run(100);
  await impatient;
  subject.raft.start();
  assert.equal((await subject.resolve(early)).topics[0]?.errorCode, 38, 'there is no broker yet');
});

test('a broker whose heartbeats stop is fenced when its session ends, and one that goes on is not', async () => {
  const { subject, broker } = await withBroker(11);
  const other = new TestBroker(() => subject, 12);
  await other.register();
  await other.heartbeat();
  await ask(subject, createTopics, topic('t', 1, 2));
  for (let passed = 0; passed < 6000; passed += 1000) {
    await subject.run(1000);
    await other.heartbeat();
  }
  const { brokers } = subject.loader.image.cluster;
  assert.deepEqual([brokers.get(11)?.fenced, brokers.get(12)?.fenced], [true, false]);
  const partition = subject.loader.image.topics.byName.get('t')?.partitions[0];
  assert.deepEqual([partition?.leader, partition?.isr], [12, [12]]);
  await broker.heartbeat();
  assert.equal(subject.loader.image.cluster.brokers.get(11)?.fenced, false, 'it returns with its next heartbeat');
});

test('a new controller gives every broker a whole session before it fences it', async () => {
  const { subject: first } = await withBroker(11);
  await first.run(4900);
  first.controller.close();
  await first.raft.close();
  const subject = await TestController.started({ environment: first.environment, log: first.log });
  await subject.run(4000);
  assert.equal(subject.loader.image.cluster.brokers.get(11)?.fenced, false);
  await subject.run(2000);
  assert.equal(subject.loader.image.cluster.brokers.get(11)?.fenced, true);
});

test('a new process of the node that the controller runs in takes over at once; that of another waits for the session to end', async () => {
  const { subject, broker: own } = await withBroker(1);
  const other = new TestBroker(() => subject, 12);
  await other.register();
  await other.heartbeat();
  assert.equal(await other.register(), DUPLICATE_BROKER_REGISTRATION);
  const before = own.epoch;
  assert.equal(await own.register({ previousEpoch: before }), 0);
  assert.ok(own.epoch > before);
  assert.equal(subject.loader.image.cluster.brokers.get(1)?.fenced, true);
  await own.heartbeat();
  assert.equal(subject.loader.image.cluster.brokers.get(1)?.fenced, false);
});

test('a restart after a crash leads again, as recovering; one after an orderly stop does not recover anything', async () => {
  const { subject, broker } = await withBroker(1);
  await ask(subject, createTopics, topic('t'));
  const partition = () => subject.loader.image.topics.byName.get('t')?.partitions[0];
  await broker.heartbeat({ wantShutDown: true });
  assert.ok((await broker.heartbeat({ wantShutDown: true })).shouldShutDown);
  assert.deepEqual([partition()?.leader, partition()?.isr, partition()?.elr], [-1, [], [1]]);
  await broker.register({ previousEpoch: broker.epoch });
  await broker.heartbeat();
  assert.deepEqual([partition()?.leader, partition()?.isr, partition()?.leaderRecoveryState], [1, [1], 'recovered']);
  await broker.register();
  await broker.heartbeat();
  assert.deepEqual([partition()?.leader, partition()?.isr, partition()?.leaderRecoveryState], [1, [1], 'recovering']);
});

test('an idle log shows that its quorum lives', async () => {
  const subject = await TestController.started({ settings: { maxIdleIntervalMs: 500 } });
  const from = subject.log.end.offset;
  await subject.run(2050);
  const idle = types(subject, from);
  assert.ok(idle.length >= 3 && idle.length <= 5, `${idle.length} records in two seconds`);
  assert.ok(idle.every((type) => type === 'NoOpRecord'));
});

test('a disk that fails stops the node, and no answer is given for what it did not keep', async () => {
  const { subject } = await withBroker(11);
  subject.log.flush = () => Promise.reject(new Error('the device is gone'));
  let outcome = 'none';
  send(subject, createTopics, topic('t')).then(
    () => (outcome = 'answered'),
    () => (outcome = 'refused'),
  );
  await subject.run(1000);
  assert.equal(subject.errors.length, 1);
  assert.notEqual(outcome, 'answered');
});

test('a controller of a directory without a bootstrap snapshot begins with the defaults of this release', async () => {
  const subject = await TestController.started({ environment: simulatedEnvironment({ seed: 7 }), log: new MemoryRaftLog() });
  assert.equal(subject.raft.bootstrapRecords(), null);
  assert.equal(subject.loader.image.features.finalized.get('transaction.version'), 2);
});

test('the gauges of a controller count what is in the cluster', async () => {
  const { subject, broker } = await withBroker(11);
  await ask(subject, createTopics, topic('t', 3));
  const { metrics } = subject.environment;
  const read = (name: string): number | undefined => metrics.gauges.get(`kafka.controller:type=KafkaController,name=${name}`)?.();
  const names = ['ActiveControllerCount', 'ActiveBrokerCount', 'FencedBrokerCount', 'GlobalTopicCount', 'GlobalPartitionCount'];
  assert.deepEqual(names.map(read), [1, 1, 0, 1, 3]);
  assert.equal(read('LastCommittedRecordOffset'), subject.log.end.offset - 1);
  await broker.heartbeat({ wantFence: true });
  assert.deepEqual(['ActiveBrokerCount', 'FencedBrokerCount', 'OfflinePartitionsCount'].map(read), [0, 1, 3]);
});

test('long lists are appended to and subtracted from in no more time than it takes to read them', async () => {
  const { subject } = await withBroker(1);
  await ask(subject, createTopics, topic('t'));
  const list = (prefix: string) => Array.from({ length: 5000 }, (_, index) => `${prefix}${index}`).join(',');
  const changes = [`${','.repeat(32_000)}x`, list('a'), list('b'), list('a'), `${','.repeat(32_000)}x`];
  const start = performance.now();
  for (const [at, value] of changes.entries()) {
    const configs = [{ name: 'cleanup.policy', configOperation: at < 3 ? 2 : 3, value }];
    const { responses } = await ask(subject, incrementalAlterConfigs, {
      resources: [{ resourceType: 2, resourceName: 't', configs }],
      validateOnly: true,
    });
    assert.equal(responses.length, 1);
  }
  assert.ok(performance.now() - start < 1000, `${performance.now() - start} ms`);
});

test('an election for very many partitions of a topic with a very long name is answered in a few bytes each', async () => {
  const { subject } = await withBroker(1);
  const partitions = Array.from({ length: 1000 }, (_, index) => index);
  const topicPartitions = [{ topic: 'x'.repeat(32_767), partitions }];
  const { replicaElectionResults } = await ask(subject, electLeaders, { electionType: 0, topicPartitions });
  const longest = replicaElectionResults[0]?.partitionResult.map(({ errorMessage }) => errorMessage?.length ?? 0) ?? [];
  assert.deepEqual([longest.length, Math.max(...longest) < 600], [1000, true]);
});
