import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from '../../../../src/protocol/codec.ts';
import { consumerProtocolSubscription } from '../../../../src/protocol/data/consumer-protocol-subscription.ts';
import { KafkaError } from '../../../../src/protocol/errors.ts';
import type { Group, OffsetCommitter } from '../../../../src/coordinator/group/group.ts';
import { ClassicWorld, GROUP, PARTITION } from './classic-world.ts';

const groupOf = (world: ClassicWorld): Group => world.shard.groups.get(GROUP) ?? assert.fail('there is a group');

const commit = (group: Group, committer: Partial<OffsetCommitter>): string => {
  const nobody = { memberId: '', groupInstanceId: null, generationIdOrMemberEpoch: -1, isTransactional: false, apiVersion: 9 };
  return outcome(() => group.validateOffsetCommit({ ...nobody, ...committer }));
};

const outcome = (check: () => unknown): string => {
  try {
    check();
    return 'NONE';
  } catch (error) {
    assert.ok(error instanceof KafkaError);
    return error.errorName;
  }
};

const subscription = (...topics: string[]): string =>
  Buffer.concat([
    Buffer.from([0, 1]),
    encode(consumerProtocolSubscription, 1, { topics, userData: null, ownedPartitions: [], generationId: -1, rackId: null }),
  ]).toString('latin1');

describe('what a classic group says about offsets', () => {
  it('lets its members commit, and nobody else while there are any', async () => {
    const world = await ClassicWorld.start();
    const memberId = await world.stableMember();
    const group = groupOf(world);
    assert.equal(commit(group, { memberId, generationIdOrMemberEpoch: 1 }), 'NONE');
    assert.equal(commit(group, { memberId, generationIdOrMemberEpoch: 0 }), 'ILLEGAL_GENERATION');
    assert.equal(commit(group, { memberId: 'stranger', generationIdOrMemberEpoch: 1 }), 'UNKNOWN_MEMBER_ID');
    assert.equal(commit(group, { memberId, groupInstanceId: 'i', generationIdOrMemberEpoch: 1 }), 'UNKNOWN_MEMBER_ID');
    assert.equal(commit(group, {}), 'UNKNOWN_MEMBER_ID');
    assert.equal(commit(group, { isTransactional: true }), 'NONE');
    assert.deepEqual(
      [outcome(() => group.validateDelete()), outcome(() => group.validateOffsetDelete())],
      ['NON_EMPTY_GROUP', 'NONE'],
    );
    await world.leave(memberId);
    assert.equal(commit(group, {}), 'NONE');
    assert.equal(commit(group, { memberId, generationIdOrMemberEpoch: 1 }), 'UNKNOWN_MEMBER_ID');
    assert.deepEqual([outcome(() => group.validateDelete()), outcome(() => group.validateOffsetDelete())], ['NONE', 'NONE']);
  });

  it('tells a member that knows the generation that it comes before its assignment', async () => {
    const world = await ClassicWorld.start();
    const { memberId } = await world.joinTwice();
    await world.run(0);
    assert.equal(commit(groupOf(world), { memberId, generationIdOrMemberEpoch: 1 }), 'REBALANCE_IN_PROGRESS');
    assert.equal(commit(groupOf(world), { memberId, generationIdOrMemberEpoch: 1, isTransactional: true }), 'NONE');
  });

  it('is not there any more once another coordinator serves it', async () => {
    const world = await ClassicWorld.start();
    await world.stableMember();
    const group = groupOf(world);
    world.coordinator.resign(PARTITION);
    assert.equal(commit(group, {}), 'COORDINATOR_NOT_AVAILABLE');
    const reader = { memberId: null, memberEpoch: -1 };
    assert.equal(
      outcome(() => group.validateOffsetFetch(reader, 0)),
      'GROUP_ID_NOT_FOUND',
    );
    assert.equal(
      outcome(() => group.validateDelete()),
      'GROUP_ID_NOT_FOUND',
    );
    assert.equal(
      outcome(() => group.validateOffsetDelete()),
      'GROUP_ID_NOT_FOUND',
    );
  });

  it('takes a commit as a sign of life', async () => {
    const world = await ClassicWorld.start();
    const memberId = await world.stableMember({ sessionTimeoutMs: 8_000 });
    await world.run(7_000);
    groupOf(world).committed?.(memberId);
    await world.run(7_999);
    assert.equal(world.state, 'Stable');
    await world.run(1);
    assert.equal(world.state, 'Empty');
  });

  it('knows the topics of its members, and forgets offsets of others only', async () => {
    const world = await ClassicWorld.start();
    const memberId = await world.stableMember({ protocols: [['range', subscription('orders')]] });
    const group = groupOf(world);
    const offset = { commitTimestamp: 17 };
    assert.deepEqual([group.isSubscribedTo('orders'), group.isSubscribedTo('audit')], [true, false]);
    assert.equal(group.offsetExpiration()?.baseTimestamp(offset), 17);
    void world.join({ memberId });
    assert.equal(group.offsetExpiration(), null, 'nothing expires while it rebalances');
    await world.leave(memberId);
    const emptied = world.environment.clock.now();
    await world.run(1_000);
    assert.equal(group.isSubscribedTo('orders'), false);
    assert.equal(group.offsetExpiration()?.baseTimestamp(offset), emptied);
  });

  it('keeps all offsets of members whose subscriptions it cannot read, and of those that are no consumers', async () => {
    const world = await ClassicWorld.start();
    await world.stableMember({ protocols: [['range', 'nonsense']] });
    assert.equal(groupOf(world).isSubscribedTo('anything'), true);
    assert.equal(groupOf(world).offsetExpiration(), null);
    const connect = await ClassicWorld.start();
    await connect.stableMember({ protocolType: 'connect' });
    assert.equal(groupOf(connect).isSubscribedTo('anything'), false);
    assert.equal(groupOf(connect).offsetExpiration(), null);
    assert.equal(
      outcome(() => groupOf(connect).validateOffsetDelete()),
      'NON_EMPTY_GROUP',
    );
  });
});
