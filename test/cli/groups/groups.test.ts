import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readGoldenLines } from '../../golden-lines.ts';
import { startTestNode, type TestNode } from '../../server/test-node.ts';
import { ottla } from '../captured-terminal.ts';
import type { RecordedRun } from './record.ts';
import {
  activeRuns,
  argumentsFor,
  filesFor,
  idleRuns,
  normalized,
  ourArguments,
  saidBeside,
  type ToolArguments,
} from './runs.ts';
import { brokerProperties, GroupSituation } from './situation.ts';

let node: TestNode;
let situation: GroupSituation;
const scratch = mkdtempSync(join(tmpdir(), 'ottla-groups-'));
/** In the order of the runs; those of a wrong command line are left out. */
const recorded = (readGoldenLines('cli-groups.jsonl.gz') as RecordedRun[]).values();

before(async () => {
  node = await startTestNode({ properties: brokerProperties });
  situation = await GroupSituation.make(node.port);
  for (const [path, text] of filesFor('o', scratch)) writeFileSync(path, text);
});

after(async () => {
  await situation.close();
  await node.stop();
  rmSync(scratch, { recursive: true, force: true });
});

/** Our command on our node prints what Kafka's tool printed on a broker of Kafka in the same situation. */
async function compare(runs: readonly ToolArguments[]): Promise<void> {
  for (const run of runs) {
    const { exit, stdout, stderr } = await ottla([
      ...ourArguments(argumentsFor(run, 'o', scratch)),
      '--bootstrap-server',
      `127.0.0.1:${node.port}`,
    ]);
    const text = run.args.join(' ');
    if (run.isUsage === true) {
      assert.equal(exit, 2, text);
      continue;
    }
    const { value: expected } = recorded.next();
    assert.deepEqual(expected?.args, run.args);
    assert.ok(expected !== undefined);
    assert.deepEqual(normalized(stdout), expected.stdout, text);
    const said = saidBeside(stderr);
    assert.deepEqual(
      expected.beside.filter((line) => !said.includes(line)),
      [],
      text,
    );
  }
}

test('groups with members are shown as kafka-consumer-groups shows them', async () => {
  await compare(activeRuns);
});

test('groups whose members have left are shown and changed as by kafka-consumer-groups', async () => {
  await situation.endMembers();
  await compare(idleRuns);
});
