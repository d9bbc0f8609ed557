import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { comparable, denials, permissionCases, permissionTopics } from '../conformance/offset-permissions.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { authorizerProperties, denyRights } from './denied-rights.ts';
import { groupsAreServed } from './differential/groups-are-served.ts';
import { KafkaPeer } from './kafka-peer.ts';

/** Where to keep Kafka's answers, for test/broker/offset-permissions.test.ts. */
const recordPath = process.env['PEER_RECORD'];

describe('Apache Kafka 4.4, asked about offsets by somebody who must not see everything', () => {
  it('answers as is recorded', { timeout: 120_000 }, async () => {
    const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
    const kafka = await KafkaPeer.start({ directory: join(root, 'kafka'), properties: authorizerProperties });
    try {
      const client = await WireClient.open(kafka.port);
      const topics = permissionTopics.map((name) => ({
        name,
        numPartitions: 1,
        replicationFactor: 1,
        assignments: [],
        configs: [],
      }));
      await client.ask(createTopics, 7, { topics });
      await groupsAreServed(kafka.port);
      const { topics: known } = await client.ask(metadata, 12, { topics: null, includeTopicAuthorizedOperations: false });
      const ids = new Map(known.map(({ name, topicId }) => [name ?? '', topicId]));
      await denyRights(client, denials, async () => {
        const { errorCode } = await client.ask(findCoordinator, 3, { key: 'no-looks', keyType: 0, coordinatorKeys: [] });
        return errorCode !== 0;
      });
      const idOf = (name: string): string => ids.get(name) ?? ZERO_UUID;
      const names = new Map([...ids].map(([name, id]) => [id, name]));
      const lines: string[] = [];
      for (const { api, version, request } of permissionCases(idOf)) {
        const answer = await client.ask(api, version, request);
        lines.push(JSON.stringify(comparable(answer, (id) => names.get(id) ?? id)));
      }
      client.close();
      assert.ok(lines.some((line) => line.includes('"errorCode":29')) && lines.some((line) => line.includes('"errorCode":30')));
      if (recordPath !== undefined) writeFileSync(recordPath, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
    } finally {
      await kafka.stop();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
