import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { offsetCommit } from '../../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../../src/protocol/messages/09-offset-fetch.ts';
import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import { joinGroup } from '../../../src/protocol/messages/11-join-group.ts';
import { heartbeat } from '../../../src/protocol/messages/12-heartbeat.ts';
import { leaveGroup } from '../../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../../src/protocol/messages/14-sync-group.ts';
import type { ErrorName } from '../../../src/protocol/errors.ts';
import type { Fault } from '../fake-cluster.ts';
import { FakeClassicGroup } from './fake-classic-group.ts';
import { GroupWorld } from './group-world.ts';

async function started(partitions: number, options: { readonly nodes?: readonly number[]; readonly seed?: number } = {}) {
  const world = await GroupWorld.start(partitions, options);
  return { world, group: new FakeClassicGroup(world.cluster) };
}

test('a member joins with the id it was given, reads everything, and commits where it is when it leaves', async () => {
  const { world, group } = await started(3);
  for (const partition of [0, 1, 2]) world.write(partition, 4);
  const member = world.join();
  await world.settled(3);
  await world.until(() => member.read.size === 3);
  await world.cluster.resolve(member.close());
  assert.deepEqual(member.heard, ['assigned 0,1,2', 'revoked 0,1,2']);
  assert.deepEqual(Object.fromEntries(group.offsets.committed), { 'orders/0': 4, 'orders/1': 4, 'orders/2': 4 });
  assert.deepEqual(group.left, ['member-1']);
});

test('an eager member gives everything up for a rebalance, after its poll, and goes on where it was', async () => {
  const { world, group } = await started(4);
  for (const partition of [0, 1, 2, 3]) world.write(partition, 2);
  const first = world.join();
  await world.settled(4);
  await world.until(() => first.read.size === 4);
  world.join();
  await world.settled(4);
  assert.deepEqual(world.shares, [2, 2]);
  assert.deepEqual(first.heard, ['assigned 0,1,2,3', 'revoked 0,1,2,3', 'assigned 0,1']);
  assert.equal(group.offsets.commits.length, 4, 'each offset once');
  for (const partition of [0, 1, 2, 3]) world.write(partition, 3);
  const sums = (): number[] =>
    [0, 1, 2, 3].map((partition) => world.members.reduce((sum, { read }) => sum + (read.get(`orders/${partition}`) ?? 0), 0));
  await world.until(() => sums().every((sum) => sum >= 5));
  assert.deepEqual(sums(), [5, 5, 5, 5], 'nothing is read twice');
});

test('a cooperative member keeps what it may keep through both rounds', async () => {
  const { world, group } = await started(4);
  const first = world.join({ assignors: ['cooperative-sticky'] });
  await world.settled(4);
  const second = world.join({ assignors: ['cooperative-sticky'] });
  await world.settled(4);
  assert.deepEqual(world.shares, [2, 2]);
  assert.deepEqual(first.heard, ['assigned 0,1,2,3', 'revoked 2,3']);
  assert.deepEqual(second.heard, ['assigned 2,3']);
  assert.equal(group.generation, 3);
});

test('partitions are not given up before what was handed out of them has been worked on', async () => {
  const { world, group } = await started(2);
  world.write(0, 1);
  const busy = world.join();
  await world.settled(2);
  await world.until(() => busy.read.size === 1);
  await world.cluster.resolve(busy.getBusy());
  world.join();
  await world.cluster.scheduler.run(10_000);
  assert.deepEqual(busy.heard, ['assigned 0,1']);
  assert.equal(group.offsets.committed.get('orders/0'), undefined);
  busy.goOn();
  await world.settled(2);
  assert.deepEqual(busy.heard.slice(1), ['revoked 0,1', 'assigned 0']);
  assert.equal(group.offsets.committed.get('orders/0'), 1);
});

