import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authorizer } from '../../src/security/authorizer.ts';
import { comparableAnswer, groupDenials, groupPermissionCases } from '../conformance/group-permissions.ts';
import { readGoldenLines } from '../golden-lines.ts';
import { TestBroker } from './test-broker.ts';

const authorizer: Authorizer = {
  isAllowed: (_subject, operation, type, name) =>
    !groupDenials.some((denial) => denial.operation === operation && denial.type === type && denial.name === name),
};

test('Whoever must not see or join every group is told of them what Kafka tells', async () => {
  const recorded = readGoldenLines('broker/group-permissions.jsonl.gz');
  const broker = await TestBroker.start({ services: { authorizer } });
  broker.createTopic('__consumer_offsets', { partitions: 50 });
  await broker.settle();
  const cases = groupPermissionCases();
  assert.equal(cases.length, recorded.length);
  for (const [index, { api, version, request }] of cases.entries()) {
    const asked = broker.call(api, version, request, { clientId: 'probe' });
    await broker.settle();
    const answer = comparableAnswer(await asked);
    assert.deepEqual(JSON.parse(JSON.stringify(answer)), recorded[index], `${api.name} v${version} ${JSON.stringify(request)}`);
  }
});
