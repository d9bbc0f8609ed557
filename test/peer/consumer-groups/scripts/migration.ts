import { describeGroups } from '../../../../src/protocol/messages/15-describe-groups.ts';
import { heartbeat } from '../../../../src/protocol/messages/12-heartbeat.ts';
import { leaveGroup } from '../../../../src/protocol/messages/13-leave-group.ts';
import { listGroups } from '../../../../src/protocol/messages/16-list-groups.ts';
import { syncGroup } from '../../../../src/protocol/messages/14-sync-group.ts';
import { offsetCommit } from '../../../../src/protocol/messages/08-offset-commit.ts';
import { type Talk, TalkingMember } from '../../../coordinator/group/consumer/talk/talk.ts';
import { assignmentBytes, TalkingClassic } from '../../../coordinator/group/consumer/talk/talking-classic.ts';
import { AT_ONCE, type Script } from './script.ts';

const look = async (talk: Talk, groupId = 'g'): Promise<void> => {
  await talk.describe(groupId);
  await talk.ask(describeGroups, 6, { groups: [groupId], includeAuthorizedOperations: false });
  await talk.ask(listGroups, 5, { statesFilter: [], typesFilter: [] });
};

/** A classic group of two members that share four partitions of `a`. */
const classicPair = async (talk: Talk): Promise<[TalkingClassic, TalkingClassic]> => {
  const one = new TalkingClassic(talk, 'g', 'one', { topics: ['a'], protocols: ['range', 'roundrobin'] });
  const two = new TalkingClassic(talk, 'g', 'two', { topics: ['a'], protocols: ['range'], instanceId: 'i2' });
  await one.join();
  await two.startJoin();
  await one.startJoin();
  await two.finishJoin();
  await one.finishJoin();
  one.owned = [{ topic: 'a', partitions: [0, 1] }];
  two.owned = [{ topic: 'a', partitions: [2, 3] }];
  await one.sync({ [one.memberId]: one.owned, [two.memberId]: two.owned });
  await two.sync();
  return [one, two];
};

