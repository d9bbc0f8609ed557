import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ottla } from '../cli/captured-terminal.ts';
import { inOwnWords, withoutRemedies } from '../cli/transactions/own-words.ts';
import { argumentsFor, normalized, runs } from '../cli/transactions/runs.ts';
import { TransactionSituation } from '../cli/transactions/situation.ts';
import { startTestNode } from '../server/test-node.ts';
import { KafkaPeer, kafkaTool } from './kafka-peer.ts';

interface Target {
  readonly port: number;
  stop(): Promise<void>;
}

/** Runs Kafka's tool and ours one after the other, and holds what they say against each other. */
async function compareOn(target: Target): Promise<void> {
  const situation = await TransactionSituation.make(target.port);
  const server = ['--bootstrap-server', `127.0.0.1:${target.port}`];
  try {
    for (const run of runs.filter(({ isUsage }) => isUsage !== true)) {
      const kafka = await kafkaTool('TransactionsCommand', ...server, ...argumentsFor(run, 'k'));
      const ours = await ottla(['transactions', ...argumentsFor(run, 'o'), ...server]);
      const what = run.args.join(' ');
      assert.equal(ours.exit, kafka.status, what);
      const stderr = inOwnWords(normalized(withoutRemedies(ours.stderr)));
      assert.deepEqual(stderr, inOwnWords(normalized(kafka.stderr)), what);
      assert.deepEqual(normalized(ours.stdout), normalized(kafka.stdout), what);
    }
  } finally {
    situation.close();
    await target.stop();
  }
}

describe('ottla transactions and kafka-transactions say the same', () => {
  it('of transactions on Apache Kafka', { timeout: 1_800_000 }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
    try {
      await compareOn(await KafkaPeer.start({ directory: join(directory, 'kafka') }));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('of transactions on a node of ours', { timeout: 1_800_000 }, async () => {
    await compareOn(await startTestNode());
  });
});
