import { ZERO_UUID } from '../../../../src/base/uuid.ts';
import { offsetCommit } from '../../../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../../../src/protocol/messages/09-offset-fetch.ts';
import { deleteGroups } from '../../../../src/protocol/messages/42-delete-groups.ts';
import { offsetDelete } from '../../../../src/protocol/messages/47-offset-delete.ts';
import { TalkingMember } from '../../../coordinator/group/consumer/talk/talk.ts';
import { AT_ONCE, type Script } from './script.ts';

export const offsetsScripts: readonly Script[] = [
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
