import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { codeOf } from '../../src/protocol/errors.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { groupsAreServed } from '../peer/differential/groups-are-served.ts';
import { startTestNode } from '../server/test-node.ts';
import { expectedOf, unpackFixture } from '../storage/disk-fixture.ts';
import { WireClient } from './wire-client.ts';

interface ExpectedOffset {
  readonly offset: number;
  readonly metadata: string;
  readonly leaderEpoch: number | null;
}

/** By topic and partition. */
type Offsets = Readonly<Record<string, ExpectedOffset>>;

/** A client of a node on a copy of a fixture, at the time when it was made, for as long as `use` takes. */
const withGroupsOf = async (context: TestContext, fixture: string, use: (client: WireClient) => Promise<void>): Promise<void> => {
  const shiftMs = expectedOf(fixture).takenAtMs - systemClock.now();
  const clock = { ...systemClock, now: () => systemClock.now() + shiftMs };
  const node = await startTestNode({ directory: unpackFixture(context, fixture), clock });
  try {
    await groupsAreServed(node.port);
    const client = await WireClient.open(node.port);
    await use(client);
    client.close();
  } finally {
    await node.stop();
  }
};

describe('the groups in a directory of Apache Kafka 4.4.0', () => {
  for (const fixture of ['groups', 'transactions', 'transactions-v0']) {
    test(`have the offsets that Kafka told of them: ${fixture}`, async (context) => {
      const { groups } = expectedOf(fixture).afterStart.client as unknown as { groups: Record<string, { offsets?: Offsets }> };
      const wanted = Object.entries(groups).map(([groupId, { offsets = {} }]): [string, Offsets] => [groupId, offsets]);
      const gone = ['expired-classic', 'classic-deleted'].map((groupId): [string, Offsets] => [groupId, {}]);
      const all = Object.fromEntries([...wanted, ...gone]);
      assert.ok(wanted.length > 1);
      await withGroupsOf(context, fixture, async (client) => {
        const asked = Object.keys(all).map((groupId) => ({ groupId, topics: null }));
        const answer = await client.ask(offsetFetch, 8, { groups: asked, requireStable: true });
        assert.deepEqual(Object.fromEntries(answer.groups.map(({ groupId, topics }) => [groupId, offsetsOf(topics)])), all);
      });
    });
  }

  for (const fixture of ['transactions', 'transactions-v0']) {
    test(`have none to tell where a transaction is open: ${fixture}`, async (context) => {
      await withGroupsOf(context, fixture, async (client) => {
        const errorsWhen = async (requireStable: boolean): Promise<number[] | undefined> => {
          const asked = { groupId: 'txn-group-open', topics: [{ name: 'txn-b', topicId: ZERO_UUID, partitionIndexes: [0, 1] }] };
          const { groups } = await client.ask(offsetFetch, 8, { groups: [asked], requireStable });
          return groups[0]?.topics[0]?.partitions.map(({ errorCode }) => errorCode);
        };
        assert.deepEqual(await errorsWhen(false), [0, 0]);
        assert.deepEqual(await errorsWhen(true), [0, codeOf('UNSTABLE_OFFSET_COMMIT')]);
      });
    });
  }
});

interface FetchedTopic {
  readonly name: string;
  readonly partitions: readonly {
    readonly partitionIndex: number;
    readonly committedOffset: number;
    readonly committedLeaderEpoch: number;
    readonly metadata: string | null;
  }[];
}

const offsetsOf = (topics: readonly FetchedTopic[]): Offsets =>
  Object.fromEntries(
    topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset, committedLeaderEpoch, metadata }) => [
        `${name}-${partitionIndex}`,
        {
          offset: committedOffset,
          metadata: metadata ?? '',
          leaderEpoch: committedLeaderEpoch === -1 ? null : committedLeaderEpoch,
        },
      ]),
    ),
  );
