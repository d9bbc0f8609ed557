import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { ottla, type Run } from './captured-terminal.ts';

let node: TestNode;
const scratch = mkdtempSync(join(tmpdir(), 'ottla-cli-'));

before(async () => {
  node = await startTestNode();
});

after(async () => {
  await node.stop();
  rmSync(scratch, { recursive: true, force: true });
});

const run = (args: readonly string[], input?: string): Promise<Run> =>
  ottla([...args, '--bootstrap-server', `127.0.0.1:${node.port}`], input);

/** Runs a command that is expected to succeed and gives what it prints. */
async function done(args: readonly string[], input?: string): Promise<string> {
  const { exit, stdout, stderr } = await run(args, input);
  assert.equal(exit, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

test('topics are created, listed, described, altered and deleted', async () => {
  assert.equal(
    await done(['topics', 'create', 'made', '-p', '2', '-c', 'retention.ms=1000']),
    'Created topic made: 2 partitions, replication factor 1.\n',
  );
  const again = await run(['topics', 'create', 'made']);
  assert.equal(again.exit, 1);
  assert.match(again.stderr, /Topic 'made' already exists\.\n {2}Use --if-not-exists/);
  assert.equal(await done(['topics', 'create', 'made', '--if-not-exists', '--json']), '{"name":"made","created":false}\n');
  assert.equal(
    await done(['topics', 'create', 'unmade', '--validate-only', '--json']),
    '{"name":"unmade","partitions":4,"replicationFactor":1,"created":false}\n',
  );
  assert.match(await done(['topics', 'create', 'unmade', '--validate-only']), /^Topic unmade could be created: 4 partitions/);
  assert.equal(await done(['topics', 'list']), 'made\n');

  assert.match(
    await done(['topics', 'alter', 'made', '-p', '3', '-c', 'segment.ms=5000', '--delete-config', 'retention.ms']),
    /^Altered topic made: 3 partitions/,
  );
  const described = await done(['topics', 'describe', 'made', '--format', 'kafka']);
  assert.match(
    described,
    /^Topic: made\tTopicId: [\w-]{22}\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: .*segment\.ms=5000/,
  );
  assert.doesNotMatch(described, /retention\.ms/);
  assert.match(described, /^\tTopic: made\tPartition: 2\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: $/m);
  assert.match(await done(['topics', 'describe', 'ma.*']), /made {2}3 partitions, replication factor 1, id/);
  assert.equal(await done(['topics', 'describe', '--under-replicated-partitions']), '');

  const [topic] = JSON.parse(await done(['topics', 'describe', 'made', '--json'])) as {
    topicId: string;
    partitions: unknown[];
  }[];
  assert.equal(topic?.partitions.length, 3);
  assert.match(await done(['topics', 'describe', '--topic-id', topic?.topicId ?? '']), /^made/);

  const fewer = await run(['topics', 'alter', 'made', '-p', '1']);
  assert.match(fewer.stderr, /currently has 3 partition\(s\); 1 would not be an increase/);
  assert.equal(await done(['topics', 'delete', 'made']), 'Deleted topic made.\n');
  const missing = await run(['topics', 'delete', 'made']);
  assert.deepEqual([missing.exit, missing.stdout], [1, '']);
  assert.match(missing.stderr, /Topic "made" does not exist/);
  assert.match((await run(['topics', 'delete', 'made', '--json'])).stderr, /"code":"UNKNOWN_TOPIC_OR_PARTITION"/);
  assert.equal(await done(['topics', 'delete', 'made', '--if-exists']), '');
});

test('a topic that the cluster refuses is told in the words of Kafka', async () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['a b'], /Topic name is invalid: 'a b' contains one or more characters other than ASCII alphanumerics/],
    [['wide', '-r', '2'], /Unable to replicate the partition 2 time\(s\)/],
    [['bad', '-c', 'no.such=1'], /Unknown topic config name: no\.such/],
  ];
  for (const [args, expected] of cases) {
    const { exit, stderr } = await run(['topics', 'create', ...args]);
    assert.equal(exit, 1);
    assert.match(stderr, expected);
  }
});

