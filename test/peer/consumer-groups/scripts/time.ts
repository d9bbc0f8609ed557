import { TalkingMember } from '../../../coordinator/group/consumer/talk/talk.ts';
import { AT_ONCE, type Script } from './script.ts';

export const timeScripts: readonly Script[] = [
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
];
