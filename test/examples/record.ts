/**
 * Records what kafka-dump-log of a real Apache Kafka prints of the segment that example E1 makes:
 * `node test/examples/record.ts FOLDER_OF_KAFKA'S_JARS`.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { startTestNode } from '../server/test-node.ts';
import { segmentBytes, type TwoBatchesGolden, writeTwoBatches } from './two-batches.ts';

const [jars] = process.argv.slice(2);
if (jars === undefined) throw new Error("usage: record.ts FOLDER_OF_KAFKA'S_JARS");
const node = await startTestNode();
const path = await writeTwoBatches(node);
const args = ['--files', path, '--deep-iteration', '--print-data-log'];
const run = spawnSync('java', ['-Xmx256m', '-cp', `${jars}/*`, 'org.apache.kafka.tools.DumpLogSegments', ...args], {
  encoding: 'utf8',
});
if (run.status !== 0) throw new Error(run.stderr);
const golden: TwoBatchesGolden = { segment: segmentBytes(path), stdout: run.stdout.replaceAll(path, '<log>') };
await node.stop();
writeFileSync(new URL('../golden/two-batches.json.gz', import.meta.url), gzipSync(JSON.stringify(golden), { level: 9 }));
console.log(golden.stdout);
