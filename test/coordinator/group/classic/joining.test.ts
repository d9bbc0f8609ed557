import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answeredWith, ClassicWorld, errorName } from './classic-world.ts';

describe('joining a classic group', () => {
  it('gives a new member an id to come back with, since version 4', async () => {
    const world = await ClassicWorld.start();
    const asked = world.join({ clientId: 'app' });
    await world.run(0);
    assert.equal(answeredWith(asked), 'MEMBER_ID_REQUIRED');
    assert.match(asked.given.memberId, /^app-[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.equal(world.state, 'Empty');
    const joined = world.join({ memberId: asked.given.memberId });
    await world.run(0);
    assert.equal(joined.given.memberId, asked.given.memberId);
    assert.equal(joined.given.generationId, 1);
    assert.equal(joined.given.leader, asked.given.memberId);
    assert.equal(world.state, 'CompletingRebalance');
  });

  it('takes a new member at once before version 4', async () => {
    const world = await ClassicWorld.start();
    const joined = world.join({ version: 3 });
    await world.run(0);
    assert.equal(answeredWith(joined), 'NONE');
  });

  it('refuses what is no group, no session, no protocol', async () => {
    const world = await ClassicWorld.start();
    const refused = [
      [{ groupId: '' }, 'INVALID_GROUP_ID'],
      [{ sessionTimeoutMs: 5_999 }, 'INVALID_SESSION_TIMEOUT'],
      [{ sessionTimeoutMs: 1_800_001 }, 'INVALID_SESSION_TIMEOUT'],
      [{ protocols: [] }, 'INCONSISTENT_GROUP_PROTOCOL'],
      [{ protocolType: '' }, 'INCONSISTENT_GROUP_PROTOCOL'],
      [{ memberId: 'somebody', groupId: 'unknown' }, 'UNKNOWN_MEMBER_ID'],
      [{ memberId: 'somebody' }, 'UNKNOWN_MEMBER_ID'],
    ] as const;
    for (const [options, error] of refused) {
      const { errorCode, memberId } = await world.resolve(world.join(options).promise);
      assert.equal(errorName(errorCode), error, JSON.stringify(options));
      assert.equal(memberId, 'memberId' in options ? options.memberId : '');
    }
  });

  it('is refused to those who say much while the members of a partition say more than can be kept, and to nobody else', async () => {
    const world = await ClassicWorld.start();
    const much = 'x'.repeat(7 * 2 ** 20);
    const askToJoin = (groupId: string, said: string) =>
      world.resolve(world.join({ groupId, version: 3, protocols: [['range', said]] }).promise);
    const joined = [
      await askToJoin('one', much),
      await askToJoin('two', much),
      await askToJoin('three', much),
      await askToJoin('four', 'little'),
    ];
    assert.deepEqual(
      joined.map(({ errorCode }) => errorName(errorCode)),
      ['NONE', 'NONE', 'COORDINATOR_NOT_AVAILABLE', 'NONE'],
    );
    await world.run(60_000);
    assert.equal(errorName((await askToJoin('three', much)).errorCode), 'NONE');
  });

  it('waits for all members when one more comes, and tells the leader who they are', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember({ protocols: [['range', 'of first']] });
    const second = await world.joinTwice({ protocols: [['range', 'of second']] });
    await world.run(0);
    assert.ok(second.isWaiting);
    assert.equal(world.state, 'PreparingRebalance');
    assert.equal(await world.heartbeat(first, 1), 'REBALANCE_IN_PROGRESS');
    const again = world.join({ memberId: first, protocols: [['range', 'of first']] });
    await world.run(0);
    assert.equal(second.given.generationId, 2);
    assert.deepEqual(second.given.members, []);
    assert.equal(again.given.leader, first);
    assert.deepEqual(
      again.given.members.map(({ memberId, metadata }) => [memberId, Buffer.from(metadata).toString()]),
      [
        [first, 'of first'],
        [second.memberId, 'of second'],
      ],
    );
  });

  it('leaves a member out that does not join again within the longest rebalance timeout', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember({ sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 20_000 });
    const second = await world.joinTwice({ rebalanceTimeoutMs: 5_000 });
    await world.run(19_999);
    assert.ok(second.isWaiting);
    await world.run(1);
    assert.equal(answeredWith(second), 'NONE');
    assert.equal(second.given.leader, second.memberId);
    assert.equal(await world.heartbeat(first, 1), 'UNKNOWN_MEMBER_ID');
  });

  it('puts the first rebalance off while members come, for as long as the first of them may wait', async () => {
    const world = await ClassicWorld.start({ properties: { 'group.initial.rebalance.delay.ms': '3000' } });
    const first = await world.joinTwice({ rebalanceTimeoutMs: 7_000 });
    await world.run(2_900);
    const second = await world.joinTwice({ rebalanceTimeoutMs: 7_000 });
    await world.run(200);
    assert.ok(first.isWaiting && second.isWaiting);
    const third = await world.joinTwice({ rebalanceTimeoutMs: 7_000 });
    await world.run(2_900);
    assert.ok(third.isWaiting);
    const fourth = await world.joinTwice({ rebalanceTimeoutMs: 7_000 });
    await world.run(999);
    assert.ok(fourth.isWaiting);
    await world.run(1);
    assert.deepEqual([first, second, third, fourth].map(answeredWith), ['NONE', 'NONE', 'NONE', 'NONE']);
    assert.equal(first.given.members.length, 4);
  });

  it('chooses the protocol that most members prefer of those that all know', async () => {
    const world = await ClassicWorld.start({ properties: { 'group.initial.rebalance.delay.ms': '100' } });
    const sent = [
      ['a', 'b', 'c'],
      ['b', 'a'],
      ['b', 'c', 'a'],
      ['d', 'b', 'a'],
    ].map((protocols) => world.joinTwice({ protocols }));
    const joined = await Promise.all(sent);
    await world.run(300);
    assert.deepEqual(
      joined.map(({ given }) => given.protocolName),
      ['b', 'b', 'b', 'b'],
    );
    const stranger = world.join({ protocols: ['c', 'd'] });
    const ofAnotherType = world.join({ protocolType: 'connect', protocols: ['a'] });
    await world.run(0);
    assert.equal(answeredWith(stranger), 'INCONSISTENT_GROUP_PROTOCOL');
    assert.equal(answeredWith(ofAnotherType), 'INCONSISTENT_GROUP_PROTOCOL');
  });

  it('turns away whoever comes when the group is full', async () => {
    const world = await ClassicWorld.start({ properties: { 'group.max.size': '1' } });
    const first = await world.stableMember();
    const second = world.join();
    await world.run(0);
    assert.equal(answeredWith(second), 'GROUP_MAX_SIZE_REACHED');
    assert.equal(second.given.memberId, '');
    assert.equal(await world.heartbeat(first, 1), 'NONE');
  });

  it('forgets an id that nobody comes back with', async () => {
    const world = await ClassicWorld.start();
    const { memberId } = await world.resolve(world.join().promise);
    await world.run(10_000);
    const late = world.join({ memberId });
    await world.run(0);
    assert.equal(answeredWith(late), 'UNKNOWN_MEMBER_ID');
  });

  it('does not let two clients of one id wait: the first is told to join again', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember();
    const second = await world.joinTwice();
    const again = world.join({ memberId: second.memberId });
    await world.run(0);
    assert.equal(answeredWith(second), 'REBALANCE_IN_PROGRESS');
    assert.ok(again.isWaiting);
    void world.join({ memberId: first });
    await world.run(0);
    assert.equal(answeredWith(again), 'NONE');
  });

  it('gives a new member up that waits for five minutes: it cannot say that it lives', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember({ rebalanceTimeoutMs: 600_000, sessionTimeoutMs: 600_000 });
    const second = world.join({ version: 3 });
    await world.run(299_999);
    assert.ok(second.isWaiting);
    await world.run(1);
    assert.equal(answeredWith(second), 'UNKNOWN_MEMBER_ID');
    const again = world.join({ memberId: first });
    await world.run(0);
    assert.equal(again.given.members.length, 1);
  });

  it('does not miss a member that waits for the others, and tells it who leads when it asks again', async () => {
    const world = await ClassicWorld.start();
    const first = await world.stableMember({ sessionTimeoutMs: 6_000 });
    const second = await world.joinTwice({ sessionTimeoutMs: 60_000 });
    const again = world.join({ memberId: first, sessionTimeoutMs: 6_000 });
    await world.run(0);
    const third = world.join({ memberId: first, sessionTimeoutMs: 6_000 });
    await world.run(0);
    assert.deepEqual(
      [again, second, third].map(({ given }) => given.generationId),
      [2, 2, 2],
    );
    const leader = world.sync({ memberId: first, generationId: 2 });
    await world.run(0);
    assert.equal(answeredWith(leader), 'NONE');
    void world.join({ memberId: first, sessionTimeoutMs: 6_000 });
    await world.run(30_000);
    assert.equal(world.describe().members.length, 2);
  });
});