export const migrationScripts: readonly Script[] = [
  {
    title: 'a classic group becomes a consumer group, and a classic group again',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const [one, two] = await classicPair(talk);
      const three = new TalkingMember(talk, 'g', 'm3', { topics: ['a'] });
      await three.join();
      await look(talk);
      await one.heartbeat();
      await two.heartbeat();
      await one.heartbeat(99);
      await two.sync();
      await one.join();
      await one.sync();
      await one.heartbeat();
      one.owned = [{ topic: 'a', partitions: [0] }];
      await one.join();
      await one.sync();
      await two.join();
      await two.sync();
      await three.follow();
      await three.follow();
      two.owned = [{ topic: 'a', partitions: [2] }];
      await two.join();
      await two.sync();
      await one.heartbeat();
      await one.join();
      await one.sync();
      await three.follow();
      await two.heartbeat();
      await look(talk);
      await three.leave();
      await look(talk);
      await one.heartbeat();
      await one.startJoin();
      await two.startJoin();
      await one.finishJoin();
      await two.finishJoin();
      await look(talk);
    },
  },
  {
    title: 'consumers replace the members of a classic group one by one',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const [one, two] = await classicPair(talk);
      await one.leave();
      const first = new TalkingMember(talk, 'g', 'm1', { topics: ['a'] });
      await first.join();
      await look(talk);
      await two.heartbeat();
      await two.join();
      await two.sync();
      await first.follow();
      const second = new TalkingMember(talk, 'g', 'm2', { topics: ['a'], instanceId: 'i2' });
      await second.join();
      await look(talk);
      await two.heartbeat();
      await two.join();
      for (const member of [first, second, first, second]) await member.follow();
      await look(talk);
    },
  },
  {
    title: 'members of the classic protocol join a consumer group',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const consumer = new TalkingMember(talk, 'g', 'm0', { topics: ['a'] });
      await consumer.join();
      await consumer.follow();
      const one = new TalkingClassic(talk, 'g', 'one', {
        topics: ['a'],
        protocols: ['cooperative-sticky', 'range'],
        rackId: 'r',
      });
      await one.join();
      await one.sync();
      await consumer.follow();
      await consumer.follow();
      await one.heartbeat();
      await one.join();
      await one.sync({}, { protocolName: 'range' });
      await one.sync({}, { protocolType: 'connect' });
      await one.sync({}, { protocolName: null, protocolType: null });
      await one.sync({}, { generationId: 1 });
      await one.sync({}, { memberId: 'nobody' });
      await one.sync({}, { memberId: 'm0', generationId: consumer.epoch });
      await one.sync({}, { groupInstanceId: 'nobody' });
      await one.sync();
      await look(talk);
      const two = new TalkingClassic(talk, 'g', 'two', { topics: ['a'], protocols: ['roundrobin'] });
      await two.join();
      two.options = { topics: ['a'], protocols: ['range', 'cooperative-sticky'], version: 3, subscriptionVersion: 0 };
      await two.join();
      await two.join({ protocolType: 'connect' });
      await two.join({ protocols: [] });
      await two.join({ protocols: [{ name: 'range', metadata: Buffer.alloc(0) }] });
      await two.join({ protocols: [{ name: 'range', metadata: Buffer.from([0, 0, 0, 9]) }] });
      await two.join({ protocols: [{ name: 'range', metadata: Buffer.from([0xff, 0xff, 0, 0, 0, 0]) }] });
      await two.sync();
      await talk.ask(heartbeat, 4, { groupId: 'g', memberId: 'm0', generationId: 3, groupInstanceId: null });
      await talk.ask(heartbeat, 4, { groupId: 'g', memberId: 'nobody', generationId: 3, groupInstanceId: null });
      await talk.ask(heartbeat, 4, { groupId: 'g', memberId: 'nobody', generationId: 3, groupInstanceId: 'i' });
      await look(talk);
      await talk.ask(leaveGroup, 5, {
        groupId: 'g',
        members: [
          { memberId: 'nobody', groupInstanceId: null, reason: null },
          { memberId: '', groupInstanceId: 'nobody', reason: null },
          { memberId: two.memberId, groupInstanceId: null, reason: 'why not' },
          { memberId: two.memberId, groupInstanceId: null, reason: null },
        ],
      });
      await look(talk);
      await one.heartbeat();
      await one.leave();
      await one.leave();
      await look(talk);
      await talk.ask(leaveGroup, 5, { groupId: 'g', members: [{ memberId: 'm0', groupInstanceId: null, reason: null }] });
      await look(talk);
      await one.join();
      await look(talk);
    },
  },
  {
    title: 'a static consumer is replaced by one of the classic protocol, and the group is a classic one',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 4);
      const fixed = new TalkingMember(talk, 'g', 'm0', { topics: ['a'], instanceId: 'i0' });
      await fixed.join();
      await fixed.follow();
      const other = new TalkingClassic(talk, 'g', 'other', { topics: ['a'], instanceId: 'i1' });
      await other.join();
      await other.sync();
      await fixed.follow();
      await fixed.follow();
      await other.join();
      await other.sync();
      await look(talk);
      const classic = new TalkingClassic(talk, 'g', 'classic', { topics: ['a'], instanceId: 'i0' });
      await classic.join();
      await look(talk);
      await classic.sync();
      await classic.heartbeat();
      await other.heartbeat();
      await fixed.beat();
      const third = new TalkingMember(talk, 'g', 'm9', { topics: ['a'] });
      await third.join();
      await look(talk);
      await other.heartbeat();
      const again = new TalkingMember(talk, 'g', 'm8', { topics: ['a', 'b'], instanceId: 'i0' });
      await again.join();
      await third.leave();
      await look(talk);
      const classicAgain = new TalkingClassic(talk, 'g', 'classicAgain', { topics: ['a', 'c'], instanceId: 'i0' });
      await classicAgain.join();
      await look(talk);
      await classicAgain.sync();
      await other.heartbeat();
      await other.startJoin();
      await classicAgain.startJoin();
      await classicAgain.finishJoin();
      await other.finishJoin();
      await look(talk);
    },
  },
  {
    title: 'groups that do not become consumer groups',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 2);
      const connect = new TalkingClassic(talk, 'connect', 'connect', { topics: ['a'] });
      await connect.join({ protocolType: 'connect' });
      await new TalkingMember(talk, 'connect', 'm', { topics: ['a'] }).join();
      await new TalkingMember(talk, 'connect', 'm', { topics: ['a'] }).beat({ memberEpoch: 1 });
      await new TalkingMember(talk, 'connect', 'm', { topics: ['a'] }).leave();
      const own = new TalkingClassic(talk, 'own', 'own', { topics: ['a'] });
      await own.join();
      await talk.ask(syncGroup, 5, {
        groupId: 'own',
        memberId: own.memberId,
        generationId: own.generationId,
        groupInstanceId: null,
        protocolType: 'consumer',
        protocolName: 'range',
        assignments: [
          { memberId: own.memberId, assignment: assignmentBytes([{ topic: 'a', partitions: [0] }], Buffer.from('mine')) },
        ],
      });
      await new TalkingMember(talk, 'own', 'm', { topics: ['a'] }).join();
      const broken = new TalkingClassic(talk, 'broken', 'broken', { topics: ['a'] });
      await broken.join();
      await talk.ask(syncGroup, 5, {
        groupId: 'broken',
        memberId: broken.memberId,
        generationId: broken.generationId,
        groupInstanceId: null,
        protocolType: 'consumer',
        protocolName: 'range',
        assignments: [{ memberId: broken.memberId, assignment: Buffer.from([0, 0, 0]) }],
      });
      await new TalkingMember(talk, 'broken', 'm', { topics: ['a'] }).join();
      await broken.heartbeat();
      for (const groupId of ['connect', 'own', 'broken']) await look(talk, groupId);
    },
  },
  {
    title: 'a group that holds offsets becomes a consumer group',
    properties: AT_ONCE,
    say: async (talk) => {
      await talk.topic('a', 2);
      const partitions = [{ partitionIndex: 0, committedOffset: 1, committedLeaderEpoch: -1, committedMetadata: '' }];
      const commit = {
        groupId: 'g',
        generationIdOrMemberEpoch: -1,
        memberId: '',
        topics: [{ name: 'a', partitions, topicId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
      };
      await talk.ask(offsetCommit, 8, commit);
      await look(talk);
      const one = new TalkingMember(talk, 'g', 'm0', { topics: ['a'] });
      await one.join();
      await look(talk);
      const classic = new TalkingClassic(talk, 'h', 'classic', { topics: ['a'] });
      await classic.join();
      await classic.sync({ [classic.memberId]: [{ topic: 'a', partitions: [0, 1] }] });
      await classic.leave();
      const two = new TalkingMember(talk, 'h', 'm1', { topics: ['a'] });
      await two.join();
      await two.leave();
      await classic.join();
      await look(talk, 'h');
    },
  },
  ...(['disabled', 'upgrade', 'downgrade'] as const).map(
    (policy): Script => ({
      title: `what the policy ${policy} allows`,
      properties: { ...AT_ONCE, 'group.consumer.migration.policy': policy },
      say: async (talk) => {
        await talk.topic('a', 4);
        await classicPair(talk);
        const consumer = new TalkingMember(talk, 'g', 'm0', { topics: ['a'] });
        await consumer.join();
        await look(talk);
        const first = new TalkingMember(talk, 'h', 'm1', { topics: ['a'] });
        await first.join();
        const classic = new TalkingClassic(talk, 'h', 'classic', { topics: ['a'] });
        await classic.join();
        await first.leave();
        await look(talk, 'h');
      },
    }),
  ),
  {
    title: 'groups that are too large to turn',
    properties: { ...AT_ONCE, 'group.consumer.max.size': '1', 'group.max.size': '2' },
    say: async (talk) => {
      await talk.topic('a', 4);
      await classicPair(talk);
      const consumer = new TalkingMember(talk, 'g', 'm0', { topics: ['a'] });
      await consumer.join();
      await look(talk);
    },
  },
];
