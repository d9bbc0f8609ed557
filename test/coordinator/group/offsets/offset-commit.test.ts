import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, type ErrorName, KafkaError } from '../../../../src/protocol/errors.ts';
import { groupRecordSerde } from '../../../../src/coordinator/group/group-record.ts';
import { commitRequest, OffsetsShard } from './offsets-shard.ts';

const refused = (errorName: ErrorName) => (error: unknown) => error instanceof KafkaError && error.errorName === errorName;

describe('A commit of offsets', () => {
  it('makes a group that only holds offsets for somebody who is in none', () => {
    const shard = new OffsetsShard();
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 5 }), 9));
    assert.equal(shard.groups.get('g')?.isEmpty(), true);
    assert.deepEqual(shard.fetch('g'), { 'a-0': 5 });
  });

  it('of a member is refused when there is no such group, in the words that its version knows', () => {
    const { offsets } = new OffsetsShard();
    const request = commitRequest({ 'a-0': 5 }, { generationIdOrMemberEpoch: 3, memberId: 'm' });
    assert.throws(() => offsets.commit(request, 8), refused('ILLEGAL_GENERATION'));
    assert.throws(() => offsets.commit(request, 9), refused('GROUP_ID_NOT_FOUND'));
    assert.throws(() => offsets.commitInTransaction(request, 5), refused('ILLEGAL_GENERATION'));
    assert.throws(() => offsets.commitInTransaction(request, 6), refused('GROUP_ID_NOT_FOUND'));
  });

  it('is refused as its group says, and counts as a sign of life otherwise', () => {
    const shard = new OffsetsShard();
    const group = shard.addGroup('g');
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 5 }, { memberId: 'm' }), 9));
    assert.deepEqual(group.committers, ['m']);
    group.validateOffsetCommit = () => {
      throw new KafkaError('STALE_MEMBER_EPOCH');
    };
    assert.throws(() => shard.offsets.commit(commitRequest({ 'a-0': 6 }), 9), refused('STALE_MEMBER_EPOCH'));
    assert.throws(() => shard.offsets.commitInTransaction(commitRequest({ 'a-0': 6 }), 5), refused('ILLEGAL_GENERATION'));
    assert.throws(() => shard.offsets.commitInTransaction(commitRequest({ 'a-0': 6 }), 6), refused('STALE_MEMBER_EPOCH'));
    assert.deepEqual(shard.fetch('g'), { 'a-0': 5 });
  });

  it('is refused as a whole when its group refuses one of the partitions', () => {
    const shard = new OffsetsShard();
    shard.addGroup('g').validateOffsetCommit = () => (topic, partition) => {
      if (topic.name === 'a' && partition === 1) throw new KafkaError('STALE_MEMBER_EPOCH');
    };
    assert.throws(() => shard.offsets.commit(commitRequest({ 'a-0': 5, 'a-1': 5 }), 9), refused('STALE_MEMBER_EPOCH'));
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 5 }), 9));
    assert.deepEqual(shard.fetch('g'), { 'a-0': 5 });
  });

  it('leaves out partitions whose metadata is too large, and answers the others', async () => {
    const shard = new OffsetsShard({ 'offset.metadata.max.bytes': '3' });
    const partition = { committedOffset: 1, committedLeaderEpoch: -1 };
    const topic = { name: 'a', topicId: 'b3RoZXItb3JkZXJzLWlkZQ' };
    const partitions = ['abcd', 'abc', 'äöü', null].map((committedMetadata, partitionIndex) => ({
      ...partition,
      partitionIndex,
      committedMetadata,
    }));
    const answer = await shard.write(shard.offsets.commit(commitRequest({}, { topics: [{ ...topic, partitions }] }), 10));
    const tooLarge = codeOf('OFFSET_METADATA_TOO_LARGE');
    const errors = answer[0]?.partitions.map(({ errorCode }) => errorCode);
    assert.deepEqual(errors, [tooLarge, 0, 0, 0]);
    assert.equal(shard.written.length, 3);
  });

  it('is written as Kafka writes it: v4 with the id of the topic, v1 where the committer says how long it is kept', () => {
    const shard = new OffsetsShard();
    const topic = { name: 'a', topicId: 'b3RoZXItb3JkZXJzLWlkZQ' };
    const partitions = [{ partitionIndex: 2, committedOffset: 9, committedLeaderEpoch: 4, committedMetadata: 'm' }];
    const topics = [{ ...topic, partitions }];
    shard.write(shard.offsets.commit(commitRequest({}, { topics }), 10));
    shard.write(shard.offsets.commit(commitRequest({}, { topics, retentionTimeMs: 1000 }), 4));
    const now = shard.environment.clock.now();
    const read = shard.written.map((record) => {
      const { key, value } = groupRecordSerde.encode(record);
      return groupRecordSerde.decode(key, value);
    });
    const key = { group: 'g', topic: 'a', partition: 2 };
    const value = { offset: 9, metadata: 'm', commitTimestamp: now };
    const { topicId } = topic;
    assert.deepEqual(read, [
      { type: 'OffsetCommit', key, version: 4, value: { ...value, leaderEpoch: 4, expireTimestamp: -1, topicId } },
      {
        type: 'OffsetCommit',
        key,
        version: 1,
        value: { ...value, leaderEpoch: -1, expireTimestamp: now + 1000, topicId: 'AAAAAAAAAAAAAAAAAAAAAA' },
      },
    ]);
  });
});

