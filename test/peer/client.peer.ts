import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ottla } from '../cli/captured-terminal.ts';
import { KafkaPeer, kafkaTool } from './kafka-peer.ts';

/** Our clients and commands against a broker of Apache Kafka, and beside Kafka's own tools. */
describe('the commands and Apache Kafka 4.4', () => {
  const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
  let kafka: KafkaPeer;
  before(async () => {
    kafka = await KafkaPeer.start({ directory: join(root, 'kafka') });
  });
  after(async () => {
    await kafka.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const server = (): string => `127.0.0.1:${kafka.port}`;

  async function done(args: readonly string[], input?: string): Promise<string> {
    const { exit, stdout, stderr } = await ottla([...args, '--bootstrap-server', server()], input);
    assert.equal(exit, 0, `${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async function tool(name: string, ...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await kafkaTool(name, '--bootstrap-server', server(), ...args);
    assert.equal(status, 0, stderr);
    return stdout;
  }

  const sorted = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .toSorted((a, b) => (a < b ? -1 : 1));

  it('describe topics with the same lines', async () => {
    await done(['topics', 'create', 'orders', '-p', '3', '-c', 'retention.ms=-1', '-c', 'segment.ms=3153600000000']);
    await done(['topics', 'create', 'plain', '-p', '1']);
    // A broker of Kafka learns of a topic a moment after its controller has made it.
    while (!(await done(['topics', 'list'])).includes('plain'));
    const ours = await done(['topics', 'describe', '--format', 'kafka']);
    assert.deepEqual(sorted(ours), sorted(await tool('TopicCommand', '--describe')));
    assert.deepEqual(sorted(await done(['topics', 'list'])), sorted(await tool('TopicCommand', '--list')));
  });

  it('send records of every codec to the partitions that their keys have with Kafka, and find them there', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `key-${index}:value ${index}`).join('\n');
    for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
      await done(['topics', 'create', `ours-${codec}`, '-p', '5']);
      await done(['produce', `ours-${codec}`, '-K', ':', '-z', codec], lines);
      const consumed = await tool(
        'ConsoleConsumer',
        '--topic',
        `ours-${codec}`,
        '--from-beginning',
        '--max-messages',
        '300',
        '--formatter-property',
        'print.key=true',
        '--formatter-property',
        'print.partition=true',
      );
      const read = await done(['consume', `ours-${codec}`, '-e', '-f', 'Partition:%p\\t%k\\t%s\\n']);
      assert.deepEqual(sorted(consumed), sorted(read), codec);
    }
  });

  it('tell offsets with the same lines', async () => {
    for (const time of ['latest', 'earliest', 'max-timestamp', '1']) {
      const ours = await done(['offsets', 'ours-none', '--time', time]);
      assert.equal(ours, await tool('GetOffsetShell', '--topic', 'ours-none', '--time', time), time);
    }
  });

  it('run the benchmarks', async () => {
    for (const args of [
      ['produce', 'bench', '-n', '200000'],
      ['consume', 'bench'],
      ['latency', 'bench', '-n', '500'],
    ]) {
      console.log(await done(['bench', ...args]));
    }
  });

  it('dump what that broker wrote with the same lines', async () => {
    await kafka.stop();
    const data = join(root, 'kafka', 'data');
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name));
    const comparisons: readonly (readonly [RegExp, string[]])[] = [
      [/ours-[^/]*\/\d{20}\.log$/, ['--deep-iteration', '--print-data-log']],
      [/\d{20}\.(index|timeindex|snapshot)$/, []],
      [/__cluster_metadata-0\/\d{20}(-\d{10})?\.(log|checkpoint)$/, ['--cluster-metadata-decoder']],
    ];
    for (const [pattern, options] of comparisons) {
      const args = ['--files', files.filter((path) => pattern.test(path)).join(','), ...options];
      const { stdout, status } = await kafkaTool('DumpLogSegments', ...args);
      const ours = await ottla(['dump-log', ...args]);
      assert.equal(ours.stdout, stdout);
      assert.equal(ours.exit, status);
    }
  });
});
