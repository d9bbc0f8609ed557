import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readGoldenLines } from '../../golden-lines.ts';
import { startTestNode, type TestNode } from '../../server/test-node.ts';
import { ottla } from '../captured-terminal.ts';
import type { RecordedRun } from './record.ts';
import { inOwnWords, withoutRemedies } from './own-words.ts';
import { argumentsFor, normalized, runs, type ToolArguments } from './runs.ts';
import { TransactionSituation } from './situation.ts';

const recorded = (readGoldenLines('cli-transactions.jsonl.gz') as RecordedRun[]).values();

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

async function compare(run: ToolArguments): Promise<void> {
  const { exit, stdout, stderr } = await ottla([
    'transactions',
    ...argumentsFor(run, 'o'),
    '--bootstrap-server',
    `127.0.0.1:${node.port}`,
  ]);
  if (run.isUsage === true) {
    assert.equal(exit, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^error: /);
    return;
  }
  const expected = recorded.next().value;
  assert.ok(expected !== undefined, 'record again');
  assert.deepEqual(expected.args, run.args, 'record again');
  assert.deepEqual(normalized(stdout), expected.stdout);
  assert.equal(exit, expected.status);
  assert.deepEqual(inOwnWords(normalized(withoutRemedies(stderr))), inOwnWords(expected.stderr));
}

for (const run of runs) test(`ottla transactions ${run.args.join(' ')} says what kafka-transactions says`, () => compare(run));
