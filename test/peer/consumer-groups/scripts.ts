import { ZERO_UUID } from '../../../src/base/uuid.ts';
import { offsetCommit } from '../../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../../src/protocol/messages/09-offset-fetch.ts';
import { deleteGroups } from '../../../src/protocol/messages/42-delete-groups.ts';
import { offsetDelete } from '../../../src/protocol/messages/47-offset-delete.ts';
import { TalkingMember, type Talk } from '../../coordinator/group/consumer/talk/talk.ts';

/** Something that is said to a broker; where it depends on answers, on Kafka's. */
export interface Script {
  readonly title: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly say: (talk: Talk) => Promise<void>;
}

/** Assignments are made at once. */
const AT_ONCE = { 'group.consumer.assignment.interval.ms': '0' };

export const scripts: readonly Script[] = [
  {
    title: 'a member joins, stays and leaves',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const one = new TalkingMember(talk, 'g', 'one', { topics: ['a'] });
      await one.join();
      await one.beat();
      await one.follow();
      await one.beat();
      await one.beatFully();
      await talk.describe('g');
      await one.leave();
      await talk.describe('g');
      await one.beat();
    },
  },
  {
    title: 'a second member gets what the first gives back',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 5);
      const [one, two] = ['one', 'two'].map((id) => new TalkingMember(talk, 'g', id, { topics: ['a'] })) as [
        TalkingMember,
        TalkingMember,
      ];
      await one.join();
      await one.follow();
      await two.join();
      await two.beat();
      await talk.describe('g');
      await one.beat();
      await one.beatFully();
      await two.follow();
      await one.follow();
      await two.beat();
      await two.follow();
      await one.beat();
      await talk.describe('g');
      await two.leave();
      await one.beat();
      await one.follow();
      await one.leave();
      await talk.describe('g');
    },
  },
  {
    title: 'requests that are refused as they stand',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 1);
      const join = { groupId: 'g', memberId: 'm', rebalanceTimeoutMs: 1000, subscribedTopicNames: ['a'], topicPartitions: [] };
      for (const version of [0, 1]) {
        for (const wrong of [
          { memberId: '' },
          { memberId: ' \t' },
          { memberId: '', memberEpoch: 1 },
          { memberId: '', memberEpoch: -1 },
          { memberId: '', memberEpoch: -2, instanceId: 'i' },
          { groupId: '' },
          { groupId: '  ' },
          { instanceId: '' },
          { rackId: '' },
          { rackId: '\n' },
          { rebalanceTimeoutMs: -1 },
          { topicPartitions: null },
          { topicPartitions: [{ topicId: talk.topics.get('a') ?? '', partitions: [0] }] },
          { subscribedTopicNames: null },
          { memberEpoch: -2 },
          { memberEpoch: -3 },
          { memberEpoch: -2_147_483_648 },
          { serverAssignor: 'sticky' },
          { serverAssignor: '' },
          { memberEpoch: -1, serverAssignor: 'sticky' },
          { memberEpoch: 5 },
          { memberEpoch: -1 },
          { memberEpoch: -2, instanceId: 'i' },
        ]) {
          await talk.heartbeat({ ...join, ...wrong }, version);
        }
      }
    },
  },
  {
    title: "epochs that are not the member's",
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const [one, two] = ['one', 'two'].map((id) => new TalkingMember(talk, 'g', id, { topics: ['a'] })) as [
        TalkingMember,
        TalkingMember,
      ];
      await one.join();
      await one.follow();
      await one.beat({ memberEpoch: 3 });
      await one.beat({ memberEpoch: 1 });
      await two.join();
      await one.beat();
      await one.follow();
      const owned = [...one.owned].map(([topicId, partitions]) => ({ topicId, partitions }));
      await one.beat({ memberEpoch: 2, topicPartitions: owned });
      await one.beat({ memberEpoch: 2, topicPartitions: [] });
      await one.beat({ memberEpoch: 2, topicPartitions: null });
      await one.beat({ memberEpoch: 2, topicPartitions: [...owned, { topicId: 'AAAAAAAAAAAAAAAAAAAAKg', partitions: [] }] });
      await one.beat({ memberEpoch: 2, topicPartitions: owned.map((topic) => ({ ...topic, partitions: [0, 1, 2, 3] })) });
      await one.beat({ memberEpoch: 1, topicPartitions: owned });
      await one.beat({ memberEpoch: 99 });
      await one.beat({ memberId: 'three' });
      await one.join();
      await one.follow();
      await talk.describe('g');
    },
  },
  {
    title: 'static members leave for a while, come back, and are not robbed',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const one = new TalkingMember(talk, 'g', 'one', { topics: ['a'], instanceId: 'i1' });
      const two = new TalkingMember(talk, 'g', 'two', { topics: ['a'], instanceId: 'i2' });
      const thief = new TalkingMember(talk, 'g', 'thief', { topics: ['a'], instanceId: 'i1' });
      await one.join();
      await two.join();
      await one.follow();
      await one.follow();
      await two.follow();
      await two.follow();
      await thief.join();
      await thief.leave(-2);
      await thief.leave();
      thief.epoch = 3;
      await thief.beat();
      await talk.describe('g');
      await one.leave(-2);
      await talk.describe('g');
      await two.beat();
      await one.beat({ memberEpoch: 3 });
      const again = new TalkingMember(talk, 'g', 'again', { topics: ['a'], instanceId: 'i1' });
      await again.join();
      await again.follow();
      await talk.describe('g');
      await two.beat();
      await again.leave(-2);
      const other = new TalkingMember(talk, 'g', 'other', { topics: ['a', 'b'], instanceId: 'i1', rackId: 'r' });
      await other.join();
      await other.follow();
      await two.beat();
      await talk.describe('g');
      await other.leave();
      await two.beat();
      await two.leave(-1);
      await new TalkingMember(talk, 'g', 'x', { instanceId: 'i9' }).leave(-2);
    },
  },
  {
    title: 'topics come, grow and go',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 2);
      const one = new TalkingMember(talk, 'g', 'one', { topics: ['a', 'b', 'c'] });
      const two = new TalkingMember(talk, 'g', 'two', { topics: ['b'] });
      await one.join();
      await two.join();
      await one.follow();
      await talk.grow('a', 5);
      await one.beat();
      await one.follow();
      await talk.topic('b', 3);
      await two.beat();
      await two.follow();
      await one.beat();
      await one.follow();
      await two.beat();
      await two.follow();
      await talk.describe('g');
      await talk.delete('a');
      await one.beat();
      await one.follow();
      await one.beat();
      await talk.topic('unrelated', 1);
      await one.beat();
      await two.beat();
      await talk.delete('b');
      await two.beat();
      await two.follow();
      await one.beat();
      await one.follow();
      await talk.describe('g');
    },
  },
  {
    title: 'subscriptions change',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 3);
      await talk.topic('b', 3);
      const one = new TalkingMember(talk, 'g', 'one', { topics: ['a'] });
      const two = new TalkingMember(talk, 'g', 'two', { topics: ['a', 'b'] });
      await one.join();
      await one.follow();
      await two.join();
      await one.follow();
      await one.follow();
      await two.follow();
      await one.beat({ subscribedTopicNames: ['b'] });
      await one.follow();
      await one.follow();
      await two.follow();
      await two.follow();
      await one.follow();
      await two.beat({ subscribedTopicNames: [] });
      await two.follow();
      await two.follow();
      await one.follow();
      await one.beat({ subscribedTopicNames: ['b', 'b', 'a'] });
      await one.beat({ subscribedTopicNames: ['a', 'b'] });
      await one.follow();
      await one.beat({ rackId: 'r1' });
      await one.beat({ rebalanceTimeoutMs: 12_345 });
      await talk.describe('g');
    },
  },
  {
    title: 'the assignor that most ask for',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 6);
      const [one, two, three] = ['range', 'range', 'uniform'].map(
        (assignor, index) => new TalkingMember(talk, 'g', `m${index}`, { topics: ['a'], assignor }),
      ) as [TalkingMember, TalkingMember, TalkingMember];
      const members = [one, two, three];
      await one.join();
      await one.follow();
      await two.join();
      await three.join();
      await talk.describe('g');
      for (const member of [...members, ...members, ...members]) await member.follow();
      await one.beat({ serverAssignor: 'uniform' });
      await talk.describe('g');
      for (const member of [...members, ...members]) await member.follow();
      await two.beat({ serverAssignor: 'uniform' });
      await new TalkingMember(talk, 'g', 'indifferent', { topics: ['a'] }).join();
      await talk.describe('g');
    },
  },
  {
    title: 'a group that is full',
    properties: { ...AT_ONCE, 'group.consumer.max.size': '2' },
    say: async (talk) => {
      await talk.topic('a', 2);
      const [one, two, three] = ['one', 'two', 'three'].map((id) => new TalkingMember(talk, 'g', id, { topics: ['a'] })) as [
        TalkingMember,
        TalkingMember,
        TalkingMember,
      ];
      const fixed = new TalkingMember(talk, 'g', 'fixed', { topics: ['a'], instanceId: 'i' });
      await one.join();
      await fixed.join();
      await two.join();
      await one.join();
      await fixed.leave(-2);
      await three.join();
      const again = new TalkingMember(talk, 'g', 'again', { topics: ['a'], instanceId: 'i' });
      await again.join();
      await one.leave();
      await two.join();
      await talk.describe('g');
    },
  },
  {
    title: 'assignments are not made more often than the interval allows',
    properties: { 'group.consumer.assignment.interval.ms': '1500' },
    say: async (talk) => {
      await talk.topic('a', 4);
      await talk.topic('b', 2);
      const [one, two] = ['one', 'two'].map((id) => new TalkingMember(talk, 'g', id, { topics: ['a'] })) as [
        TalkingMember,
        TalkingMember,
      ];
      await one.join();
      await two.join();
      await one.follow();
      await one.beat({ subscribedTopicNames: ['b'] });
      await one.follow();
      await talk.describe('g');
      await talk.wait(1600);
      await two.beat();
      await one.beat();
      await one.follow();
      await two.follow();
      await two.beat({ subscribedTopicNames: [] });
      await two.beat({ topicPartitions: [] });
      await two.follow();
      await talk.describe('g');
      await one.leave();
      await two.leave();
      await talk.describe('g');
      await one.join();
      await talk.configure('h', {
        'consumer.assignment.interval.ms': '0',
        'consumer.session.timeout.ms': '50000',
        'consumer.heartbeat.interval.ms': '7000',
      });
      const [three, four] = ['three', 'four'].map((id) => new TalkingMember(talk, 'h', id, { topics: ['a'] })) as [
        TalkingMember,
        TalkingMember,
      ];
      await three.join();
      await four.join();
      await three.beat();
      await three.follow();
      await four.beat();
    },
  },
  {
    title: 'members that do not keep their time',
    properties: {
      ...AT_ONCE,
      'group.consumer.session.timeout.ms': '3000',
      'group.consumer.min.session.timeout.ms': '3000',
      'group.consumer.heartbeat.interval.ms': '1000',
      'group.consumer.min.heartbeat.interval.ms': '1000',
    },
    say: async (talk) => {
      await talk.topic('a', 4);
      const slow = new TalkingMember(talk, 'g', 'slow', { topics: ['a'], rebalanceTimeoutMs: 2000 });
      const other = new TalkingMember(talk, 'g', 'other', { topics: ['a'] });
      await slow.join();
      await slow.follow();
      await other.join();
      await slow.beat();
      await talk.wait(1200);
      await slow.beat();
      await other.beat();
      await talk.wait(1200);
      await slow.beat();
      await other.beat();
      await talk.describe('g');
      await talk.wait(3500);
      await talk.describe('g');
      await other.beat();
      const fixed = new TalkingMember(talk, 'g', 'fixed', { topics: ['a'], instanceId: 'i' });
      await fixed.join();
      await fixed.leave(-2);
      await talk.wait(2000);
      await talk.describe('g');
      await talk.wait(1500);
      await talk.describe('g');
    },
  },
  {
    title: 'ids that the broker makes for members of old',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 2);
      const [one, two] = [0, 1].map(() => new TalkingMember(talk, 'g', '', { topics: ['a'], version: 0 })) as [
        TalkingMember,
        TalkingMember,
      ];
      await one.join();
      await one.follow();
      await two.join();
      await one.follow();
      await one.follow();
      await two.follow();
      await one.leave();
      await two.follow();
    },
  },
  {
    title: 'regular expressions',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('orders-1', 2);
      await talk.topic('orders-2', 1);
      await talk.topic('other', 2);
      const one = new TalkingMember(talk, 'g', 'one', { regex: 'orders-.*' });
      const two = new TalkingMember(talk, 'g', 'two', { regex: 'orders-.*' });
      const three = new TalkingMember(talk, 'g', 'three', { regex: 'other|orders-1', topics: ['orders-2', 'nope'] });
      await one.join();
      await talk.wait(500);
      await talk.describe('g');
      await one.beat();
      await one.follow();
      await two.join();
      await one.follow();
      await one.follow();
      await two.follow();
      await three.join();
      await talk.wait(500);
      await one.follow();
      await three.follow();
      await talk.describe('g');
      await talk.wait(10_500);
      await two.beat();
      await talk.wait(500);
      for (const member of [one, two, three, one, two, three]) await member.follow();
      await talk.describe('g');
      await talk.topic('orders-3', 2);
      await one.beat();
      await talk.wait(10_500);
      await one.beat();
      await talk.wait(500);
      for (const member of [one, two, three, one, two, three]) await member.follow();
      await talk.describe('g');
      await one.beat({ subscribedTopicRegex: 'nothing' });
      await talk.wait(500);
      await one.follow();
      await two.beat({ subscribedTopicRegex: '', subscribedTopicNames: ['other'] });
      await talk.wait(500);
      for (const member of [one, two, three, one, two, three]) await member.follow();
      await talk.describe('g');
      await three.leave();
      await talk.describe('g');
      await talk.wait(11_000);
      await one.beat();
      await talk.wait(500);
      await one.beat();
      await one.beat({ subscribedTopicRegex: 'orders-[13]' });
      await talk.wait(11_000);
      await one.beat();
      await talk.wait(500);
      for (const member of [one, two, one, two]) await member.follow();
      await talk.describe('g');
      await talk.delete('orders-1');
      for (const member of [one, two, one, two]) await member.follow();
      await one.leave();
      await two.leave();
      await talk.describe('g');
    },
  },
  {
    title: 'what is no regular expression',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 2);
      for (const regex of [
        '(',
        '[a',
        'a**',
        '\\1',
        '(?=a)',
        '(?<n>a)',
        'a{1001}',
        '*',
        '\\',
        'a{2,1}',
        '(?P<n>a',
        '\\pX',
        '[b-a]',
        '',
      ]) {
        await new TalkingMember(talk, 'g', `m${regex}`, { regex }).join();
        await talk.wait(100);
      }
      const one = new TalkingMember(talk, 'g', 'one', { topics: ['a'] });
      await one.join();
      await one.beat({ subscribedTopicRegex: '(' });
      await one.follow();
      await talk.describe('g');
    },
  },
  {
    title: 'who may commit offsets',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const commit = async (
        memberId: string,
        epoch: number,
        partition: number,
        version = 9,
        instanceId: string | null = null,
      ): Promise<void> => {
        await talk.ask(offsetCommit, version, {
          groupId: 'g',
          generationIdOrMemberEpoch: epoch,
          memberId,
          groupInstanceId: instanceId,
          topics: [
            {
              name: 'a',
              topicId: talk.topics.get('a') ?? '',
              partitions: [{ partitionIndex: partition, committedOffset: 1, committedLeaderEpoch: -1, committedMetadata: '' }],
            },
          ],
        });
      };
      const fetch = (memberId: string | null, memberEpoch: number) =>
        talk.ask(offsetFetch, 9, {
          groups: [
            { groupId: 'g', memberId, memberEpoch, topics: [{ name: 'a', topicId: ZERO_UUID, partitionIndexes: [0, 3] }] },
          ],
          requireStable: false,
        });
      const [one, two] = ['one', 'two'].map((id) => new TalkingMember(talk, 'g', id, { topics: ['a'] })) as [
        TalkingMember,
        TalkingMember,
      ];
      await one.join();
      await one.follow();
      await commit('one', 2, 0);
      await commit('one', 3, 0);
      await commit('one', 1, 0);
      await commit('one', -1, 0);
      await commit('', -1, 0);
      await commit('nobody', 2, 0);
      await commit('one', 2, 0, 8);
      await commit('one', 2, 0, 10);
      await fetch('one', 2);
      await fetch('one', 1);
      await fetch('one', 3);
      await fetch('nobody', 2);
      await fetch(null, -1);
      await fetch('', -1);
      await fetch('one', -1);
      await two.join();
      await one.follow();
      await commit('one', 2, 0);
      await commit('one', 2, 3);
      await commit('one', 2, 3, 10);
      await one.follow();
      await two.follow();
      await commit('one', 2, 0);
      await commit('one', 2, 3);
      await commit('one', 1, 0);
      await commit('two', 2, 3);
      await commit('two', 3, 3);
      await commit('two', 3, 0);
      await one.leave();
      await commit('one', 3, 0);
      await two.leave();
      await commit('two', 3, 0);
      await commit('', -1, 0);
      await commit('x', -1, 0);
      await talk.ask(offsetDelete, 0, { groupId: 'g', topics: [{ name: 'a', partitions: [{ partitionIndex: 0 }] }] });
      await talk.ask(deleteGroups, 2, { groupsNames: ['g'] });
      await talk.describe('g');
    },
  },
];
