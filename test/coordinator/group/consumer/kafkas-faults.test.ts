import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupRecord, groupTombstone } from '../../../../src/coordinator/group/group-record.ts';
import { joinGroup } from '../../../../src/protocol/messages/11-join-group.ts';
import { ConsumerWorld, PARTITION } from './consumer-world.ts';
import { OurSide } from './talk/our-side.ts';
import { TalkingClassic } from './talk/talking-classic.ts';
import { Talk, TalkingMember } from './talk/talk.ts';

const AT_ONCE = { 'group.consumer.assignment.interval.ms': '0' };
const join = { groupId: 'g', memberEpoch: 0, rebalanceTimeoutMs: 60_000, topicPartitions: [] };

describe('A consumer group', () => {
  it('keeps its assignor while equally many members ask for two', async () => {
    const world = await ConsumerWorld.start(AT_ONCE);
    world.createTopic('a', 4);
    const names = { subscribedTopicNames: ['a'] };
    await world.heartbeat({ ...join, ...names, memberId: 'one', serverAssignor: 'uniform' });
    const { memberEpoch } = await world.heartbeat({ ...join, ...names, memberId: 'two', serverAssignor: 'range' });
    for (let beat = 0; beat < 3; beat++)
      await world.heartbeat({ groupId: 'g', memberId: 'two', memberEpoch, topicPartitions: [] });
    assert.equal(world.group('g')?.epochs.groupEpoch, memberEpoch);
  });

  for (const assignor of ['uniform', 'range']) {
    it(`leaves nothing to somebody who subscribes to nothing: ${assignor}`, async () => {
      const world = await ConsumerWorld.start({ ...AT_ONCE, 'group.consumer.assignors': assignor });
      const topicId = world.createTopic('a', 4);
      await world.heartbeat({ ...join, memberId: 'late', subscribedTopicNames: ['a'] });
      const { memberEpoch } = await world.heartbeat({ ...join, memberId: 'reader', subscribedTopicNames: ['a'] });
      // The group has to have another assignment when he comes.
      await world.heartbeat({ groupId: 'g', memberId: 'late', memberEpoch: -1 });
      await world.heartbeat({ ...join, memberId: 'idle', instanceId: 'first', subscribedTopicNames: [] });
      await world.heartbeat({ groupId: 'g', memberId: 'reader', memberEpoch, topicPartitions: [] });
      assert.deepEqual(world.group('g')?.target('reader').get(topicId)?.toSorted(), [0, 1, 2, 3]);
      assert.equal(world.group('g')?.target('idle').size, 0);
    });
  }

  it('comes of a classic group that waits for its first members, and they join again', async () => {
    const side = await OurSide.start({ ...AT_ONCE, 'group.initial.rebalance.delay.ms': '3000' });
    const talk = new Talk(side);
    await talk.topic('a', 2);
    const classic = new TalkingClassic(talk, 'g', 'classic', { topics: ['a'] });
    await classic.startJoin();
    const consumer = new TalkingMember(talk, 'g', 'consumer', { topics: ['a'] });
    assert.equal((await consumer.join()).errorCode, 0);
    const refused = await classic.finishJoin();
    assert.equal(refused.errorCode, 27, 'REBALANCE_IN_PROGRESS');
    assert.equal((await talk.ask(joinGroup, 9, classic.request(), 'classic')).errorCode, 0);
    await consumer.follow();
    await classic.join();
    await consumer.follow();
    await classic.join();
    const [group] = (await talk.describe('g')).groups;
    assert.deepEqual(
      group?.members
        .map(({ assignment, memberType }) => [memberType, assignment.topicPartitions[0]?.partitions.length])
        .toSorted(),
      [
        [0, 1],
        [1, 1],
      ],
    );
  });

  it('is read from a log in which tombstones are missing, and one that an old release wrote', async () => {
    const world = await ConsumerWorld.start();
    const { consumer } = world.coordinator.runtime.read(PARTITION, (shard) => shard);
    const key = { groupId: 'g', memberId: 'm' };
    const metadata = {
      instanceId: 'i',
      rackId: null,
      clientId: 'c',
      clientHost: '/h',
      subscribedTopicNames: ['a'],
      subscribedTopicRegex: null,
      rebalanceTimeoutMs: 1,
      serverAssignor: null,
      classicMemberMetadata: null,
    };
    const topics = [{ topicId: 'AAAAAAAAAAAAAAAAAAAAKg', partitions: [0, 1], assignmentEpochs: null }];
    const assignment = {
      memberEpoch: 3,
      previousMemberEpoch: 2,
      state: 9,
      assignedPartitions: topics,
      partitionsPendingRevocation: [],
    };
    consumer.replay(groupRecord('ConsumerGroupPartitionMetadata', { groupId: 'g' }, { version: 0, value: { topics: [] } }));
    consumer.replay(groupRecord('ConsumerGroupMemberMetadata', key, { version: 0, value: metadata }));
    consumer.replay(groupRecord('ConsumerGroupCurrentMemberAssignment', key, { version: 0, value: assignment }));
    const member = world.group('g')?.member('m');
    assert.equal(world.group('g')?.epochs.hasPartitionMetadataRecord, true);
    assert.deepEqual(
      [member?.state, [...(member?.assigned.get('AAAAAAAAAAAAAAAAAAAAKg') ?? [])]],
      [
        'UNKNOWN',
        [
          [0, 3],
          [1, 3],
        ],
      ],
    );
    consumer.replay(groupTombstone('ConsumerGroupMemberMetadata', key));
    assert.equal(world.group('g')?.size, 0);
    assert.equal(world.group('g')?.partitionEpoch('AAAAAAAAAAAAAAAAAAAAKg', 0), -1);
    consumer.replay(groupTombstone('ConsumerGroupMetadata', { groupId: 'g' }));
    assert.equal(world.group('g'), null);
    consumer.replay(groupTombstone('ConsumerGroupCurrentMemberAssignment', key));
    assert.equal(world.group('g'), null);
  });
});