test('lines go in and come out', async () => {
  await done(['topics', 'create', 'lines', '-p', '1']);
  await done(['produce', 'lines'], 'hello\r\nwörld\n\nlast');
  assert.equal(await done(['consume', 'lines', '--exit']), 'hello\nwörld\n\nlast\n');
  assert.equal(await done(['consume', 'lines', '--exit', '--max', '2']), 'hello\nwörld\n');
  assert.equal(await done(['consume', 'lines', '--exit', '--from', '-1']), 'last\n');
  assert.equal(await done(['consume', 'lines', '--exit', '--from', '2', '-f', '%o:%s;']), '2:;3:last;');
  assert.equal(await done(['consume', 'lines', '--from', 'latest', '--idle-exit', '50ms']), '');
});

test('keys, headers, tombstones, partitions and times are kept', async () => {
  await done(['topics', 'create', 'keyed', '-p', '4']);
  const deliveries = await done(
    ['produce', 'keyed', '-K', ':', '-Z', 'NULL', '-H', 'h=1', '-p', '3', '--timestamp', '1700000000000', '--json'],
    'a:1\nb:NULL\n',
  );
  assert.deepEqual(
    deliveries
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    [0, 1].map((offset) => ({ topic: 'keyed', partition: 3, offset, timestamp: 1_700_000_000_000 })),
  );
  assert.equal(
    await done(['consume', 'keyed', '-e', '-p', '3', '-f', '%p %k %S %h %T\\n']),
    '3 a 1 h=1 1700000000000\n3 b -1 h=1 1700000000000\n',
  );
  const json = await done(['consume', 'keyed', '-e', '--json']);
  await done(['topics', 'create', 'copied', '-p', '4']);
  await done(['produce', 'copied', '-i', 'json'], json);
  assert.equal((await done(['consume', 'copied', '-e', '--json'])).replaceAll('copied', 'keyed'), json);
});

test('what stands before a line that is no record is sent, and how much that was is told', async () => {
  await done(['topics', 'create', 'broken', '-p', '1']);
  const { exit, stderr } = await run(['produce', 'broken', '-K', ':'], 'a:1\nb:2\nnone\nc:3\n');
  assert.equal(exit, 1);
  assert.match(stderr, /^2 records of broken delivered before the failure\.\nerror: Line 3 has no key separator/);
  assert.equal(await done(['consume', 'broken', '-e', '-f', '%k%s;']), 'a1;b2;');
});

test('files are read whole or by lines, with every codec', async () => {
  const path = join(scratch, 'input.txt');
  const text = Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join('');
  writeFileSync(path, text);
  for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
    await done(['topics', 'create', `file-${codec}`, '-p', '1']);
    await done(['produce', `file-${codec}`, '-f', path, '-z', codec, '--batch-size', '2k']);
    assert.equal(await done(['consume', `file-${codec}`, '-e']), text, codec);
  }
  await done(['topics', 'create', 'raw', '-p', '1']);
  await done(['produce', 'raw', '-f', path, '-i', 'raw']);
  assert.equal(await done(['consume', 'raw', '-e', '-f', '%s']), text);
  const missing = await run(['produce', 'raw', '-f', join(scratch, 'nowhere')]);
  assert.equal(missing.exit, 1);
  assert.match(missing.stderr, /nowhere/);
});

test('offsets are printed as kafka-get-offsets prints them', async () => {
  await done(['topics', 'create', 'places', '-p', '3']);
  await done(['produce', 'places', '-p', '1', '--timestamp', '1700000000000'], 'a\nb\n');
  await done(['produce', 'places', '-p', '1', '--timestamp', '1700000009000'], 'c\n');
  assert.equal(await done(['offsets', 'places']), 'places:0:0\nplaces:1:3\nplaces:2:0\n');
  assert.equal(await done(['offsets', 'places', '--time', 'earliest', '-p', '1']), 'places:1:0\n');
  assert.equal(await done(['offsets', 'places', '--time', '1700000000001']), 'places:1:2\n');
  assert.equal(await done(['offsets', 'places', '--time', 'max-timestamp']), 'places:1:2\n');
  assert.equal(await done(['offsets', '--topic-partitions', 'pla.*:1-']), 'places:1:3\nplaces:2:0\n');
  const [first] = JSON.parse(await done(['offsets', 'places', '-p', '1', '--json'])) as unknown[];
  assert.deepEqual(first, { topic: 'places', partition: 1, offset: 3 });
  assert.equal((await run(['offsets', 'nowhere'])).exit, 1);
});

