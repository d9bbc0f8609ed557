import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { partsOf } from '../../src/controller/request-parts.ts';
import { codeOf } from '../../src/protocol/errors.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { createPartitions } from '../../src/protocol/messages/37-create-partitions.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { ask, send, TestBroker } from './brokers.ts';
import { TestController } from './test-controller.ts';

const topicOf = (name: string, numPartitions = 1) => ({
  name,
  numPartitions,
  replicationFactor: 1,
  assignments: [],
  configs: [],
});
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

/** On this clock, whatever looks at it takes 3 ms. */
class SlowClock extends SimulatedClock {
  #lookedMs = 0;

  override monotonic(): number {
    this.#lookedMs += 3;
    return super.monotonic() + this.#lookedMs;
  }
}

async function withBroker(clock = new SimulatedClock(new Scheduler())): Promise<TestController> {
  const environment = simulatedEnvironment({ clock });
  const subject = await TestController.started({ environment, settings: { sessionTimeoutMs: 1_000_000 } });
  const broker = new TestBroker(() => subject, 1);
  await broker.register();
  await broker.heartbeat();
  return subject;
}

test('parts have all that was named, in order, what has the same name together, and are not large', () => {
  const items = fc.array(fc.record({ name: fc.nat(900), size: fc.nat(30_000) }), { maxLength: 1500 });
  const property = fc.property(items, (named) => {
    const all = named.map(({ name, size }) => ({
      name: `${name}`,
      configs: [{ value: size > 29_000 ? 'x'.repeat(size) : null }],
    }));
    const parts = partsOf(all, ({ name }) => name);
    const grouped = [...Map.groupBy(all, ({ name }) => name).values()].flat();
    assert.deepEqual(parts.flat(), grouped);
    const homes = new Map<string, number>();
    for (const [index, part] of parts.entries()) {
      const names = new Set(part.map(({ name }) => name));
      assert.ok(part.length <= 250 || names.size === 1);
      for (const name of names) {
        assert.ok(!homes.has(name), 'in one part only');
        homes.set(name, index);
      }
    }
  });
  fc.assert(property, { numRuns: 40 });
  assert.deepEqual(
    partsOf([], () => ''),
    [[]],
  );
});

test('1,000 topics are made part by part, and others are answered in between', async () => {
  const subject = await withBroker(new SlowClock(new Scheduler()));
  const batches = subject.log.batches.length;
  const names = times(1000, (index) => `t${index}`);
  const topics = [topicOf('twice'), ...names.map((name) => topicOf(name)), topicOf('twice')];
  const order: string[] = [];
  const many = send(subject, createTopics, { topics, timeoutMs: 1000 }).finally(() => order.push('many'));
  const one = send(subject, createTopics, { topics: [topicOf('other')], timeoutMs: 1000 }).finally(() => order.push('one'));
  const answer = await subject.resolve(many);
  assert.equal((await subject.resolve(one)).topics[0]?.errorCode, 0);
  assert.deepEqual(order, ['one', 'many']);
  assert.deepEqual(
    answer.topics.map(({ name, errorCode }) => [name, errorCode]),
    [['twice', codeOf('INVALID_REQUEST')], ...names.map((name) => [name, 0])],
  );
  assert.ok(subject.log.batches.length - batches >= 5);
});

test('250 topics are written together', async () => {
  const subject = await withBroker();
  const batches = subject.log.batches.length;
  await ask(subject, createTopics, { topics: times(250, (index) => topicOf(`t${index}`)), timeoutMs: 1000 });
  assert.equal(subject.log.batches.length - batches, 1);
});

test('too many partitions are refused for all parts before the first is made', async () => {
  const subject = await withBroker();
  const { offset } = subject.log.end;
  const created = await ask(subject, createTopics, { topics: times(501, (index) => topicOf(`t${index}`, 20)), timeoutMs: 1000 });
  assert.deepEqual([...new Set(created.topics.map(({ errorCode }) => errorCode))], [codeOf('POLICY_VIOLATION')]);
  assert.equal(subject.log.end.offset, offset);
  await ask(subject, createTopics, { topics: times(501, (index) => topicOf(`t${index}`)), timeoutMs: 1000 });
  const topics = times(501, (index) => ({ name: `t${index}`, count: 21, assignments: null }));
  const grown = await ask(subject, createPartitions, { topics, timeoutMs: 1000, validateOnly: false });
  assert.deepEqual([...new Set(grown.results.map(({ errorCode }) => errorCode))], [codeOf('POLICY_VIOLATION')]);
});

test('a controller that is none any more decides no further parts', async () => {
  const subject = await withBroker(new SlowClock(new Scheduler()));
  const resources = times(2000, (index) => ({ resourceType: 2, resourceName: `t${index}`, configs: [] }));
  const altered = send(subject, incrementalAlterConfigs, { resources, validateOnly: false });
  subject.controller.close();
  await assert.rejects(() => subject.resolve(altered), { name: 'KafkaError', errorName: 'NOT_CONTROLLER' });
});
