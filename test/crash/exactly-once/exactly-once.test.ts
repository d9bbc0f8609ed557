import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runExactlyOnceRounds } from './exactly-once-rounds.ts';

const directory = mkdtempSync(join(tmpdir(), 'ottla-exactly-once-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('copies and transfers happen once while clients and the broker are killed (the long form: npm run test:exactly-once)', async () => {
  const report = await runExactlyOnceRounds({ seed: 5, rounds: 6, directory });
  assert.equal(report.recordsCopied, 180);
  assert.ok(report.brokerKills + report.clientKills >= 6);
  assert.ok(report.transfersCommitted > 0);
});
