import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authorizer } from '../../src/security/authorizer.ts';
import { comparable, denials, permissionCases, permissionTopics } from '../conformance/offset-permissions.ts';
import { readGoldenLines } from '../golden-lines.ts';
import { idOf, TestBroker } from './test-broker.ts';

const authorizer: Authorizer = {
  isAllowed: (_subject, operation, type, name) =>
    !denials.some((denial) => denial.operation === operation && denial.type === type && denial.name === name),
};

test('Whoever must not see or change everything is told of offsets what Kafka tells', async () => {
  const recorded = readGoldenLines('broker/offset-permissions.jsonl.gz');
  const broker = await TestBroker.start({ services: { authorizer } });
  broker.createTopic('__consumer_offsets', { partitions: 50 });
  for (const name of permissionTopics) broker.createTopic(name);
  await broker.settle();
  const names = new Map(permissionTopics.map((name) => [idOf(name), name]));
  const cases = permissionCases(idOf);
  assert.equal(cases.length, recorded.length);
  for (const [index, { api, version, request }] of cases.entries()) {
    const asked = broker.call(api, version, request);
    await broker.settle();
    const answer = comparable(await asked, (id) => names.get(id) ?? id);
    assert.deepEqual(JSON.parse(JSON.stringify(answer)), recorded[index], `${api.name} v${version} ${JSON.stringify(request)}`);
  }
});
