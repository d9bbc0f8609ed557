import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ottla } from './captured-terminal.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

function scratch(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'ottla-process-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function start(context: TestContext, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [main, 'start', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  context.after(() => child.kill('SIGKILL'));
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout !== null);
  for await (const line of createInterface({ input: child.stdout })) return line;
  return assert.fail('the process ended without a word');
}

const run = (args: readonly string[], input = '') =>
  spawnSync(process.execPath, [main, ...args], { input, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });

test('a node tells when it is ready, serves, keeps its data and stops in order on SIGTERM', async (context) => {
  const directory = join(scratch(context), 'data');
  const first = start(context, ['--port', '0', '--data', directory, '--json']);
  const ready = JSON.parse(await firstLine(first)) as {
    event: string;
    clusterId: string;
    listeners: { name: string; host: string; port: number }[];
  };
  assert.equal(ready.event, 'ready');
  const server = `127.0.0.1:${ready.listeners[0]?.port}`;
  assert.equal(run(['produce', 'greetings', '-b', server], 'hello\n').status, 0);
  first.kill('SIGTERM');
  assert.deepEqual(await once(first, 'exit'), [0, null]);

  const second = start(context, ['--port', '0', '--data', directory, '--quiet']);
  const line = await firstLine(second);
  const address = /^Ottla is ready \(node 1, cluster ([\w-]{22})\): PLAINTEXT:\/\/localhost:(\d+)$/.exec(line);
  assert.equal(address?.[1], ready.clusterId);
  const consumed = run(['consume', 'greetings', '-e', '-b', `127.0.0.1:${address?.[2]}`]);
  assert.deepEqual([consumed.status, consumed.stdout], [0, 'hello\n']);

  const clash = run(['start', '--port', '0', '--data', directory, '--quiet']);
  assert.equal(clash.status, 1);
  assert.match(clash.stderr, /Another process uses the log directory/);
  const busy = run(['start', '--port', address?.[2] ?? '', '--data', join(directory, '..', 'other'), '--quiet']);
  assert.equal(busy.status, 1);
  assert.match(busy.stderr, /\n {2}Another broker may be running/);
  second.kill('SIGINT');
  assert.deepEqual(await once(second, 'exit'), [0, null]);
});

test('a properties file and the command line make the configs, the command line being stronger', async (context) => {
  const directory = scratch(context);
  const file = join(directory, 'server.properties');
  writeFileSync(file, `num.partitions=7\nlisteners=PLAINTEXT://127.0.0.1:0\nlog.dirs=${join(directory, 'unused')}\n`);
  const node = start(context, ['--config', file, '--data', join(directory, 'data'), '--set', 'num.partitions=2', '--json']);
  const ready = JSON.parse(await firstLine(node)) as { listeners: { port: number }[] };
  assert.equal(
    run(['topics', 'create', 'two', '-b', `127.0.0.1:${ready.listeners[0]?.port}`]).stdout,
    'Created topic two: 2 partitions, replication factor 1.\n',
  );
  assert.match(readFileSync(join(directory, 'data', 'meta.properties'), 'utf8'), /^node\.id=1$/m);
});

test('configs that cannot be end the start with a reason', (context) => {
  const directory = scratch(context);
  const wrong = run(['start', '--data', directory, '--set', 'num.partitions=x']);
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, /^error: Invalid value x for configuration num\.partitions/);
  assert.match(run(['start', '--config', join(directory, 'nowhere')]).stderr, /^error: Cannot read .*nowhere/);
});

test('a reader that leaves early ends a command quietly', async (context) => {
  const directory = scratch(context);
  const log = join(directory, '00000000000000000000.txnindex');
  writeFileSync(log, Buffer.alloc(34 * 20_000));
  const child = spawn(process.execPath, [main, 'dump-log', log], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.once('data', () => child.stdout.destroy());
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const [code] = (await once(child, 'exit')) as [number];
  assert.deepEqual([code, errors.join('')], [0, '']);
});

test('a directory is formatted once, and tells whom it belongs to', async (context) => {
  const directory = join(scratch(context), 'data');
  const id = 'AAAAAAAAAAAAAAAAAAAAAg';
  assert.equal((await ottla(['storage', 'info', '-d', directory])).stdout, `Found problem:\n  ${directory} does not exist\n\n`);
  assert.equal(
    (await ottla(['storage', 'format', '-d', directory, '-t', id])).stdout,
    `Formatting metadata directory ${directory} with metadata.version 4.4-IV2.\n`,
  );
  const again = await ottla(['storage', 'format', '-d', directory, '-t', id]);
  assert.equal(again.exit, 1);
  assert.match(again.stderr, /is already formatted\. Use --ignore-formatted to ignore this directory and format the others\./);
  assert.equal(
    (await ottla(['storage', 'format', '-d', directory, '-t', id, '-g'])).stdout,
    'All of the log directories are already formatted.\n',
  );
  const info = await ottla(['storage', 'info', '-d', directory]);
  assert.equal(info.exit, 0);
  assert.match(
    info.stdout,
    new RegExp(
      `^Found log directory:\\n  ${directory}\\n\\nFound metadata: \\{cluster\\.id=${id}, directory\\.id=[\\w-]{22}, node\\.id=1, version=1\\}\\n\\n$`,
    ),
  );
});

test('a release and a feature tell what belongs to them', async () => {
  assert.equal(
    (await ottla(['storage', 'version-mapping', '-r', '4.1'])).stdout,
    'metadata.version=27 (4.1)\nkraft.version=1\ntransaction.version=2\ngroup.version=1\neligible.leader.replicas.version=1\nshare.version=0\nstreams.version=0\n',
  );
  assert.equal(
    (await ottla(['storage', 'feature-dependencies', '-f', 'share.version=1'])).stdout,
    'share.version=1 has no dependencies.\n',
  );
  assert.match((await ottla(['storage', 'random-uuid'])).stdout, /^[A-Za-z0-9_][\w-]{21}\n$/);
});
