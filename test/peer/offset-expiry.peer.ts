import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { offsetCommit } from '../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { joinGroup } from '../../src/protocol/messages/11-join-group.ts';
import { leaveGroup } from '../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../src/protocol/messages/14-sync-group.ts';
import { listGroups } from '../../src/protocol/messages/16-list-groups.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { consumerGroupHeartbeat } from '../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { groupsAreServed } from './differential/groups-are-served.ts';
import { startTwoBrokers, type TwoBrokers } from './two-brokers.ts';

const SESSION_MS = 1_800_000;
/** Offsets are kept for a minute after they count no longer. */
const properties = {
  'offsets.retention.minutes': '1',
  'offsets.retention.check.interval.ms': '1000',
  'group.consumer.max.session.timeout.ms': String(SESSION_MS),
  'group.consumer.session.timeout.ms': String(SESSION_MS),
};
/** Version 0, the topic `orders`, no user data. */
const SUBSCRIPTION = Buffer.from('00000000000100066f7264657273ffffffff', 'hex');

interface Committer {
  readonly groupId: string;
  readonly memberId?: string;
  readonly generationIdOrMemberEpoch?: number;
}

const commit = async (client: WireClient, committer: Committer, topics: readonly string[], retentionTimeMs?: number) => {
  const partition = { partitionIndex: 0, committedOffset: 1, committedMetadata: '' };
  const version = retentionTimeMs === undefined ? 9 : 4;
  const { topics: answers } = await client.ask(offsetCommit, version, {
    memberId: '',
    ...committer,
    ...(retentionTimeMs === undefined ? {} : { retentionTimeMs }),
    topics: topics.map((name) => ({ name, topicId: ZERO_UUID, partitions: [partition] })),
  });
  for (const { partitions } of answers) assert.equal(partitions[0]?.errorCode, 0, `commit of ${committer.groupId}`);
};

const joinClassic = async (client: WireClient, groupId: string): Promise<Committer & { readonly memberId: string }> => {
  const { memberId, generationId } = await client.ask(joinGroup, 3, {
    groupId,
    sessionTimeoutMs: SESSION_MS,
    rebalanceTimeoutMs: SESSION_MS,
    memberId: '',
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: SUBSCRIPTION }],
  });
  const assignments = [{ memberId, assignment: Buffer.alloc(0) }];
  assert.equal((await client.ask(syncGroup, 2, { groupId, generationId, memberId, assignments })).errorCode, 0);
  return { groupId, memberId, generationIdOrMemberEpoch: generationId };
};

const joinConsumer = async (client: WireClient, groupId: string): Promise<Committer & { readonly memberId: string }> => {
  const memberId = 'Y29uc3VtZXItbWVtYmVyMQ';
  const { memberEpoch, errorCode } = await client.ask(consumerGroupHeartbeat, 0, {
    groupId,
    memberId,
    memberEpoch: 0,
    rebalanceTimeoutMs: SESSION_MS,
    subscribedTopicNames: ['orders'],
    topicPartitions: [],
  });
  assert.equal(errorCode, 0);
  return { groupId, memberId, generationIdOrMemberEpoch: memberEpoch };
};

async function begin(client: WireClient): Promise<void> {
  const topic = { numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
  const both = ['orders', 'other'];
  await client.ask(createTopics, 7, { topics: both.map((name) => ({ name, ...topic })) });
  await commit(client, { groupId: 'simple' }, both);
  await commit(client, { groupId: 'for 25 seconds' }, both, 25_000);
  await commit(client, { groupId: 'for an hour' }, both, 3_600_000);
  await commit(client, await joinClassic(client, 'classic'), both);
  await commit(client, await joinConsumer(client, 'consumer'), both);
  const classic = await joinClassic(client, 'classic emptied');
  await commit(client, classic, both);
  const { memberId } = classic;
  const members = [{ memberId, groupInstanceId: null }];
  assert.equal((await client.ask(leaveGroup, 3, { groupId: 'classic emptied', members })).errorCode, 0);
  const consumer = await joinConsumer(client, 'consumer emptied');
  await commit(client, consumer, both);
  const left = { groupId: 'consumer emptied', memberId: consumer.memberId, memberEpoch: -1 };
  assert.equal((await client.ask(consumerGroupHeartbeat, 0, left)).errorCode, 0);
}

/** What there is of groups and their offsets. */
async function look(client: WireClient): Promise<Record<string, readonly string[]>> {
  const { groups } = await client.ask(listGroups, 5, { statesFilter: [], typesFilter: [] });
  const asked = groups.map(({ groupId }) => ({ groupId, topics: null }));
  const fetched = await client.ask(offsetFetch, 8, { groups: asked, requireStable: false });
  const offsets = new Map(fetched.groups.map(({ groupId, topics }) => [groupId, topics.map(({ name }) => name).sort()]));
  const entries = groups.map(({ groupId, groupState }): [string, string[]] => [
    groupId,
    [groupState, ...(offsets.get(groupId) ?? [])],
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Waits until both show something else than before, and for what they show then. */
async function nextLook(clients: readonly WireClient[], before: unknown, withinMs: number): Promise<unknown[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await Promise.all(clients.map(look));
    const areAlike = JSON.stringify(seen[0]) === JSON.stringify(seen[1]);
    const isNew = JSON.stringify(seen[0]) !== JSON.stringify(before);
    if ((areAlike && isNew) || performance.now() > deadline) return seen;
  }
}

describe('Offsets that nobody uses any more', () => {
  let brokers: TwoBrokers;
  before(async () => {
    brokers = await startTwoBrokers(properties);
  });
  after(() => brokers.stop());

  it('expire as in Apache Kafka 4.4, and empty groups with them', { timeout: 240_000 }, async () => {
    const ports = [brokers.kafka.port, brokers.ottla.port];
    await Promise.all(ports.map(groupsAreServed));
    const clients = await Promise.all(ports.map((port) => WireClient.open(port)));
    await Promise.all(clients.map(begin));
    const both = ['orders', 'other'];
    const atFirst = {
      classic: ['Stable', ...both],
      'classic emptied': ['Empty', ...both],
      consumer: ['Stable', ...both],
      'consumer emptied': ['Empty', ...both],
      'for 25 seconds': ['Empty', ...both],
      'for an hour': ['Empty', ...both],
      simple: ['Empty', ...both],
    };
    const first = await nextLook(clients, null, 10_000);
    assert.deepEqual(first, [atFirst, atFirst]);
    const { 'for 25 seconds': _gone, ...later } = atFirst;
    assert.deepEqual(await nextLook(clients, atFirst, 45_000), [later, later]);
    // What members have subscribed to stays, and what its committer wanted to be kept.
    const last = { classic: ['Stable', 'orders'], consumer: ['Stable', 'orders'], 'for an hour': ['Empty', ...both] };
    const deadline = performance.now() + 90_000;
    let seen = await nextLook(clients, later, 90_000);
    while (JSON.stringify(seen[0]) !== JSON.stringify(last) && performance.now() < deadline) {
      assert.deepEqual(seen[0], seen[1]);
      seen = await nextLook(clients, seen[0], 30_000);
    }
    assert.deepEqual(seen, [last, last]);
    for (const client of clients) client.close();
  });
});
