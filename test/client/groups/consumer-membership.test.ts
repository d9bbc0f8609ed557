import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorName, KafkaError } from '../../../src/protocol/errors.ts';
import { offsetCommit } from '../../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../../src/protocol/messages/09-offset-fetch.ts';
import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import { consumerGroupHeartbeat } from '../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import type { GroupOptions } from '../../../src/client/groups/group-options.ts';
import type { Subscription } from '../../../src/client/groups/membership.ts';
import type { Fault } from '../fake-cluster.ts';
import { FakeConsumerGroup } from './fake-consumer-group.ts';
import { GroupWorld, type TestMember } from './group-world.ts';

async function started(partitions: number, options: { readonly nodes?: readonly number[]; readonly seed?: number } = {}) {
  const world = await GroupWorld.start(partitions, options);
  const group = new FakeConsumerGroup(world.cluster);
  const join = (rest: Partial<GroupOptions> = {}, subscription?: Subscription): TestMember =>
    world.join({ protocol: 'consumer', ...rest }, subscription);
  return { world, group, join };
}

test('a member makes its own id, reads everything, commits with its epoch, and leaves with epoch -1', async () => {
  const { world, group, join } = await started(3);
  for (const partition of [0, 1, 2]) world.write(partition, 4);
  const member = join();
  await world.settled(3);
  assert.match(member.consumer.identity.memberId, /^[\w-]{22}$/);
  await world.until(() => member.read.size === 3);
  await world.cluster.resolve(member.close());
  assert.deepEqual(member.heard, ['assigned 0,1,2', 'revoked 0,1,2']);
  assert.deepEqual(Object.fromEntries(group.offsets.committed), { 'orders/0': 4, 'orders/1': 4, 'orders/2': 4 });
  assert.deepEqual(group.left, ['-1']);
});

test('a member that leaves before its join is answered does not stay in the group', async () => {
  const { world, group, join } = await started(1);
  const member = join();
  await world.until(() => world.cluster.seen.some(({ apiKey }) => apiKey === consumerGroupHeartbeat.key));
  assert.equal(member.consumer.identity.epoch, 0, 'the answer is on its way');
  await world.cluster.resolve(member.close());
  assert.deepEqual([group.members.size, group.left], [0, ['-1']]);
});

test('what a member need not give up it keeps, and what it gives up it says before others get it', async () => {
  const { world, group, join } = await started(4);
  for (const partition of [0, 1, 2, 3]) world.write(partition, 2);
  const first = join();
  await world.settled(4);
  await world.until(() => first.read.size === 4);
  const second = join();
  await world.settled(4);
  assert.deepEqual(first.heard, ['assigned 0,1,2,3', 'revoked 2,3']);
  assert.deepEqual(second.heard, ['assigned 2,3']);
  assert.equal(second.read.size, 0, 'the first had committed');
  const acknowledged = group.news.find(
    ({ memberId, topicPartitions }) =>
      memberId === first.consumer.identity.memberId && topicPartitions?.[0]?.partitions.length === 2,
  );
  assert.deepEqual(acknowledged?.topicPartitions?.[0]?.partitions, [0, 1]);
  assert.ok(
    world.cluster.seen.some(({ request }) => (request as { topicPartitions?: unknown }).topicPartitions === null),
    'most heartbeats say nothing',
  );
});

test('heartbeats go on while what was handed out is worked on, and nothing is given up before', async () => {
  const { world, group, join } = await started(2);
  world.write(1, 1);
  const busy = join();
  await world.settled(2);
  await world.until(() => busy.read.size === 1);
  await world.cluster.resolve(busy.getBusy());
  join();
  await world.cluster.scheduler.run(20_000);
  assert.deepEqual(busy.heard, ['assigned 0,1']);
  assert.equal(group.members.size, 2);
  assert.equal(group.offsets.committed.get('orders/1'), undefined);
  busy.goOn();
  await world.settled(2);
  assert.deepEqual(busy.heard.slice(1), ['revoked 1']);
  assert.equal(group.offsets.committed.get('orders/1'), 1);
});

test('a member whose application does not poll leaves, and comes back when it does', async () => {
  const { world, group, join } = await started(2);
  const member = join({ maxPollIntervalMs: 30_000 });
  await world.settled(2);
  await world.cluster.resolve(member.getBusy());
  await world.until(() => group.left.length === 1);
  assert.deepEqual(member.heard, ['assigned 0,1', 'lost 0,1']);
  member.goOn();
  await world.settled(2);
});

test('a member that was thrown out loses what it had, and joins again under its id', async () => {
  const { world, group, join } = await started(2);
  const member = join();
  await world.settled(2);
  group.expel(member.consumer.identity.memberId);
  await world.until(() => member.heard.includes('lost 0,1'));
  await world.settled(2);
  assert.deepEqual(member.heard, ['assigned 0,1', 'lost 0,1', 'assigned 0,1']);
  assert.deepEqual([...group.members.keys()], [member.consumer.identity.memberId]);
});

