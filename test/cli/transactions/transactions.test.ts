import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readGoldenLines } from '../../golden-lines.ts';
import { startTestNode, type TestNode } from '../../server/test-node.ts';
import { ottla } from '../captured-terminal.ts';
import type { RecordedRun } from './record.ts';
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

/** Beside what Kafka's tool says, ours says what to do about it in an indented line. */
const withoutRemedies = (stderr: string): string => stderr.replaceAll(/^ {2}.*\n/gm, '');

/** Lines in which Ottla says the same in words of its own. */
const inOwnWords = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/^(Failed to describe 1 topics: ).*( Enable debug.*)$/, '$1…$2'));

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
