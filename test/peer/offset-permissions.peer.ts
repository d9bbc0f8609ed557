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
import { createAcls } from '../../src/protocol/messages/30-create-acls.ts';
import { aclOperations } from '../../src/security/authorizer.ts';
import { comparable, denials, permissionCases, permissionTopics } from '../conformance/offset-permissions.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { groupsAreServed } from './differential/groups-are-served.ts';
import { KafkaPeer } from './kafka-peer.ts';

/** Where to keep Kafka's answers, for test/broker/offset-permissions.test.ts. */
const recordPath = process.env['PEER_RECORD'];

const [ALL, ALLOW, DENY, LITERAL] = [2, 3, 2, 3];
const resourceTypes: Readonly<Record<string, number>> = { TOPIC: 2, GROUP: 3 };

describe('Apache Kafka 4.4, asked about offsets by somebody who must not see everything', () => {
  it('answers as is recorded', { timeout: 120_000 }, async () => {
    const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
    const properties = {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'allow.everyone.if.no.acl.found': 'true',
    };
    const kafka = await KafkaPeer.start({ directory: join(root, 'kafka'), properties });
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
      await deny(client);
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

/** A resource that something is said of may be used as said only: everything, but for what is denied. */
async function deny(client: WireClient): Promise<void> {
  const creations = denials.flatMap(({ operation, type, name }) =>
    [
      { operation: ALL, permissionType: ALLOW },
      { operation: aclOperations[operation], permissionType: DENY },
    ].map((entry) => ({
      resourceType: resourceTypes[type] ?? 0,
      resourceName: name,
      resourcePatternType: LITERAL,
      principal: 'User:ANONYMOUS',
      host: '*',
      ...entry,
    })),
  );
  const { results } = await client.ask(createAcls, 3, { creations });
  assert.deepEqual(new Set(results.map(({ errorCode }) => errorCode)), new Set([0]));
  // The broker hears of it some time after its controller.
  for (let errorCode = 0; errorCode === 0; )
    errorCode = (await client.ask(findCoordinator, 3, { key: 'no-looks', keyType: 0, coordinatorKeys: [] })).errorCode;
}
