/**
 * Records what kafka-transactions of a real Apache Kafka prints of TransactionSituation: `node test/cli/transactions/record.ts`.
 * KAFKA_PEER and KAFKA_PEER_PORT as for the tests in test/peer.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { KafkaPeer, kafkaTool } from '../../peer/kafka-peer.ts';
import { argumentsFor, normalized, runs } from './runs.ts';
import { TransactionSituation } from './situation.ts';

/** One line of the golden file. */
export interface RecordedRun {
  readonly args: readonly string[];
  readonly status: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

const directory = mkdtempSync(join(tmpdir(), 'ottla-transactions-'));
const kafka = await KafkaPeer.start({ directory: join(directory, 'kafka') });
const situation = await TransactionSituation.make(kafka.port);
const lines: string[] = [];
for (const run of runs.filter(({ isUsage }) => isUsage !== true)) {
  const server = ['--bootstrap-server', `127.0.0.1:${kafka.port}`];
  const { status, stdout, stderr } = await kafkaTool('TransactionsCommand', ...server, ...argumentsFor(run, 'k'));
  const recorded: RecordedRun = { args: run.args, status, stdout: normalized(stdout), stderr: normalized(stderr) };
  lines.push(JSON.stringify(recorded));
}
situation.close();
await kafka.stop();
rmSync(directory, { recursive: true });
const golden = new URL('../../golden/cli-transactions.jsonl.gz', import.meta.url);
writeFileSync(golden, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
