import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KafkaError } from '../../../../src/protocol/errors.ts';
import { answeredWith, ClassicWorld, PARTITION } from './classic-world.ts';

describe('classic groups that move', () => {
  it('are there again with their members, who have a session to be heard of', async () => {
    const before = await ClassicWorld.start();
    const member = await before.stableMember({ protocols: [['range', 'topics']], sessionTimeoutMs: 9_000 }, 'mine');
    const described = before.describe();
    const world = await before.restart();
    assert.deepEqual(world.describe(), described);
    await world.run(8_999);
    assert.equal(await world.heartbeat(member, 1), 'NONE');
    await world.run(9_000);
    assert.equal(world.state, 'Empty');
  });

  it('answer whoever waits that the coordinator is another', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember();
    const joining = await world.joinTwice();
    await world.run(0);
    world.coordinator.resign(PARTITION);
    await world.run(0);
    assert.equal(answeredWith(joining), 'NOT_COORDINATOR');
    assert.equal(await world.heartbeat(first, 1), 'NOT_COORDINATOR');
    assert.equal(world.describe().errorCode, new KafkaError('NOT_COORDINATOR').code);
  });

  it('answer whoever waits for the leader', async () => {
    const world = await ClassicWorld.start({ properties: { 'group.initial.rebalance.delay.ms': '100' } });
    const [, second] = [await world.joinTwice(), await world.joinTwice()];
    await world.run(300);
    const syncing = world.sync({ memberId: second.memberId });
    await world.run(0);
    world.coordinator.resign(PARTITION);
    await world.run(0);
    assert.equal(answeredWith(syncing), 'NOT_COORDINATOR');
  });

  it('rebalance when they are larger than is allowed now, and the last ones are turned away', async () => {
    const before = await ClassicWorld.start({ properties: { 'group.initial.rebalance.delay.ms': '100' } });
    const joined = [await before.joinTwice(), await before.joinTwice(), await before.joinTwice()];
    await before.run(300);
    const [first = '', second = '', third = ''] = joined.map(({ memberId }) => memberId);
    await before.resolve(before.sync({ memberId: first, assignments: { [first]: 'a' } }).promise);
    const world = await before.restart({ properties: { 'group.max.size': '2' } });
    assert.equal(world.state, 'PreparingRebalance');
    const again = [first, second, third].map((memberId) => world.join({ memberId }));
    await world.run(0);
    assert.deepEqual(again.map(answeredWith), ['NONE', 'NONE', 'GROUP_MAX_SIZE_REACHED']);
  });

  it('are gone when the record that made them could not be written', async () => {
    const world = await ClassicWorld.start();
    world.log.failure = new KafkaError('NOT_ENOUGH_REPLICAS');
    const joined = world.join({ version: 0 });
    await world.run(0);
    assert.equal(answeredWith(joined), 'COORDINATOR_NOT_AVAILABLE');
    world.log.failure = null;
    await world.run(400_000);
    assert.equal(world.state, 'Dead');
    assert.equal(world.shard.groups.size, 0);
  });

  it('forget members while the log cannot be written, and keep that afterwards', async () => {
    const world = await ClassicWorld.start();
    await world.stableMember();
    world.log.failure = new KafkaError('NOT_ENOUGH_REPLICAS');
    await world.run(10_000);
    assert.equal(world.state, 'Empty');
    world.log.failure = null;
    const again = await world.restart();
    await again.run(10_000);
    assert.equal(again.state, 'Empty');
  });
});
