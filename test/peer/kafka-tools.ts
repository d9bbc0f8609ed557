import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaTool } from './kafka-peer.ts';

/** Runs Kafka's own tools over every file of a log directory, and fails at the first thing they do not like. Counts the files. */
export async function inspectWithKafkaTools(directory: string): Promise<number> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
  const isMetadata = (path: string): boolean => path.includes('__cluster_metadata-0');
  const endingWith = (pattern: RegExp): string[] => paths.filter((path) => pattern.test(path));
  const logs = endingWith(/\d{20}\.log$/);
  const indexes = endingWith(/\d{20}\.(index|timeindex|txnindex)$/);
  const snapshots = endingWith(/\d{20}\.snapshot$/);
  const metadata = [...logs.filter(isMetadata), ...endingWith(/\d{20}-\d{10}\.checkpoint$/)];
  const userLogs = logs.filter((path) => !isMetadata(path));

  await dump(userLogs, ['--deep-iteration', '--print-data-log']);
  await dump(indexes, []);
  const sanity = await dump(
    indexes.filter((path) => /\.(index|timeindex)$/.test(path)),
    ['--index-sanity-check'],
  );
  assert.doesNotMatch(sanity.replaceAll(/^.*(passed sanity check|is empty)\.$/gm, '').replaceAll(/^Dumping.*$/gm, ''), /\S/);
  await dump(snapshots, []);
  await dump(metadata, ['--cluster-metadata-decoder']);
  await describeStorage(directory);
  return userLogs.length + indexes.length + snapshots.length + metadata.length;
}

async function dump(files: readonly string[], options: readonly string[]): Promise<string> {
  assert.ok(files.length > 0, `files for ${options.join(' ')}`);
  const { status, stdout, stderr } = await kafkaTool('DumpLogSegments', ...options, '--files', files.join(','));
  assert.equal(status, 0, stderr);
  // Of a segment that does not start at 0, and its first offset, the tool says this of Kafka's own files as well.
  assert.equal(stderr.replaceAll(/^Non-consecutive offsets in .*\n {2}-1 is followed by \d+\n/gm, ''), '');
  for (const file of files) assert.ok(stdout.includes(`Dumping ${file}`), `${file} was read`);
  assert.doesNotMatch(stdout, /isvalid: false|mismatch|Mismatch|out of order|corrupt|Exception|Found/);
  return stdout;
}

async function describeStorage(directory: string): Promise<void> {
  const properties = join(directory, '..', 'info.properties');
  writeFileSync(
    properties,
    [
      'process.roles=broker,controller',
      'node.id=1',
      'controller.quorum.voters=1@127.0.0.1:19093',
      'listeners=PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093',
      'controller.listener.names=CONTROLLER',
      `log.dirs=${directory}`,
    ].join('\n'),
  );
  const { status, stdout } = await kafkaTool('StorageTool', 'info', '-c', properties);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /Found metadata: \{cluster\.id=.{22}, directory\.id=.{22}, node\.id=1, version=1\}/);
  assert.doesNotMatch(stdout, /problem/i);
}
