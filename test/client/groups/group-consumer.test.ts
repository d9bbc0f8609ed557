import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError } from '../../../src/client/client-error.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { offsetCommit } from '../../../src/protocol/messages/08-offset-commit.ts';
import { joinGroup } from '../../../src/protocol/messages/11-join-group.ts';
import { FakeClassicGroup } from './fake-classic-group.ts';
import { GroupWorld } from './group-world.ts';

async function started(partitions: number) {
  const world = await GroupWorld.start(partitions);
  return { world, group: new FakeClassicGroup(world.cluster) };
}

const place = { topic: 'orders', partition: 0 };

test('what was handed out is committed with the interval, once, and only after the next poll', async () => {
  const { world, group } = await started(1);
  world.write(0, 3);
  const member = world.join({ autoCommitIntervalMs: 2000 });
  await world.until(() => member.read.get('orders/0') === 3);
  await world.cluster.scheduler.run(10_000);
  assert.deepEqual(
    group.offsets.commits.map(({ offset }) => offset),
    [3],
  );
  world.write(0, 2);
  await world.until(() => member.read.get('orders/0') === 5);
  await world.cluster.resolve(member.getBusy());
  await world.cluster.scheduler.run(10_000);
  assert.equal(group.offsets.commits.length, 1, 'nobody has said that the last ones are done');
});

test('without automatic commits only what is asked for is committed', async () => {
  const { world, group } = await started(1);
  world.write(0, 3);
  const member = world.join({ enableAutoCommit: false });
  await world.until(() => member.read.get('orders/0') === 3);
  await world.cluster.resolve(member.consumer.commit([{ ...place, offset: 2 }]));
  assert.equal(group.offsets.committed.get('orders/0'), 2);
  await world.cluster.resolve(member.consumer.commit());
  assert.equal(group.offsets.committed.get('orders/0'), 3);
  await world.cluster.resolve(member.close());
  assert.equal(group.offsets.commits.length, 2);
});

test('a commit that the group does not take is told, with the partition', async () => {
  const { world, group } = await started(1);
  const member = world.join({ enableAutoCommit: false });
  await world.settled(1);
  group.offsets.check = () => 'ILLEGAL_GENERATION';
  const refused = member.consumer.commit([{ ...place, offset: 1 }]);
  await assert.rejects(world.cluster.resolve(refused), (error) => {
    assert.ok(error instanceof KafkaError);
    assert.equal(error.errorName, 'ILLEGAL_GENERATION');
    assert.match(error.message, /^orders-0: /);
    return true;
  });
});

test('a commit waits for a coordinator that loads, but not for ever', async () => {
  const { world } = await started(1);
  const member = world.join({ enableAutoCommit: false });
  await world.settled(1);
  world.cluster.plan = (apiKey) => (apiKey === offsetCommit.key ? 'COORDINATOR_LOAD_IN_PROGRESS' : null);
  const before = world.cluster.scheduler.time;
  await assert.rejects(world.cluster.resolve(member.consumer.commit([{ ...place, offset: 1 }])), /still loading/);
  const waited = world.cluster.scheduler.time - before;
  assert.ok(waited > 55_000 && waited < 65_000, `${waited} ms`);
});

test('reading starts at the committed offset, else where the reset policy says, else nowhere', async () => {
  for (const [autoOffsetReset, expected] of [
    ['earliest', 5],
    ['latest', 0],
  ] as const) {
    const { world } = await started(1);
    world.write(0, 5);
    const member = world.join({ autoOffsetReset });
    await world.until(() => member.consumer.position(place) === 5);
    assert.equal(member.read.get('orders/0') ?? 0, expected);
  }
  const { world, group } = await started(1);
  world.write(0, 5);
  const lost = world.join({ autoOffsetReset: 'none' });
  await world.until(() => lost.failure !== null);
  assert.ok(lost.failure instanceof ClientError);
  assert.match(lost.failure.message, /Nobody said where to start reading orders-0/);
  await world.cluster.resolve(lost.close());
  group.offsets.committed.set('orders/0', 3);
  const found = world.join({ autoOffsetReset: 'none' });
  await world.until(() => found.read.get('orders/0') === 2);
});

test('a seek goes before the next commit', async () => {
  const { world, group } = await started(1);
  world.write(0, 5);
  const member = world.join();
  await world.until(() => member.read.get('orders/0') === 5);
  await world.cluster.resolve(member.getBusy());
  member.consumer.seek(place, 2);
  await world.cluster.resolve(member.consumer.close());
  assert.equal(group.offsets.committed.get('orders/0'), 2);
  await assert.rejects(member.consumer.poll(10), /closed/);
});

test('a commit waits neither for a fetch nor for a join that others hold up', async () => {
  const { world } = await started(2);
  const first = world.join({ fetchMaxWaitMs: 60_000 });
  const busy = world.join();
  await world.settled(2);
  await world.cluster.resolve(busy.getBusy());
  const joins = (): number => world.cluster.seen.filter(({ apiKey }) => apiKey === joinGroup.key).length;
  const before = joins();
  world.join();
  // The new one came twice, for its id; the first one has joined again and waits for the one that is busy.
  await world.until(() => joins() === before + 3);
  const start = world.cluster.scheduler.time;
  await world.cluster.resolve(first.consumer.commit([{ ...place, offset: 0 }]));
  assert.ok(world.cluster.scheduler.time - start < 100);
  assert.equal(first.consumer.isSettled, false);
});
