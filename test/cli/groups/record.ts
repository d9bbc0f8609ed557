/**
 * Records what kafka-consumer-groups of a real Apache Kafka prints of the groups of GroupSituation: `node test/cli/groups/record.ts`.
 * KAFKA_PEER and KAFKA_PEER_PORT as for the tests in test/peer.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { KafkaPeer, kafkaTool } from '../../peer/kafka-peer.ts';
import { activeRuns, argumentsFor, filesFor, idleRuns, normalized, saidBeside, type ToolArguments } from './runs.ts';
import { brokerProperties, GroupSituation } from './situation.ts';

/** One line of the golden file. */
export interface RecordedRun {
  readonly args: readonly string[];
  readonly stdout: readonly string[];
  readonly beside: readonly string[];
}

const directory = mkdtempSync(join(tmpdir(), 'ottla-groups-'));
const kafka = await KafkaPeer.start({ directory: join(directory, 'kafka'), properties: brokerProperties });
const situation = await GroupSituation.make(kafka.port);
for (const [path, text] of filesFor('k', directory)) writeFileSync(path, text);
const lines: string[] = [];

async function record(runs: readonly ToolArguments[]): Promise<void> {
  for (const run of runs.filter(({ isUsage }) => isUsage !== true)) {
    const { stdout, stderr } = await kafkaTool(
      'ConsumerGroupCommand',
      '--bootstrap-server',
      `127.0.0.1:${kafka.port}`,
      ...argumentsFor(run, 'k', directory),
    );
    const recorded: RecordedRun = { args: run.args, stdout: normalized(stdout), beside: saidBeside(stderr) };
    lines.push(JSON.stringify(recorded));
  }
}

await record(activeRuns);
await situation.endMembers();
await record(idleRuns);
await situation.close();
await kafka.stop();
rmSync(directory, { recursive: true });
writeFileSync(new URL('../../golden/cli-groups.jsonl.gz', import.meta.url), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
