import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { describeGroups } from '../../src/protocol/messages/15-describe-groups.ts';
import { comparableAnswer, groupDenials, groupPermissionCases } from '../conformance/group-permissions.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { authorizerProperties, denyRights } from './denied-rights.ts';
import { groupsAreServed } from './differential/groups-are-served.ts';
import { KafkaPeer } from './kafka-peer.ts';

/** Where to keep Kafka's answers, for test/broker/group-permissions.test.ts. */
const recordPath = process.env['PEER_RECORD'];

const GROUP_AUTHORIZATION_FAILED = 30;

describe('Apache Kafka 4.4, asked about groups by somebody who must not see or join every one', () => {
  it('answers as is recorded', { timeout: 120_000 }, async () => {
    const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
    const kafka = await KafkaPeer.start({ directory: join(root, 'kafka'), properties: authorizerProperties });
    try {
      const client = await WireClient.open(kafka.port);
      await groupsAreServed(kafka.port);
      await denyRights(client, groupDenials, async () => {
        const { groups } = await client.ask(describeGroups, 6, { groups: ['no-looks'], includeAuthorizedOperations: false });
        return groups[0]?.errorCode === GROUP_AUTHORIZATION_FAILED;
      });
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
