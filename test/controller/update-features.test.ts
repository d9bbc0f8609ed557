import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateFeatures } from '../../src/protocol/messages/57-update-features.ts';
import type { ResponseOf } from '../../src/protocol/schema.ts';
import { TestController } from './test-controller.ts';

/** What Apache Kafka 4.4.0 answers, by version. */
test('each feature is named in the versions that have a place for it, and only when all went well', async () => {
  const subject = await TestController.started();
  const ask = (version: number, feature: string): Promise<ResponseOf<typeof updateFeatures>> => {
    const update = { feature, maxVersionLevel: 1, allowDowngrade: false, upgradeType: 1 };
    const request = { timeoutMs: 1000, featureUpdates: [update], validateOnly: version > 0 };
    return subject.resolve(subject.channel.send(updateFeatures, request, { version }));
  };
  const done = { throttleTimeMs: 0, errorCode: 0, errorMessage: null };
  const results = [{ feature: 'group.version', errorCode: 0, errorMessage: 'NONE' }];
  assert.deepEqual(await ask(0, 'group.version'), { ...done, results });
  assert.deepEqual(await ask(1, 'group.version'), { ...done, results });
  assert.deepEqual(await ask(2, 'group.version'), { ...done, results: [] });
  const refused = await ask(1, 'no.such');
  assert.equal(refused.errorCode, 95);
  assert.deepEqual(refused.results, []);
});
