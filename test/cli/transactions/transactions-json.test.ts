import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestNode, type TestNode } from '../../server/test-node.ts';
import { ottla, type Run } from '../captured-terminal.ts';
import { TransactionSituation } from './situation.ts';

let node: TestNode;
let situation: TransactionSituation;
before(async () => {
  node = await startTestNode();
  situation = await TransactionSituation.make(node.port);
});
after(async () => {
  situation.close();
  await node.stop();
});

const run = (...args: readonly string[]): Promise<Run> =>
  ottla(['transactions', ...args, '--json', '--bootstrap-server', `127.0.0.1:${node.port}`]);

async function json(...args: readonly string[]): Promise<unknown> {
  const { exit, stdout, stderr } = await run(...args);
  assert.equal(exit, 0, `${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as unknown;
}

test('transactional ids are listed', async () => {
  assert.deepEqual(await json('list', '--transactional-id-pattern', '[bc]-.*'), [
    { transactionalId: 'b-aborter', coordinator: 1, producerId: 1, state: 'CompleteAbort' },
    { transactionalId: 'c-open', coordinator: 1, producerId: 2, state: 'Ongoing' },
  ]);
});

test('a transaction is described with its partitions and times', async () => {
  const { startedAt, durationMs, ...rest } = (await json('describe', 'c-open')) as Record<string, unknown>;
  assert.ok(Number(startedAt) > 0 && Number(durationMs) >= 0);
  assert.deepEqual(rest, {
    transactionalId: 'c-open',
    coordinator: 1,
    producerId: 2,
    producerEpoch: 0,
    state: 'Ongoing',
    timeoutMs: 900_000,
    partitions: [
      { topic: 'orders', partition: 2 },
      { topic: 'orders', partition: 0 },
    ],
  });
  const idle = (await json('describe', '--transactional-id', 'd-new')) as Record<string, unknown>;
  assert.deepEqual([idle['state'], idle['startedAt'], idle['durationMs'], idle['partitions']], ['Empty', null, null, []]);
});

test('producers and hanging transactions are told as numbers', async () => {
  const producer = {
    producerId: 5002,
    producerEpoch: 5,
    lastSequence: 0,
    lastTimestamp: 1_700_000_000_000,
    coordinatorEpoch: -1,
    startOffset: 0,
  };
  const place = { topic: 'o-hung', partition: 2 };
  assert.deepEqual(await json('describe-producers', '--topic', place.topic, '--partition', '2'), [producer]);
  const [found] = (await json('find-hanging', '--topic', place.topic, '--partition', '2')) as Record<string, unknown>[];
  const { minutes, ...rest } = found ?? {};
  assert.ok(Number(minutes) > 1_000_000);
  assert.deepEqual(rest, { ...place, ...producer });
});

test('what was aborted or fenced is told', async () => {
  assert.deepEqual(await json('abort', '--topic', 'o-hung', '--partition', '0', '--start-offset', '0'), {
    topic: 'o-hung',
    partition: 0,
    producerId: 5000,
    producerEpoch: 0,
    coordinatorEpoch: 0,
  });
  assert.deepEqual(await json('force-terminate', 'o-forced'), { transactionalId: 'o-forced' });
});

test('a failure is one object with its code, and comes at once where Kafka waits for a minute', async () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['describe', 'nobody'], 'TRANSACTIONAL_ID_NOT_FOUND'],
    [['describe-producers', '--topic', 'nowhere', '--partition', '0'], 'UNKNOWN_TOPIC_OR_PARTITION'],
    [['describe-producers', '--topic', 'orders', '--partition', '9'], 'UNKNOWN_TOPIC_OR_PARTITION'],
    [['describe-producers', '--topic', 'orders', '--partition', '0', '--broker-id', '7'], 'INVALID'],
    [['find-hanging', '--broker-id', '7'], 'INVALID'],
    [['find-hanging', '--topic', 'nowhere', '--partition', '0'], 'UNKNOWN_TOPIC_OR_PARTITION'],
    [['abort', '--topic', 'nowhere', '--partition', '0', '--start-offset', '0'], 'UNKNOWN_TOPIC_OR_PARTITION'],
    [['abort', '--topic', 'o-hung', '--partition', '1', '--start-offset', '9'], 'FAILED'],
    [['find-hanging'], 'FAILED'],
    [['list', '--transactional-id-pattern', '('], 'INVALID_REGULAR_EXPRESSION'],
  ];
  const begun = performance.now();
  for (const [args, code] of cases) {
    const { exit, stdout, stderr } = await run(...args);
    const { error } = JSON.parse(stderr) as { error: { code: string } };
    assert.deepEqual([exit, stdout, error.code], [1, '', code], args.join(' '));
  }
  assert.ok(performance.now() - begun < 10_000);
});