describe('Offsets that were committed', () => {
  it('are seen as they were at a point of the timeline', () => {
    const shard = new OffsetsShard();
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 1, 'b-0': 1 }), 9));
    const first = shard.snapshot();
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 2, 'c-1': 2 }), 9));
    const second = shard.snapshot();
    shard.write(shard.offsets.delete({ groupId: 'g', topics: [{ name: 'b', partitions: [{ partitionIndex: 0 }] }] }));
    assert.deepEqual(shard.fetch('g', first), { 'a-0': 1, 'b-0': 1 });
    assert.deepEqual(shard.fetch('g', second), { 'a-0': 2, 'b-0': 1, 'c-1': 2 });
    assert.deepEqual(shard.fetch('g'), { 'a-0': 2, 'c-1': 2 });
    shard.timeline.revertTo(first);
    assert.deepEqual(shard.fetch('g'), { 'a-0': 1, 'b-0': 1 });
  });

  it('of a topic that was made again under the same name are not those of the new one', () => {
    const shard = new OffsetsShard();
    const [old, recent] = ['b2xkLW9yZGVycy1pZGVudA', 'bmV3LW9yZGVycy1pZGVudA'];
    const partitions = [{ partitionIndex: 0, committedOffset: 9, committedLeaderEpoch: 4, committedMetadata: 'm' }];
    shard.write(shard.offsets.commit(commitRequest({}, { topics: [{ name: 'a', topicId: old, partitions }] }), 10));
    const offsetFor = (topicId: string): number | undefined =>
      shard.offsets.fetchStable({
        groupId: 'g',
        memberId: null,
        memberEpoch: -1,
        topics: [{ name: 'a', topicId, partitionIndexes: [0] }],
      })[0]?.partitions[0]?.committedOffset;
    assert.equal(offsetFor(old), 9);
    assert.equal(offsetFor(recent), -1);
    assert.equal(offsetFor('AAAAAAAAAAAAAAAAAAAAAA'), 9);
  });

  it('are told to nobody who claims to be a member and is not, and are none where there is no group', () => {
    const shard = new OffsetsShard();
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 1 }), 9));
    const ask = (groupId: string) => shard.offsets.fetchStable({ groupId, memberId: 'unknown', memberEpoch: 1, topics: null });
    assert.throws(() => ask('g'), refused('UNKNOWN_MEMBER_ID'));
    assert.deepEqual(ask('nobody'), []);
  });

  it('are not deleted where members of the group have subscribed to the topic', async () => {
    const shard = new OffsetsShard();
    const group = shard.addGroup('g');
    shard.write(shard.offsets.commit(commitRequest({ 'a-0': 1, 'b-0': 1 }), 9));
    group.members = 1;
    const request = {
      groupId: 'g',
      topics: ['a', 'b'].map((name) => ({ name, partitions: [{ partitionIndex: 0 }, { partitionIndex: 9 }] })),
    };
    assert.throws(() => shard.offsets.delete(request), refused('NON_EMPTY_GROUP'));
    assert.throws(() => shard.offsets.delete({ ...request, groupId: 'nobody' }), refused('GROUP_ID_NOT_FOUND'));
    group.subscribed.add('b');
    const answer = await shard.write(shard.offsets.delete(request));
    assert.deepEqual(
      answer.map(({ partitions }) => partitions.map(({ errorCode }) => errorCode)),
      [
        [0, 0],
        [codeOf('GROUP_SUBSCRIBED_TO_TOPIC'), codeOf('GROUP_SUBSCRIBED_TO_TOPIC')],
      ],
    );
    assert.deepEqual(shard.fetch('g'), { 'b-0': 1 });
  });
});
