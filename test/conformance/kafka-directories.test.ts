import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Clock, Millis } from '../../src/base/clock.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { startTestNode } from '../server/test-node.ts';
import { expectedOf, unpackFixture } from '../storage/disk-fixture.ts';
import { type ClusterView, viewCluster } from './cluster-view.ts';
import { WireClient } from './wire-client.ts';

const fixtures = [
  'plain',
  'leader-epochs',
  'unclean',
  'metadata-v0',
  'metadata-v1',
  'compacted',
  'transactions',
  'transactions-v0',
  'groups',
];

/** The real clock, set to a moment soon after the fixture was taken: nothing in it has become too old since. */
const clockFrom = (startMs: Millis): Clock => {
  const shiftMs = startMs - systemClock.now();
  return { ...systemClock, now: () => systemClock.now() + shiftMs };
};

/** A node on a copy of the fixture, and a client of it, for as long as `use` takes. */
const withNodeOn = async (context: TestContext, fixture: string, use: (client: WireClient) => Promise<void>): Promise<void> => {
  const directory = unpackFixture(context, fixture);
  const node = await startTestNode({ directory, clock: clockFrom(expectedOf(fixture).takenAtMs) });
  const client = await WireClient.open(node.port);
  try {
    await use(client);
  } finally {
    client.close();
    await node.stop();
  }
};

describe('a node that starts on a directory of Apache Kafka 4.4.0', () => {
  for (const fixture of fixtures) {
    test(`shows its clients what Kafka showed them: ${fixture}`, async (context) => {
      const expected = expectedOf(fixture).afterStart.client.topics as unknown as ClusterView;
      await withNodeOn(context, fixture, async (client) => {
        assert.deepEqual(await viewCluster(client), expected);
      });
    });
  }
});