test('a static member leaves with epoch -2, and its partitions wait for its return', async () => {
  const { world, group, join } = await started(4);
  const first = join({ groupInstanceId: 'one' });
  await world.settled(4);
  const second = join({ groupInstanceId: 'two' });
  await world.settled(4);
  await world.cluster.resolve(first.close());
  await world.cluster.scheduler.run(20_000);
  assert.deepEqual(group.left, ['-2']);
  assert.deepEqual(second.heard, ['assigned 2,3']);
  join({ groupInstanceId: 'one' });
  await world.settled(4);
  assert.deepEqual(world.shares.slice(1), [2, 2]);
});

test('topics that a pattern brings are known by their ids only, and read nevertheless', async () => {
  const { world, group, join } = await started(1);
  const member = join({}, { kind: 'pattern', pattern: 'or.*|new' });
  await world.settled(1);
  world.cluster.addTopic('new', 1);
  world.cluster.addTopic('other', 1);
  group.topicsChanged();
  await world.settled(2);
  assert.deepEqual(member.consumer.assignment.map(({ topic }) => topic).sort(), ['new', 'orders']);
});

test('another coordinator is found when the group moves', async () => {
  const { world, group, join } = await started(2, { nodes: [1, 2] });
  const member = join();
  await world.settled(2);
  group.offsets.coordinator = 2;
  await world.cluster.scheduler.run(10_000);
  assert.deepEqual(member.heard, ['assigned 0,1']);
  assert.ok(world.cluster.seen.some(({ apiKey, node }) => apiKey === consumerGroupHeartbeat.key && node === 2));
});

const passing: readonly (readonly [key: number, faults: readonly Fault[]])[] = [
  [findCoordinator.key, ['COORDINATOR_NOT_AVAILABLE', 'refused', 'lost']],
  [
    consumerGroupHeartbeat.key,
    [
      'COORDINATOR_LOAD_IN_PROGRESS',
      'COORDINATOR_NOT_AVAILABLE',
      'NOT_COORDINATOR',
      'UNKNOWN_MEMBER_ID',
      'FENCED_MEMBER_EPOCH',
      'refused',
      'lost',
    ],
  ],
  [offsetFetch.key, ['COORDINATOR_LOAD_IN_PROGRESS', 'NOT_COORDINATOR', 'STALE_MEMBER_EPOCH', 'refused', 'lost']],
  [offsetCommit.key, ['COORDINATOR_LOAD_IN_PROGRESS', 'NOT_COORDINATOR', 'STALE_MEMBER_EPOCH', 'refused', 'lost']],
];

test('whatever passes by itself is survived: each request fails in each way, twice', async () => {
  for (const [key, faults] of passing) {
    for (const fault of faults) {
      const { world, group, join } = await started(2);
      let left = 2;
      world.cluster.plan = (apiKey) => (apiKey === key && left-- > 0 ? fault : null);
      world.write(0, 3);
      const member = join({ autoCommitIntervalMs: 1000 });
      await world.until(() => left <= 0 && member.consumer.isSettled && member.consumer.assignment.length === 2);
      await world.until(() => group.offsets.committed.get('orders/0') === 3);
      assert.equal(member.failure, null, `${key} ${fault}`);
      assert.equal(member.read.get('orders/0'), 3, `${key} ${fault}: nothing is lost or read twice`);
      await world.cluster.resolve(member.close());
    }
  }
});

test('what does not pass is told by the next poll', async () => {
  const final: readonly ErrorName[] = [
    'GROUP_AUTHORIZATION_FAILED',
    'GROUP_MAX_SIZE_REACHED',
    'UNRELEASED_INSTANCE_ID',
    'FENCED_INSTANCE_ID',
    'UNSUPPORTED_ASSIGNOR',
    'INVALID_REGULAR_EXPRESSION',
    'INVALID_REQUEST',
  ];
  for (const error of final) {
    const { world, join } = await started(1);
    world.cluster.plan = (apiKey) => (apiKey === consumerGroupHeartbeat.key ? error : null);
    const member = join();
    await world.until(() => member.failure !== null);
    assert.ok(member.failure instanceof KafkaError);
    assert.equal(member.failure.errorName, error);
  }
});

test('five members that come and go under faults always end with every partition at one of them', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const { world, group, join } = await started(7, { nodes: [1, 2, 3], seed });
    const { random } = world.cluster.environment;
    world.cluster.plan = (apiKey) => {
      const faults = passing.find(([key]) => key === apiKey)?.[1] ?? [];
      return random.integer(12) > 0 ? null : (faults[random.integer(Math.max(1, faults.length))] ?? null);
    };
    for (let step = 0; step < 12; step++) {
      const open = world.members.filter(({ isOpen }) => isOpen);
      const chosen = open[random.integer(Math.max(1, open.length))];
      if (open.length < 5 && (open.length < 2 || random.integer(2) === 0)) join();
      else if (random.integer(3) === 0) group.offsets.coordinator = 1 + random.integer(3);
      else if (chosen !== undefined) await world.cluster.resolve(chosen.close());
      await world.cluster.scheduler.run(random.integer(8000));
    }
    world.cluster.plan = () => null;
    // A leave that was lost ends with the member's session.
    const living = new Set(world.members.filter(({ isOpen }) => isOpen).map(({ consumer }) => consumer.identity.memberId));
    for (const id of group.members.keys()) if (!living.has(id)) group.expel(id);
    await world.settled(7);
    for (const { failure } of world.members) assert.equal(failure, null);
  }
});
