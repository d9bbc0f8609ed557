import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { groupsAreServed } from './differential/groups-are-served.ts';
import { GroupMembers, viewGroups } from './group-members.ts';
import { KafkaPeer, kafkaTool } from './kafka-peer.ts';
import { OttlaProcess } from './ottla-process.ts';

async function withClient<T>(port: number, use: (client: WireClient) => Promise<T>): Promise<T> {
  await groupsAreServed(port);
  const client = await WireClient.open(port);
  try {
    await client.ask(findCoordinator, 4, { keyType: 0, coordinatorKeys: ['simple'] });
    return await use(client);
  } finally {
    client.close();
  }
}

const look = (port: number): Promise<unknown> => withClient(port, viewGroups);

/** A node of ours with groups of all kinds, until it is ended; gives what was seen at last. */
async function loadOurs(directory: string, members: GroupMembers, ending: 'stop' | 'kill'): Promise<unknown> {
  const node = await OttlaProcess.start({ directory });
  await withClient(node.port, async (client) => {
    await members.begin(client);
    await members.join(client);
    for (let round = 0; round < 3; round++) await members.commit(client, round);
  });
  const seen = await look(node.port);
  await node[ending]();
  return seen;
}

describe('a directory of ours with groups', () => {
  for (const ending of ['stop', 'kill'] as const) {
    it(`serves under Apache Kafka what it served here, and here what Kafka added, after a ${ending}`, {
      timeout: 300_000,
    }, async () => {
      const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
      const directory = join(root, 'kafka', 'data');
      const members = new GroupMembers();
      let kafka: KafkaPeer | null = null;
      try {
        const ours = await loadOurs(directory, members, ending);
        kafka = await KafkaPeer.start({ directory: join(root, 'kafka') });
        assert.deepEqual(await look(kafka.port), ours, 'Kafka shows what was there');
        // After a kill Kafka elects leaders anew while it loads, and says so of partitions that it loads again.
        if (ending === 'stop') assert.equal(kafka.complaints, '');
        await withClient(kafka.port, async (client) => {
          await members.beat(client);
          await members.commit(client, 10);
        });
        const theirs = await look(kafka.port);
        assert.notDeepEqual(theirs, ours);
        if (ending === 'stop') await kafka.stop();
        else kafka.kill();
        kafka = null;
        const again = await OttlaProcess.start({ directory });
        assert.deepEqual(await look(again.port), theirs, 'Ottla shows what Kafka left');
        await withClient(again.port, async (client) => {
          await members.beat(client);
          await members.commit(client, 20);
        });
        await again.stop();
      } finally {
        await kafka?.stop();
        rmSync(root, { recursive: true, force: true });
      }
    });
  }

  it("is decoded by Kafka's own tool", { timeout: 300_000 }, async () => {
    const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
    const directory = join(root, 'data');
    try {
      await loadOurs(directory, new GroupMembers(), 'stop');
      const logs = readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => /^__consumer_offsets-\d+\/\d{20}\.log$/.test(name))
        .map((name) => join(directory, name));
      assert.equal(logs.length, 50);
      const { status, stdout, stderr } = await kafkaTool('DumpLogSegments', '--offsets-decoder', '--files', logs.join(','));
      assert.deepEqual([status, stderr], [0, '']);
      assert.doesNotMatch(stdout, /Error|skipping|isvalid: false|corrupt|Exception/);
      const kinds = [...stdout.matchAll(/key: \{"type":"(\d+)"/g)].map(([, kind]) => Number(kind));
      assert.deepEqual(
        [...new Set(kinds)].sort((a, b) => a - b),
        [1, 2, 3, 5, 6, 7, 8],
      );
      assert.match(
        stdout,
        /"group":"größe ✓","topic":"orders","partition":0\}\} payload: \{"version":"4","data":\{"offset":2,"leaderEpoch":7,"metadata":"größe ✓"/,
      );
      assert.match(stdout, /"group":"kept-for-an-hour".* payload: \{"version":"1".*"expireTimestamp":\d{13}/);
      assert.match(stdout, /"group":"simple","topic":"orders","partition":2\}\} payload: <DELETE>/);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
