import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/platform/system-clock.ts';
import { findCoordinator } from '../../../../src/protocol/messages/10-find-coordinator.ts';
import { consumerGroupHeartbeat } from '../../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { consumerGroupDescribe } from '../../../../src/protocol/messages/69-consumer-group-describe.ts';
import { WireClient } from '../../../conformance/wire-client.ts';
import { groupsAreServed } from '../../../peer/differential/groups-are-served.ts';
import { startTestNode } from '../../../server/test-node.ts';
import { expectedOf, unpackFixture } from '../../../storage/disk-fixture.ts';

const GROUPS = ['consumer-1', 'consumer-regex', 'consumer-emptied'];

interface KafkaGroups {
  readonly groups: Readonly<Record<string, { readonly type: string; readonly state: string }>>;
}

test('The consumer groups of a directory of Apache Kafka 4.4.0 go on: their members are heard of at the epochs they have', async (context) => {
  const expected = expectedOf('groups');
  const shiftMs = expected.takenAtMs - systemClock.now();
  const clock = { ...systemClock, now: () => systemClock.now() + shiftMs };
  const node = await startTestNode({ directory: unpackFixture(context, 'groups'), clock });
  await groupsAreServed(node.port);
  const client = await WireClient.open(node.port);
  try {
    await client.ask(findCoordinator, 4, { keyType: 0, coordinatorKeys: GROUPS });
    const { groups } = await client.ask(consumerGroupDescribe, 1, { groupIds: GROUPS, includeAuthorizedOperations: false });
    const { groups: theirs } = expected.afterStart.client as unknown as KafkaGroups;
    for (const { groupId, groupState, groupEpoch, assignmentEpoch, members } of groups) {
      assert.equal(groupState, theirs[groupId]?.state, groupId);
      assert.equal(groupEpoch, assignmentEpoch);
      for (const { memberId, memberEpoch } of members) {
        const answer = await client.ask(consumerGroupHeartbeat, 1, { groupId, memberId, memberEpoch });
        assert.deepEqual([answer.errorCode, answer.memberEpoch, answer.assignment], [0, groupEpoch, null]);
      }
    }
    assert.deepEqual(
      groups.map(({ members }) => members.length > 0),
      [true, true, false],
    );
  } finally {
    client.close();
    await node.stop();
  }
});
