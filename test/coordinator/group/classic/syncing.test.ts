import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KafkaError } from '../../../../src/protocol/errors.ts';
import { answeredWith, ClassicWorld, GROUP } from './classic-world.ts';

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

/** Two members of generation 1; the first leads. */
async function twoMembers(world: ClassicWorld): Promise<readonly [string, string]> {
  const [first, second] = [await world.joinTwice(), await world.joinTwice()];
  await world.run(300);
  return [first.memberId, second.memberId];
}

const delayed = { properties: { 'group.initial.rebalance.delay.ms': '100' } };

describe('sharing out in a classic group', () => {
  it('gives each member what the leader gave it, and nothing to one that it forgot', async () => {
    const world = await ClassicWorld.start(delayed);
    const [leader, follower] = await twoMembers(world);
    const early = world.sync({ memberId: follower });
    await world.run(0);
    assert.ok(early.isWaiting);
    const given = world.sync({ memberId: leader, assignments: { [leader]: 'everything', stranger: 'x' } });
    await world.run(0);
    assert.equal(text(given.given.assignment), 'everything');
    assert.equal(text(early.given.assignment), '');
    assert.equal(early.given.protocolName, 'range');
    assert.equal(world.state, 'Stable');
    const late = world.sync({ memberId: leader, protocolType: 'consumer', protocolName: 'range' });
    await world.run(0);
    assert.equal(text(late.given.assignment), 'everything');
  });

  it('keeps the generation in one record', async () => {
    const world = await ClassicWorld.start();
    const memberId = await world.stableMember({ clientId: 'app', protocols: [['range', 'topics']] }, 'all');
    const [empty, generation, ...rest] = world.records();
    assert.deepEqual(rest, []);
    assert.deepEqual(empty?.value, {
      protocolType: '',
      generation: 0,
      protocol: null,
      leader: null,
      currentStateTimestamp: world.environment.clock.now(),
      members: [],
    });
    assert.deepEqual(generation, {
      type: 'GroupMetadata',
      key: { group: GROUP },
      version: 3,
      value: {
        protocolType: 'consumer',
        generation: 1,
        protocol: 'range',
        leader: memberId,
        currentStateTimestamp: world.environment.clock.now(),
        members: [
          {
            memberId,
            groupInstanceId: null,
            clientId: 'app',
            clientHost: '/127.0.0.1',
            rebalanceTimeout: 60_000,
            sessionTimeout: 10_000,
            subscription: Buffer.from('topics'),
            assignment: Buffer.from('all'),
          },
        ],
      },
    });
  });

  it('refuses another generation, protocol or member', async () => {
    const world = await ClassicWorld.start();
    const memberId = await world.stableMember();
    const refused = [
      [{ memberId, generationId: 2 }, 'ILLEGAL_GENERATION'],
      [{ memberId, protocolName: 'roundrobin' }, 'INCONSISTENT_GROUP_PROTOCOL'],
      [{ memberId, protocolType: 'connect' }, 'INCONSISTENT_GROUP_PROTOCOL'],
      [{ memberId: 'stranger' }, 'UNKNOWN_MEMBER_ID'],
      [{ memberId, groupInstanceId: 'i' }, 'UNKNOWN_MEMBER_ID'],
      [{ memberId, groupId: 'unknown' }, 'UNKNOWN_MEMBER_ID'],
      [{ memberId, groupId: '' }, 'INVALID_GROUP_ID'],
    ] as const;
    for (const [options, error] of refused) {
      const sent = world.sync(options);
      await world.run(0);
      assert.equal(answeredWith(sent), error, JSON.stringify(options));
    }
  });

  it('has all join again when the assignments cannot be written', async () => {
    const world = await ClassicWorld.start(delayed);
    const [leader, follower] = await twoMembers(world);
    world.log.failure = new KafkaError('NOT_ENOUGH_REPLICAS');
    const sent = [world.sync({ memberId: follower }), world.sync({ memberId: leader, assignments: { [leader]: 'all' } })];
    await world.run(0);
    assert.deepEqual(sent.map(answeredWith), ['COORDINATOR_NOT_AVAILABLE', 'COORDINATOR_NOT_AVAILABLE']);
    assert.equal(world.state, 'PreparingRebalance');
    world.log.failure = null;
    const again = [world.join({ memberId: leader }), world.join({ memberId: follower })];
    await world.run(0);
    assert.deepEqual(
      again.map(({ given }) => given.generationId),
      [2, 2],
    );
  });

  it('has all join again when the assignments are larger than a batch may be', async () => {
    const world = await ClassicWorld.start();
    const { memberId } = await world.joinTwice();
    await world.run(0);
    world.log.maxBytes = 1_000;
    const sent = world.sync({ memberId, assignments: { [memberId]: 'x'.repeat(1_000) } });
    await world.run(0);
    assert.equal(answeredWith(sent), 'UNKNOWN_SERVER_ERROR');
    assert.equal(world.state, 'PreparingRebalance');
  });

  it('leaves members out that do not ask for their assignment in time', async () => {
    const world = await ClassicWorld.start(delayed);
    const [leader, follower] = await twoMembers(world);
    await world.resolve(world.sync({ memberId: leader }).promise);
    for (let at = 0; at < 59_000; at += 5_000) {
      await world.run(5_000);
      assert.equal(await world.heartbeat(leader, 1), at < 55_000 ? 'NONE' : 'REBALANCE_IN_PROGRESS');
      const expected = at < 55_000 ? 'NONE' : 'UNKNOWN_MEMBER_ID';
      assert.equal(await world.heartbeat(follower, 1), expected);
    }
  });

  it('tells those who wait for the leader to join again when somebody comes', async () => {
    const world = await ClassicWorld.start(delayed);
    const [, follower] = await twoMembers(world);
    const waiting = world.sync({ memberId: follower });
    await world.joinTwice();
    await world.run(0);
    assert.equal(answeredWith(waiting), 'REBALANCE_IN_PROGRESS');
    const early = world.sync({ memberId: follower });
    await world.run(0);
    assert.equal(answeredWith(early), 'REBALANCE_IN_PROGRESS');
  });
});
