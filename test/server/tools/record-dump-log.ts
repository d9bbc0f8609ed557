/**
 * Records what kafka-dump-log of a real Apache Kafka prints for every case of dump-log-cases.ts:
 * `node test/server/tools/record-dump-log.ts CLASSPATH`, where CLASSPATH is the folder of Kafka's jars.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type DumpLogGolden, dumpLogCases, prepareDumpLogFiles } from './dump-log-cases.ts';

const [jars] = process.argv.slice(2);
if (jars === undefined) throw new Error("usage: record-dump-log.ts FOLDER_OF_KAFKA'S_JARS");
const root = mkdtempSync(join(tmpdir(), 'ottla-dump-log-'));
prepareDumpLogFiles(root);
const golden = dumpLogCases(root).map(({ name, args }): DumpLogGolden => {
  const run = spawnSync(
    'java',
    ['-Xmx384m', '-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`, 'org.apache.kafka.tools.DumpLogSegments', ...args],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    },
  );
  console.log(`${name}: ${run.status}, ${run.stdout.length} characters`);
  return { name, args, exit: run.status ?? -1, stdout: run.stdout, stderr: run.stderr.replaceAll(root, '<root>') };
});
rmSync(root, { recursive: true });
const lines = `${golden.map((one) => JSON.stringify(one)).join('\n')}\n`;
writeFileSync(new URL('../../golden/cli-dump-log.jsonl.gz', import.meta.url), gzipSync(lines, { level: 9 }));
