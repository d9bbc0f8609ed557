import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { describeGroups } from '../../src/protocol/messages/15-describe-groups.ts';
import { createAcls } from '../../src/protocol/messages/30-create-acls.ts';
import { aclOperations } from '../../src/security/authorizer.ts';
import { comparableAnswer, groupDenials, groupPermissionCases } from '../conformance/group-permissions.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { groupsAreServed } from './differential/groups-are-served.ts';
import { KafkaPeer } from './kafka-peer.ts';

/** Where to keep Kafka's answers, for test/broker/group-permissions.test.ts. */
const recordPath = process.env['PEER_RECORD'];

const [ALL, ALLOW, DENY, LITERAL] = [2, 3, 2, 3];
const GROUP_AUTHORIZATION_FAILED = 30;
const resourceTypes: Readonly<Record<string, number>> = { GROUP: 3, CLUSTER: 4 };

describe('Apache Kafka 4.4, asked about groups by somebody who must not see or join every one', () => {
  it('answers as is recorded', { timeout: 120_000 }, async () => {
    const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
    const properties = {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'allow.everyone.if.no.acl.found': 'true',
    };
    const kafka = await KafkaPeer.start({ directory: join(root, 'kafka'), properties });
    try {
      const client = await WireClient.open(kafka.port);
      await groupsAreServed(kafka.port);
      await deny(client);
      const lines: string[] = [];
      for (const { api, version, request } of groupPermissionCases()) {
        lines.push(JSON.stringify(comparableAnswer(await client.ask(api, version, request))));
      }
      client.close();
      assert.ok(lines.some((line) => line.includes(`"errorCode":${GROUP_AUTHORIZATION_FAILED}`)));
      if (recordPath !== undefined) writeFileSync(recordPath, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
    } finally {
      await kafka.stop();
      rmSync(root, { recursive: true, force: true });
    }
  });
});

/** A resource that something is said of may be used as said only: everything, but for what is denied. */
async function deny(client: WireClient): Promise<void> {
  const creations = groupDenials.flatMap(({ operation, type, name }) =>
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
  for (;;) {
    const { groups } = await client.ask(describeGroups, 6, { groups: ['no-looks'], includeAuthorizedOperations: false });
    if (groups[0]?.errorCode === GROUP_AUTHORIZATION_FAILED) return;
  }
}
