import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupRecord } from '../../../../src/coordinator/group/group-record.ts';
import { listGroups } from '../../../../src/coordinator/group/list-groups.ts';
import { answeredWith, ClassicWorld, errorName, GROUP, PARTITION } from './classic-world.ts';

describe('a coordinator of classic groups', () => {
  it('lets members go on while it loads, and nobody else', async () => {
    const world = await ClassicWorld.start();
    const memberId = await world.stableMember();
    world.coordinator.resign(PARTITION);
    const loaded = world.coordinator.becomeLeader(PARTITION, 1);
    const heartbeat = world.heartbeat(memberId, 1);
    const joined = world.join();
    const left = world.leave(memberId);
    assert.equal(errorName(world.describe().errorCode), 'COORDINATOR_LOAD_IN_PROGRESS');
    assert.throws(() => listGroups(world.coordinator, { statesFilter: [], typesFilter: [] }), {
      errorName: 'COORDINATOR_LOAD_IN_PROGRESS',
    });
    assert.equal(await heartbeat, 'NONE');
    assert.equal(errorName((await left).errorCode), 'COORDINATOR_LOAD_IN_PROGRESS');
    assert.equal(answeredWith(joined), 'COORDINATOR_LOAD_IN_PROGRESS');
    await world.resolve(loaded);
    assert.equal(await world.heartbeat(memberId, 1), 'NONE');
  });

  it('describes a group that is not there as dead, and as an error since version 6', async () => {
    const world = await ClassicWorld.start();
    const { errorCode, errorMessage, groupState } = world.service.describeGroup('nobody', 6);
    assert.deepEqual([errorName(errorCode), errorMessage, groupState], ['GROUP_ID_NOT_FOUND', 'Group nobody not found.', 'Dead']);
    const before = world.service.describeGroup('nobody', 5);
    assert.deepEqual([errorName(before.errorCode), before.groupState], ['NONE', 'Dead']);
  });

  it('tells what members say and have once all have agreed', async () => {
    const world = await ClassicWorld.start();
    const { memberId } = await world.joinTwice({ protocols: [['range', 'topics']], clientId: 'app' });
    await world.run(0);
    const [joining] = world.describe().members;
    assert.deepEqual([world.describe().protocolData, Buffer.from(joining?.memberMetadata ?? []).length], ['', 0]);
    await world.resolve(world.sync({ memberId, assignments: { [memberId]: 'all' } }).promise);
    const { protocolData, protocolType, members } = world.describe();
    const [member] = members;
    assert.deepEqual(
      [protocolType, protocolData, member?.clientId, member?.clientHost],
      ['consumer', 'range', 'app', '/127.0.0.1'],
    );
    assert.deepEqual([member?.memberMetadata, member?.memberAssignment].map(String), ['topics', 'all']);
  });

  it('lists groups by state and type, whatever the size of the letters', async () => {
    const world = await ClassicWorld.start();
    await world.stableMember();
    await world.resolve(world.join({ groupId: 'other' }).promise);
    const listed = (statesFilter: string[], typesFilter: string[] = []): string[] =>
      listGroups(world.coordinator, { statesFilter, typesFilter }).map(({ groupId }) => groupId);
    assert.deepEqual(listed([]), [GROUP, 'other']);
    assert.deepEqual(listed(['STABLE']), [GROUP]);
    assert.deepEqual(listed([' empty ', 'dead']), ['other']);
    assert.deepEqual(listed(['nonsense']), []);
    assert.deepEqual(listed([], ['Classic']), [GROUP, 'other']);
    assert.deepEqual(listed(['stable'], ['consumer']), []);
  });

  it('begins again with negative generations after the last positive one', async () => {
    const world = await ClassicWorld.start();
    const value = {
      protocolType: 'consumer',
      generation: 2_147_483_647,
      protocol: null,
      leader: null,
      currentStateTimestamp: 1,
      members: [],
    };
    const record = groupRecord('GroupMetadata', { group: GROUP }, { version: 3, value });
    await world.resolve(world.coordinator.runtime.write(PARTITION, () => ({ records: [record], response: undefined })));
    const joined = world.join({ version: 3 });
    await world.run(0);
    assert.equal(joined.given.generationId, -2_147_483_648);
    const { memberId } = joined.given;
    await world.resolve(world.sync({ memberId, generationId: -2_147_483_648 }).promise);
    assert.equal(await world.heartbeat(memberId, -2_147_483_648), 'NONE');
  });

  it('gives members of old records as long to join as their sessions are', async () => {
    const world = await ClassicWorld.start();
    const member = {
      memberId: 'old',
      groupInstanceId: 'i',
      clientId: 'c',
      clientHost: '/h',
      rebalanceTimeout: -1,
      sessionTimeout: 9_000,
    };
    const members = [{ ...member, subscription: Buffer.alloc(0), assignment: Buffer.alloc(0) }];
    const value = {
      protocolType: 'consumer',
      generation: 7,
      protocol: 'range',
      leader: 'old',
      currentStateTimestamp: -1,
      members,
    };
    const record = groupRecord('GroupMetadata', { group: GROUP }, { version: 0, value });
    await world.resolve(world.coordinator.runtime.write(PARTITION, () => ({ records: [record], response: undefined })));
    const joined = await world.joinTwice({ rebalanceTimeoutMs: 1_000 });
    await world.run(8_999);
    assert.ok(joined.isWaiting);
    await world.run(1);
    assert.equal(joined.given.generationId, 8);
  });

  it('counts a protocol that a member names twice once', async () => {
    const world = await ClassicWorld.start();
    const joined = world.join({
      version: 3,
      protocols: [
        ['range', 'a'],
        ['range', 'b'],
      ],
    });
    await world.run(0);
    assert.deepEqual([joined.given.protocolName, String(joined.given.members[0]?.metadata)], ['range', 'a']);
  });

  it('survives members that say more than a record holds', async () => {
    const world = await ClassicWorld.start();
    const { memberId } = await world.joinTwice({ protocols: [['range', 'x'.repeat(2_000_000)]] });
    await world.run(0);
    const synced = world.sync({ memberId });
    await world.run(0);
    assert.equal(answeredWith(synced), 'UNKNOWN_SERVER_ERROR');
    assert.equal(await world.heartbeat(memberId, 1), 'REBALANCE_IN_PROGRESS');
    await world.run(60_000);
    assert.equal(world.state, 'Empty');
  });
});
