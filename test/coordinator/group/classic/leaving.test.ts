import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answeredWith, ClassicWorld, errorName } from './classic-world.ts';

describe('leaving a classic group', () => {
  it('has the others join again, and keeps that the group is empty when nobody is left', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember();
    const second = await world.joinTwice();
    const again = world.join({ memberId: first });
    await world.run(0);
    assert.deepEqual([answeredWith(second), answeredWith(again)], ['NONE', 'NONE']);
    assert.deepEqual(
      (await world.leave(first)).members.map(({ errorCode }) => errorCode),
      [0],
    );
    assert.equal(await world.heartbeat(second.memberId, 2), 'REBALANCE_IN_PROGRESS');
    await world.leave(second.memberId);
    assert.equal(world.state, 'Empty');
    const { value } = world.records().at(-1) ?? {};
    assert.deepEqual(value, {
      protocolType: 'consumer',
      generation: 3,
      protocol: null,
      leader: null,
      currentStateTimestamp: world.environment.clock.now(),
      members: [],
    });
  });

  it('leaves nothing behind that waits', async () => {
    const world = await ClassicWorld.start();
    const before = world.timers.size;
    const { memberId: pending } = await world.resolve(world.join().promise);
    const member = await world.stableMember();
    const joining = await world.joinTwice();
    await world.run(0);
    assert.ok(world.timers.size > before);
    await world.leave(pending, member, joining.memberId);
    assert.equal(world.timers.size, before);
  });

  it('tells of each member whether it has left', async () => {
    const world = await ClassicWorld.start();
    const dynamic = await world.stableMember();
    const joined = world.join({ groupInstanceId: 'fixed' });
    void world.join({ memberId: dynamic });
    await world.run(0);
    const { memberId: fixed } = joined.given;
    const { memberId: pending } = await world.resolve(world.join().promise);
    const { errorCode, members } = await world.leave(
      'stranger',
      { memberId: 'stranger', groupInstanceId: 'fixed' },
      { groupInstanceId: 'unknown' },
      '',
      { groupInstanceId: 'fixed' },
      pending,
      dynamic,
      dynamic,
    );
    assert.equal(errorCode, 0);
    assert.deepEqual(
      members.map((member) => errorName(member.errorCode)),
      [
        'UNKNOWN_MEMBER_ID',
        'FENCED_INSTANCE_ID',
        'UNKNOWN_MEMBER_ID',
        'UNKNOWN_MEMBER_ID',
        'NONE',
        'NONE',
        'NONE',
        'UNKNOWN_MEMBER_ID',
      ],
    );
    assert.equal(world.state, 'Empty');
    assert.equal(await world.heartbeat(fixed, 2), 'UNKNOWN_MEMBER_ID');
  });

  it('answers whatever the member waits for', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember();
    const second = await world.joinTwice();
    await world.run(0);
    await world.leave(second.memberId);
    assert.equal(answeredWith(second), 'UNKNOWN_MEMBER_ID');
    const again = world.join({ memberId: first });
    const third = await world.joinTwice();
    void world.join({ memberId: first });
    await world.run(0);
    assert.equal(answeredWith(again), 'NONE');
    const waiting = world.sync({ memberId: third.memberId, generationId: third.given.generationId ?? 0 });
    await world.leave(third.memberId);
    assert.equal(answeredWith(waiting), 'UNKNOWN_MEMBER_ID');
  });

  it('is unknown to groups that are not there', async () => {
    const world = await ClassicWorld.start();
    const { errorCode, members } = await world.leave('a', { groupInstanceId: 'b' });
    assert.equal(errorCode, 0);
    assert.deepEqual(
      members.map((member) => [member.memberId, member.groupInstanceId, errorName(member.errorCode)]),
      [
        ['a', null, 'UNKNOWN_MEMBER_ID'],
        ['', 'b', 'UNKNOWN_MEMBER_ID'],
      ],
    );
  });

  it('happens to a member that is not heard of for a session', async () => {
    const world = await ClassicWorld.start();
    const member = await world.stableMember({ sessionTimeoutMs: 8_000 });
    await world.run(7_999);
    assert.equal(await world.heartbeat(member, 1), 'NONE');
    await world.run(7_999);
    assert.equal(world.state, 'Stable');
    await world.run(1);
    assert.equal(world.state, 'Empty');
    assert.equal(await world.heartbeat(member, 1), 'UNKNOWN_MEMBER_ID');
  });
});