test('a member whose application does not poll leaves, and comes back when it does', async () => {
  const { world, group } = await started(2);
  const member = world.join({ maxPollIntervalMs: 30_000 });
  await world.settled(2);
  await world.cluster.resolve(member.getBusy());
  await world.until(() => group.left.length === 1);
  assert.deepEqual(member.heard, ['assigned 0,1', 'lost 0,1']);
  member.goOn();
  await world.settled(2);
  assert.deepEqual([...group.members.keys()], ['member-2']);
});

test('a member that was thrown out loses what it had, and joins as another', async () => {
  const { world, group } = await started(2);
  const member = world.join();
  await world.settled(2);
  group.expel('member-1');
  await world.until(() => member.heard.includes('lost 0,1'));
  await world.settled(2);
  assert.deepEqual([...group.members.keys()], ['member-2']);
  assert.deepEqual(member.heard, ['assigned 0,1', 'lost 0,1', 'assigned 0,1']);
});

test('a static member comes back under its name, and does not leave when it is closed', async () => {
  const { world, group } = await started(2);
  const first = world.join({ groupInstanceId: 'one' });
  await world.settled(2);
  await world.cluster.resolve(first.close());
  assert.deepEqual(group.left, []);
  world.join({ groupInstanceId: 'one' });
  await world.settled(2);
  assert.deepEqual([...group.members.keys()], ['new-1']);
});

test('another coordinator is found when the group moves', async () => {
  const { world, group } = await started(2, { nodes: [1, 2] });
  const member = world.join();
  await world.settled(2);
  group.offsets.coordinator = 2;
  await world.cluster.scheduler.run(10_000);
  assert.deepEqual(member.heard, ['assigned 0,1']);
  assert.ok(world.cluster.seen.some(({ apiKey, node }) => apiKey === heartbeat.key && node === 2));
});

test('a topic that grows is noticed by the leader', async () => {
  const { world } = await started(1);
  const member = world.join();
  await world.settled(1);
  const { partitions } = world.cluster.addTopic('more', 2);
  world.cluster.topics.get('orders')?.partitions.push(...partitions);
  await world.settled(3);
  assert.equal(member.heard.at(-1), 'assigned 0,1,2');
});

test('a pattern follows topics that come', async () => {
  const { world } = await started(1);
  const member = world.join({}, { kind: 'pattern', pattern: 'or.*|new' });
  await world.settled(1);
  world.cluster.addTopic('new', 1);
  world.cluster.addTopic('other', 1);
  await world.settled(2);
  assert.deepEqual(
    member.consumer.assignment.map(({ topic }) => topic),
    ['new', 'orders'],
  );
});

test('brokers that know the oldest versions only are good enough', async () => {
  const { world, group } = await started(2);
  const oldest = [findCoordinator, joinGroup, syncGroup, heartbeat, leaveGroup, offsetFetch, offsetCommit];
  for (const { key, minVersion } of oldest) world.cluster.maxVersions.set(key, minVersion);
  world.write(0, 3);
  const first = world.join();
  const second = world.join();
  await world.settled(2);
  await world.until(() => (first.read.get('orders/0') ?? 0) + (second.read.get('orders/0') ?? 0) === 3);
  await world.cluster.resolve(first.close());
  await world.settled(2);
  await world.cluster.resolve(second.close());
  assert.equal(group.offsets.committed.get('orders/0'), 3);
  assert.equal(group.left.length, 2);
});

