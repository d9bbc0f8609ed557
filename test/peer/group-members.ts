import assert from 'node:assert/strict';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { offsetCommit } from '../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { joinGroup } from '../../src/protocol/messages/11-join-group.ts';
import { heartbeat } from '../../src/protocol/messages/12-heartbeat.ts';
import { syncGroup } from '../../src/protocol/messages/14-sync-group.ts';
import { describeGroups } from '../../src/protocol/messages/15-describe-groups.ts';
import { listGroups } from '../../src/protocol/messages/16-list-groups.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { deleteGroups } from '../../src/protocol/messages/42-delete-groups.ts';
import { offsetDelete } from '../../src/protocol/messages/47-offset-delete.ts';
import { consumerGroupHeartbeat } from '../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { consumerGroupDescribe } from '../../src/protocol/messages/69-consumer-group-describe.ts';
import type { WireClient } from '../conformance/wire-client.ts';

const SESSION_MS = 300_000;
const HOUR_MS = 3_600_000;

/** Members of groups that live longer than their broker. */
export class GroupMembers {
  #classic = { memberId: '', generationId: -1 };
  #static = { memberId: '', generationId: -1 };
  readonly #consumer = { memberId: 'Y29uc3VtZXItbWVtYmVyMQ', memberEpoch: 0 };

  async begin(client: WireClient): Promise<void> {
    const topic = { name: 'orders', numPartitions: 3, replicationFactor: 1, assignments: [], configs: [] };
    const { topics } = await client.ask(createTopics, 7, { topics: [topic] });
    assert.deepEqual(
      topics.map(({ errorCode }) => errorCode),
      [0],
    );
  }

  /** Everybody commits; some offsets and a group are deleted. */
  async commit(client: WireClient, round: number): Promise<void> {
    await commitOffsets(client, 9, 'simple', [round, round + 1, round + 2]);
    await commitOffsets(client, 4, 'kept-for-an-hour', [round], { retentionTimeMs: HOUR_MS });
    await commitOffsets(client, 6, 'größe ✓', [round], { committedMetadata: 'größe ✓', committedLeaderEpoch: 7 });
    await commitOffsets(client, 8, 'gone', [round]);
    const partition = { partitionIndex: 2 };
    const cut = await client.ask(offsetDelete, 0, { groupId: 'simple', topics: [{ name: 'orders', partitions: [partition] }] });
    assert.deepEqual([cut.errorCode, cut.topics[0]?.partitions[0]?.errorCode], [0, 0]);
    const gone = await client.ask(deleteGroups, 2, { groupsNames: ['gone'] });
    assert.deepEqual(
      gone.results.map(({ errorCode }) => errorCode),
      [0],
    );
    await this.#commitAsMember(client, 'classic', { ...this.#classic, instance: null }, round);
    await this.#commitAsMember(client, 'static', { ...this.#static, instance: 'instance' }, round);
    const { memberId, memberEpoch } = this.#consumer;
    await commitOffsets(client, 9, 'consumer', [round, round], { memberId, generationIdOrMemberEpoch: memberEpoch });
  }

  async join(client: WireClient): Promise<void> {
    this.#classic = await joinClassic(client, 'classic', null);
    this.#static = await joinClassic(client, 'static', 'instance');
    await this.beat(client);
    await this.beat(client);
  }

  /** Members of the consumer protocol are heard of, with what they were given. */
  async beat(client: WireClient): Promise<void> {
    const joining = { subscribedTopicNames: ['orders'], rebalanceTimeoutMs: SESSION_MS, topicPartitions: [] };
    const { memberId, memberEpoch } = this.#consumer;
    const answer = await client.ask(consumerGroupHeartbeat, 1, {
      groupId: 'consumer',
      memberId,
      memberEpoch,
      ...(memberEpoch === 0 ? joining : {}),
    });
    assert.equal(answer.errorCode, 0, answer.errorMessage ?? '');
    this.#consumer.memberEpoch = answer.memberEpoch;
  }

