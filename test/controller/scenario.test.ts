import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, encode } from '../../src/protocol/codec.ts';
import type { Api, RequestInput, RequestOf } from '../../src/protocol/schema.ts';
import { readGolden } from '../golden.ts';
import { heartbeat } from './scenario/brokers.ts';
import { Names, type Outcome, outcomeOf } from './scenario/mask.ts';
import { scenario } from './scenario/scenario.ts';
import { SESSION_TIMEOUT_MS, type Step } from './scenario/step.ts';
import { CLUSTER_ID, TestController } from './test-controller.ts';

const complete = (api: Api, version: number, input: RequestInput<Api>): RequestOf<Api> =>
  decode(api.request, version, encode(api.request, version, input));

async function ask(subject: TestController, { api, version, request }: Step, names: Names): Promise<unknown> {
  return subject.resolve(subject.channel.send(api, complete(api, version, request(names)), { version }));
}

async function letSessionsEnd(subject: TestController, keepAlive: readonly number[], names: Names): Promise<null> {
  for (let passedMs = 0; passedMs < SESSION_TIMEOUT_MS + 1500; passedMs += 300) {
    for (const brokerId of keepAlive) await ask(subject, heartbeat('alive', brokerId), names);
    await subject.run(300);
  }
  return null;
}

/**
 * Where this controller differs on purpose: Apache Kafka fences a broker that is fenced already when the session of its last heartbeat
 * ends. The second record changes nothing.
 */
const SECOND_FENCING = 'BrokerHeartbeat: the session of 12 ends';

test('the controller answers every request of the scenario, and writes the records, that Apache Kafka 4.4.0 does', async () => {
  const expected = readGolden('controller/scenario.json.gz') as readonly Outcome[];
  const subject = await TestController.started();
  const names = new Names(CLUSTER_ID);
  assert.equal(scenario.length, expected.length);
  for (const [at, step] of scenario.entries()) {
    const from = subject.log.end.offset;
    const response =
      step.keepAlive === undefined ? await ask(subject, step, names) : await letSessionsEnd(subject, step.keepAlive, names);
    const outcome = outcomeOf(names, `${step.api.name}: ${step.note}`, { response, records: subject.recordsFrom(from) });
    const { note } = outcome;
    const wanted = note === SECOND_FENCING ? { note, response: null, records: [] } : expected[at];
    assert.deepEqual(JSON.parse(JSON.stringify(outcome)), wanted, note);
  }
  assert.deepEqual(subject.errors, []);
});