const passing: readonly (readonly [key: number, faults: readonly Fault[]])[] = [
  [findCoordinator.key, ['COORDINATOR_NOT_AVAILABLE', 'refused', 'lost']],
  [
    joinGroup.key,
    ['COORDINATOR_LOAD_IN_PROGRESS', 'COORDINATOR_NOT_AVAILABLE', 'NOT_COORDINATOR', 'REBALANCE_IN_PROGRESS', 'refused', 'lost'],
  ],
  [
    syncGroup.key,
    [
      'COORDINATOR_NOT_AVAILABLE',
      'NOT_COORDINATOR',
      'REBALANCE_IN_PROGRESS',
      'ILLEGAL_GENERATION',
      'UNKNOWN_MEMBER_ID',
      'refused',
      'lost',
    ],
  ],
  [
    heartbeat.key,
    [
      'COORDINATOR_NOT_AVAILABLE',
      'NOT_COORDINATOR',
      'REBALANCE_IN_PROGRESS',
      'ILLEGAL_GENERATION',
      'UNKNOWN_MEMBER_ID',
      'refused',
      'lost',
    ],
  ],
  [offsetFetch.key, ['COORDINATOR_LOAD_IN_PROGRESS', 'NOT_COORDINATOR', 'UNSTABLE_OFFSET_COMMIT', 'refused', 'lost']],
  [offsetCommit.key, ['COORDINATOR_LOAD_IN_PROGRESS', 'NOT_COORDINATOR', 'REQUEST_TIMED_OUT', 'refused', 'lost']],
];

test('whatever passes by itself is survived: each request fails in each way, twice', async () => {
  for (const [key, faults] of passing) {
    for (const fault of faults) {
      const { world, group } = await started(2);
      let left = 2;
      world.cluster.plan = (apiKey) => (apiKey === key && left-- > 0 ? fault : null);
      world.write(0, 3);
      const member = world.join({ autoCommitIntervalMs: 1000 });
      await world.until(() => left <= 0 && member.consumer.isSettled && member.consumer.assignment.length === 2);
      await world.until(() => group.offsets.committed.get('orders/0') === 3);
      assert.equal(member.failure, null, `${key} ${fault}`);
      assert.equal(member.read.get('orders/0'), 3, `${key} ${fault}: nothing is lost or read twice`);
      await world.cluster.resolve(member.close());
    }
  }
});

const final: readonly (readonly [key: number, error: ErrorName])[] = [
  [joinGroup.key, 'GROUP_AUTHORIZATION_FAILED'],
  [joinGroup.key, 'INCONSISTENT_GROUP_PROTOCOL'],
  [joinGroup.key, 'GROUP_MAX_SIZE_REACHED'],
  [joinGroup.key, 'INVALID_SESSION_TIMEOUT'],
  [heartbeat.key, 'FENCED_INSTANCE_ID'],
  [offsetFetch.key, 'TOPIC_AUTHORIZATION_FAILED'],
];

test('what does not pass is told by the next poll', async () => {
  for (const [key, error] of final) {
    const { world } = await started(1);
    world.cluster.plan = (apiKey) => (apiKey === key ? error : null);
    const member = world.join();
    await world.until(() => member.failure !== null);
    assert.ok(member.failure instanceof KafkaError);
    assert.equal(member.failure.errorName, error);
  }
});

test('five members that come and go under faults always end with every partition at one of them', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const { world, group } = await started(7, { nodes: [1, 2, 3], seed });
    const { random } = world.cluster.environment;
    const assignors = seed % 2 === 0 ? (['cooperative-sticky'] as const) : (['roundrobin'] as const);
    const keys = passing.map(([key]) => key);
    world.cluster.plan = (apiKey) => {
      if (!keys.includes(apiKey) || random.integer(12) > 0) return null;
      const faults = passing.find(([key]) => key === apiKey)?.[1] ?? [];
      return faults[random.integer(faults.length)] ?? null;
    };
    for (let step = 0; step < 12; step++) {
      const open = world.members.filter(({ isOpen }) => isOpen);
      const chosen = open[random.integer(Math.max(1, open.length))];
      if (open.length < 5 && (open.length < 2 || random.integer(2) === 0)) world.join({ assignors });
      else if (random.integer(3) === 0) group.offsets.coordinator = 1 + random.integer(3);
      else if (chosen !== undefined) await world.cluster.resolve(chosen.close());
      await world.cluster.scheduler.run(random.integer(8000));
    }
    world.cluster.plan = () => null;
    await world.settled(7);
    for (const { failure } of world.members) assert.equal(failure, null);
  }
});