  async #commitAsMember(
    client: WireClient,
    groupId: string,
    {
      memberId,
      generationId,
      instance,
    }: { readonly memberId: string; readonly generationId: number; readonly instance: string | null },
    round: number,
  ): Promise<void> {
    const { errorCode } = await client.ask(heartbeat, 4, { groupId, memberId, generationId, groupInstanceId: instance });
    assert.equal(errorCode, 0, `heartbeat of ${groupId}`);
    const member = { memberId, groupInstanceId: instance, generationIdOrMemberEpoch: generationId };
    await commitOffsets(client, 9, groupId, [round, round, round], member);
  }
}

async function commitOffsets(
  client: WireClient,
  version: number,
  groupId: string,
  offsets: readonly number[],
  {
    committedMetadata = '',
    committedLeaderEpoch = 0,
    ...rest
  }: {
    readonly memberId?: string;
    readonly groupInstanceId?: string | null;
    readonly generationIdOrMemberEpoch?: number;
    readonly retentionTimeMs?: number;
    readonly committedMetadata?: string;
    readonly committedLeaderEpoch?: number;
  } = {},
): Promise<void> {
  const partitions = offsets.map((committedOffset, partitionIndex) => ({
    partitionIndex,
    committedOffset,
    committedMetadata,
    ...(version >= 6 ? { committedLeaderEpoch } : {}),
  }));
  const topics = [{ name: 'orders', topicId: ZERO_UUID, partitions }];
  const answer = await client.ask(offsetCommit, version, { groupId, memberId: '', ...rest, topics });
  for (const { partitions: done } of answer.topics)
    for (const { errorCode } of done) assert.equal(errorCode, 0, `commit of ${groupId}`);
}

async function joinClassic(client: WireClient, groupId: string, groupInstanceId: string | null) {
  const request = {
    groupId,
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: SESSION_MS,
    groupInstanceId,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.from('0000000000010006 6f7264657273 ffffffff'.replaceAll(' ', ''), 'hex') }],
  };
  const first = await client.ask(joinGroup, 9, { ...request, memberId: '' });
  const { memberId, generationId, errorCode } =
    groupInstanceId === null ? await client.ask(joinGroup, 9, { ...request, memberId: first.memberId }) : first;
  assert.equal(errorCode, 0);
  const assignments = [{ memberId, assignment: Buffer.from('assignment') }];
  const synced = await client.ask(syncGroup, 5, {
    groupId,
    generationId,
    memberId,
    groupInstanceId,
    assignments,
    protocolType: 'consumer',
    protocolName: 'range',
  });
  assert.equal(synced.errorCode, 0);
  return { memberId, generationId };
}

const byKey = <T>(entries: readonly T[], keyOf: (entry: T) => string): Record<string, T> =>
  Object.fromEntries(entries.map((entry) => [keyOf(entry), entry]));

/** Everything that a client sees of the groups. */
export async function viewGroups(client: WireClient): Promise<unknown> {
  const { groups: listed } = await client.ask(listGroups, 5, { statesFilter: [], typesFilter: [] });
  const groupIds = [...listed.map(({ groupId }) => groupId), 'gone'].sort();
  const fetched = await client.ask(offsetFetch, 9, {
    groups: groupIds.map((groupId) => ({ groupId, topics: null })),
    requireStable: true,
  });
  const { groups: described } = await client.ask(describeGroups, 6, { groups: groupIds, includeAuthorizedOperations: false });
  const { groups: consumers } = await client.ask(consumerGroupDescribe, 1, {
    groupIds: ['consumer'],
    includeAuthorizedOperations: false,
  });
  assert.deepEqual(
    consumers.map(({ errorCode, members }) => [errorCode, members.length]),
    [[0, 1]],
  );
  return {
    listed: byKey(listed, ({ groupId }) => groupId),
    offsets: byKey(
      fetched.groups.map(({ topics, ...group }) => ({
        ...group,
        offsets: topics.flatMap(({ name, partitions }) =>
          partitions.map((partition) => `${name} ${JSON.stringify(partition)}`).sort(),
        ),
      })),
      ({ groupId }) => groupId,
    ),
    // Which error a group of another kind gets is told in each program's own words.
    described: byKey(
      described.map(({ errorMessage: _words, members, ...group }) => ({
        ...group,
        members: members.map(({ memberMetadata, memberAssignment, ...member }) => ({
          ...member,
          metadata: memberMetadata.toString('hex'),
          assignment: memberAssignment.toString('hex'),
        })),
      })),
      ({ groupId }) => groupId,
    ),
    consumers,
  };
}
