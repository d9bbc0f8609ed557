import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KafkaError } from '../../../../src/protocol/errors.ts';
import { answeredWith, ClassicWorld } from './classic-world.ts';

const groupInstanceId = 'fixed';

describe('static members of a classic group', () => {
  it('are given no id to come back with', async () => {
    const world = await ClassicWorld.start();
    const joined = world.join({ groupInstanceId });
    await world.run(0);
    assert.match(joined.given.memberId, /^fixed-[\da-f-]{36}$/);
    assert.equal(answeredWith(joined), 'NONE');
  });

  it('start again without a rebalance, and keep what they were given; the one before is fenced', async () => {
    const world = await ClassicWorld.start();
    const before = await world.stableMember({ groupInstanceId }, 'mine');
    const joined = world.join({ groupInstanceId });
    await world.run(0);
    const { memberId, generationId, skipAssignment, leader, members } = joined.given;
    assert.notEqual(memberId, before);
    assert.deepEqual([generationId, skipAssignment, leader], [1, true, memberId]);
    assert.deepEqual(
      members.map((member) => member.memberId),
      [memberId],
    );
    const synced = world.sync({ memberId, groupInstanceId });
    await world.run(0);
    assert.equal(Buffer.from(synced.given.assignment).toString(), 'mine');
    assert.equal(await world.heartbeat(before, 1, groupInstanceId), 'FENCED_INSTANCE_ID');
    assert.equal(await world.heartbeat(before, 1), 'UNKNOWN_MEMBER_ID');
    assert.equal(await world.heartbeat(memberId, 1, groupInstanceId), 'NONE');
    const { value } = world.records().at(-1) ?? {};
    assert.deepEqual(value !== null && value !== undefined && 'members' in value && value.members[0]?.memberId, memberId);
  });

  it('are not told to skip the assignment when they do not lead', async () => {
    const world = await ClassicWorld.start();
    const leader = await world.stableMember();
    const follower = world.join({ groupInstanceId });
    void world.join({ memberId: leader });
    await world.run(0);
    void world.sync({ memberId: leader, generationId: 2, assignments: { [follower.given.memberId]: 'mine' } });
    await world.run(0);
    const joined = world.join({ groupInstanceId });
    await world.run(0);
    assert.deepEqual([joined.given.generationId, joined.given.leader, joined.given.skipAssignment], [2, leader, false]);
    assert.deepEqual(joined.given.members, []);
  });

  it('have until the end of the rebalance to ask for what the one before did not ask for', async () => {
    const world = await ClassicWorld.start();
    const leader = await world.stableMember({ sessionTimeoutMs: 600_000 });
    const follower = world.join({ groupInstanceId, sessionTimeoutMs: 600_000 });
    void world.join({ memberId: leader, sessionTimeoutMs: 600_000 });
    await world.run(0);
    void world.sync({ memberId: leader, generationId: 2, assignments: { [follower.given.memberId]: 'mine' } });
    await world.run(0);
    const joined = world.join({ groupInstanceId, sessionTimeoutMs: 600_000 });
    await world.run(0);
    const synced = world.sync({ memberId: joined.given.memberId, generationId: 2, groupInstanceId });
    await world.run(120_000);
    assert.equal(Buffer.from(synced.given.assignment).toString(), 'mine');
    assert.equal(world.state, 'Stable');
  });

  it('are told of the old leader when they cannot be told to skip the assignment', async () => {
    const world = await ClassicWorld.start();
    const before = await world.stableMember({ groupInstanceId });
    const joined = world.join({ groupInstanceId, version: 8 });
    await world.run(0);
    assert.deepEqual([joined.given.leader, joined.given.members], [before, []]);
  });

  it('are who they were when their new id could not be written', async () => {
    const world = await ClassicWorld.start();
    const before = await world.stableMember({ groupInstanceId }, 'mine');
    world.log.failure = new KafkaError('NOT_LEADER_OR_FOLLOWER');
    const joined = world.join({ groupInstanceId, sessionTimeoutMs: 20_000 });
    await world.run(0);
    assert.equal(answeredWith(joined), 'NOT_COORDINATOR');
    world.log.failure = null;
    assert.equal(await world.heartbeat(before, 1, groupInstanceId), 'NONE');
    assert.equal(world.describe().members[0]?.memberId, before);
  });

  it('fence the one that waits in their place', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember({ groupInstanceId });
    const second = await world.joinTwice();
    const waiting = world.join({ groupInstanceId: 'other' });
    await world.run(0);
    const instead = world.join({ groupInstanceId: 'other' });
    await world.run(0);
    assert.equal(answeredWith(waiting), 'FENCED_INSTANCE_ID');
    void world.join({ memberId: first, groupInstanceId });
    await world.run(0);
    assert.deepEqual([answeredWith(instead), answeredWith(second)], ['NONE', 'NONE']);
  });

  it('have all join again when they come with another protocol', async () => {
    const world = await ClassicWorld.start();
    await world.stableMember({ groupInstanceId, protocols: ['range', 'sticky'] });
    const joined = world.join({ groupInstanceId, protocols: ['sticky', 'range'] });
    await world.run(0);
    assert.deepEqual(
      [joined.given.generationId, joined.given.protocolName, joined.given.skipAssignment],
      [2, 'sticky', undefined],
    );
  });

  it('stay members of a generation that they have not joined in time', async () => {
    const world = await ClassicWorld.start();
    const away = await world.stableMember({ groupInstanceId, sessionTimeoutMs: 300_000 });
    const joined = await world.joinTwice();
    await world.run(60_000);
    assert.deepEqual([joined.given.generationId, joined.given.leader], [2, joined.memberId]);
    assert.deepEqual(
      joined.given.members.map(({ memberId }) => memberId),
      [away, joined.memberId],
    );
  });

  it('may not claim the instance of another', async () => {
    const world = await ClassicWorld.start();
    const member = await world.stableMember({ groupInstanceId });
    const claimed = world.join({ memberId: 'stranger', groupInstanceId });
    const unknown = world.join({ memberId: member, groupInstanceId: 'other' });
    await world.run(0);
    assert.deepEqual([answeredWith(claimed), answeredWith(unknown)], ['FENCED_INSTANCE_ID', 'UNKNOWN_MEMBER_ID']);
    const { memberId } = await world.resolve(world.join().promise);
    const pending = world.join({ memberId, groupInstanceId: 'other' });
    await world.run(0);
    assert.equal(answeredWith(pending), 'UNKNOWN_SERVER_ERROR');
  });
});
