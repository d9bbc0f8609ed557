import { TalkingMember } from '../../../coordinator/group/consumer/talk/talk.ts';
import { AT_ONCE, type Script } from './script.ts';

export const membershipScripts: readonly Script[] = [
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
];