test('a topic that does not exist is told before anything is read', async () => {
  const { exit, stderr } = await run(['consume', 'nowhere', '-e']);
  assert.equal(exit, 1);
  assert.match(stderr, /Topic "nowhere" does not exist\n {2}See what exists with "ottla topics list"/);
  const partition = await run(['topics', 'create', 'small', '-p', '1']);
  assert.equal(partition.exit, 0);
  assert.match((await run(['consume', 'small', '-p', '4'])).stderr, /has no partition 4\n {2}It has 1 partition/);
});

test('records that the broker refuses end the run with its reason', async () => {
  await done(['topics', 'create', 'compacted', '-p', '1', '-c', 'cleanup.policy=compact']);
  const { exit, stderr } = await run(['produce', 'compacted'], 'no key\n');
  assert.equal(exit, 1);
  assert.match(stderr, /^error: .*key/im);
});

test('benchmarks report what they did', async () => {
  const produced = JSON.parse(await done(['bench', 'produce', 'bench', '-n', '5000', '-s', '50', '--json'])) as {
    records: number;
    bytes: number;
    p99Ms: number;
  };
  assert.equal(produced.records, 5000);
  assert.equal(produced.bytes, 250_000);
  assert.ok(produced.p99Ms > 0);
  assert.match(
    await done(['bench', 'produce', 'bench', '-n', '100', '--keys', '10', '-z', 'lz4', '--content', 'text']),
    /^100 records sent, .* 99\.9th\.\n$/,
  );
  assert.match(await done(['bench', 'consume', 'bench']), /^5100 records consumed, /);
  const latency = JSON.parse(await done(['bench', 'latency', 'bench', '-n', '20', '--json'])) as {
    records: number;
    maxMs: number;
  };
  assert.equal(latency.records, 20);
  assert.ok(latency.maxMs > 0);
});

test('the oldest records are deleted up to an offset, or all of them', async () => {
  await done(['topics', 'create', 'trimmed', '-p', '2']);
  await done(['produce', 'trimmed', '-p', '1'], 'a\nb\nc\n');
  assert.equal(await done(['records', 'delete', 'trimmed', '--before', '2', '-p', '1']), 'trimmed:1:2\n');
  assert.equal(await done(['consume', 'trimmed', '-e']), 'c\n');
  assert.equal(await done(['offsets', 'trimmed', '--time', 'earliest']), 'trimmed:0:0\ntrimmed:1:2\n');
  const beyond = await run(['records', 'delete', 'trimmed', '--before', '9', '-p', '1']);
  assert.equal(beyond.exit, 1);
  assert.match(beyond.stderr, /offset/i);
  assert.equal(await done(['records', 'delete', 'trimmed', '--before', 'latest']), 'trimmed:0:0\ntrimmed:1:3\n');
});

test('the cluster shows its brokers, quorum, directories, features and versions', async () => {
  assert.match(
    await done(['cluster', 'describe']),
    new RegExp(`^Cluster ${node.clusterId}\\nBROKER  ADDRESS +RACK  STATE\\n {5}1  localhost:${node.port} +- +up\\n$`),
  );
  assert.match(await done(['cluster', 'quorum']), /^Leader 1, epoch \d+, high watermark \d+\n.*\n +1 {2}leader/);
  assert.match(await done(['cluster', 'features']), /^metadata\.version +33 {2}7 to 33$/m);
  assert.match(await done(['cluster', 'api-versions']), /^ +18 {2}ApiVersions +0 to 5$/m);
  await done(['topics', 'create', 'placed', '-p', '1']);
  assert.match(await done(['cluster', 'log-dirs']), /^placed-0 +0 B +0$/m);
  const [directory] = JSON.parse(await done(['cluster', 'log-dirs', '--json'])) as { broker: number; path: string }[];
  assert.deepEqual([directory?.broker, directory?.path], [1, node.directory]);
});
