import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCrashRounds } from './crash-rounds.ts';
import { runStopRounds } from './stop-rounds.ts';

const workspace = mkdtempSync(join(tmpdir(), 'ottla-crash-'));
after(() => rmSync(workspace, { recursive: true, force: true }));

test('a node that is killed under load keeps what it acknowledged (the long form: npm run test:crash)', async () => {
  const report = await runCrashRounds({ seed: 3, rounds: 3, roundsADirectory: 2, workspace });
  assert.deepEqual(
    report.rounds.map(({ flushes }) => flushes),
    [true, true, false],
  );
  for (const { acknowledged } of report.rounds) assert.ok(acknowledged > 0);
  assert.ok(report.recordsRead >= report.acknowledged);
  assert.ok(report.topicChanges > 0);
});

test('a node that is stopped under load leaves nothing to recover', async () => {
  const rounds = await runStopRounds({ seed: 4, rounds: 2, directory: join(workspace, 'stops') });
  assert.equal(rounds.length, 2);
});
