import { TalkingMember } from '../../../coordinator/group/consumer/talk/talk.ts';
import { AT_ONCE, type Script } from './script.ts';

export const subscriptionsScripts: readonly Script[] = [
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
    title: 'regular expressions',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('orders-1', 2);
      await talk.topic('orders-2', 1);
      await talk.topic('other', 2);
      const one = new TalkingMember(talk, 'g', 'm1', { regex: 'orders-.*' });
      const two = new TalkingMember(talk, 'g', 'm2', { regex: 'orders-.*' });
      const three = new TalkingMember(talk, 'g', 'm3', { regex: 'other|orders-1', topics: ['orders-2', 'nope'] });
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
];
