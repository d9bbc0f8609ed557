import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandList } from '../../src/cli/command-list.ts';
import { version } from '../../src/cli/version.ts';
import { ottla } from './captured-terminal.ts';

test('help names every command, and the help of every command can be had in three ways', async () => {
  const { exit, stdout } = await ottla(['--help']);
  assert.equal(exit, 0);
  for (const { name, summary } of commandList) {
    assert.match(stdout, new RegExp(`^  ${name}\\b`, 'm'));
    const help = await ottla([name, '--help']);
    assert.equal(help.exit, 0);
    assert.match(help.stdout, new RegExp(`^Usage: ottla ${name}`));
    assert.match(help.stdout.replace(/\s+/g, ' ').toLowerCase(), new RegExp(summary.slice(0, 20)));
    assert.deepEqual(await ottla(['help', name]), help);
    assert.equal((await ottla([name, '-h'])).stdout, help.stdout);
  }
});

test('what a command and its subcommands are for fits a terminal of 80 columns', async () => {
  for (const { name } of commandList) {
    const { stdout } = await ottla([name, '--help']);
    const [tables = ''] = stdout.split(/\n(?=Examples:|Format tokens)/);
    const wide = tables.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $ '));
    assert.deepEqual(wide, []);
  }
});

test('every option and argument of every command has a description', async () => {
  for (const { name } of commandList) {
    const texts = [(await ottla([name, '--help'])).stdout];
    const [, commands = ''] = (texts[0] ?? '').split('\nCommands:\n');
    for (const [, sub = ''] of commands.matchAll(/^ {2}([a-z-]+) /gm)) texts.push((await ottla([name, sub, '--help'])).stdout);
    for (const text of texts) {
      const bare = text
        .split('\n')
        .filter(
          (line, index, lines) =>
            /^ {2}-/.test(line) && !/ {2}\S.* {2,}\S/.test(line) && !/^ {20,}\S/.test(lines[index + 1] ?? ''),
        );
      assert.deepEqual(bare, []);
    }
  }
});

test('the help of a subcommand can be asked for as well, and one that does not exist is told', async () => {
  assert.deepEqual(await ottla(['help', 'topics', 'create']), await ottla(['topics', 'create', '--help']));
  assert.deepEqual(await ottla(['help', 'produce', 'orders']), await ottla(['produce', '--help']));
  assert.deepEqual(await ottla(['help']), await ottla(['--help']));
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['help', 'nothing'], /^error: unknown command 'nothing'\n {2}See "ottla --help"/],
    [['help', 'topics', 'nothing'], /^error: unknown command 'nothing'\n {2}See "ottla topics --help"/],
    [['topics', 'create'], /See "ottla topics create --help"/],
    [['bench', 'produce', 'x', '--size', 'big'], /See "ottla bench produce --help"/],
  ];
  for (const [args, expected] of cases) {
    const { exit, stderr } = await ottla(args);
    assert.equal(exit, 2);
    assert.match(stderr, expected);
  }
});

test('the version is the one of the package', async () => {
  assert.deepEqual(await ottla(['--version']), { exit: 0, stdout: `${version}\n`, stderr: '' });
});

test('a command or option that does not exist is answered with the one that was probably meant', async () => {
  const command = await ottla(['topcs']);
  assert.equal(command.exit, 2);
  assert.match(command.stderr, /unknown command 'topcs'\s+\(Did you mean topics\?\)\s+See "ottla --help"\./);
  const sub = await ottla(['topics', 'lst']);
  assert.match(sub.stderr, /Did you mean list\?\)\s+See "ottla topics --help"\./);
  const option = await ottla(['consume', 'x', '--formt', 'y']);
  assert.equal(option.exit, 2);
  assert.match(option.stderr, /Did you mean --format\?/);
});

test('wrong values name the option and what is allowed', async () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['topics', 'create', 'x', '--partitions', '0'], /--partitions <number>' argument '0' is invalid\. It must be at least 1\./],
    [['topics', 'create', 'x', '--config', 'nonsense'], /key=value/],
    [['topics', 'create', 'x', '--partitions', '2', '--replica-assignment', '1'], /--replica-assignment says the number/],
    [['topics', 'alter', 'x'], /Nothing to change/],
    [['topics', 'describe', '--under-replicated-partitions', '--unavailable-partitions'], /cannot be used with/],
    [['produce', 'x', '--acks', '2'], /Allowed choices are all, -1, 1, 0/],
    [['produce', 'x', '--compression', 'zip'], /none, gzip, snappy, lz4, zstd/],
    [['produce'], /missing required argument 'topic'/],
    [['consume', 'x', '--from', 'yesterday'], /earliest, latest, an offset/],
    [['consume', 'x', '--partitions', '5-1'], /not a range/],
    [['consume', 'x', '--json', '--format', '%s'], /exclude each other/],
    [['consume', 'x', '--format', '%q'], /"%q" in the format is no token/],
    [['offsets', '--time', 'soon'], /max-timestamp/],
    [['offsets', 'x', '--topic-partitions', 'x:0'], /excludes/],
    [['dump-log'], /No file to dump/],
    [['dump-log', '--offsets-decoder', '--cluster-metadata-decoder', 'x.log'], /cannot be used with/],
    [['dump-log', '--key-decoder-class', 'Nonsense', 'x.log'], /string, integer, long/],
    [['bench', 'produce', 'x', '--size', 'big'], /16384, 128k or 1MiB/],
    [['start', '--set', 'listeners=PLAINTEXT://:1', '--port', '2'], /--port and --host are for/],
    [['start', '--set', 'log.dirs=x', '--data', 'y'], /--data and --set log\.dirs both say/],
    [['storage', 'feature-dependencies'], /--feature <name=level>' not specified/],
  ];
  for (const [args, expected] of cases) {
    const { exit, stderr, stdout } = await ottla(args);
    assert.match(stderr, expected, args.join(' '));
    assert.equal(exit, 2, args.join(' '));
    assert.equal(stdout, '');
  }
});

test('with --json a failure is an object, on stderr', async () => {
  const { exit, stdout, stderr } = await ottla([
    'topics',
    'list',
    '--json',
    '--bootstrap-server',
    '127.0.0.1:1',
    '--timeout',
    '100ms',
  ]);
  assert.equal(exit, 1);
  assert.equal(stdout, '');
  const { error } = JSON.parse(stderr) as { error: { code: string; message: string; remedy: string } };
  assert.equal(error.code, 'UNREACHABLE');
  assert.match(error.message, /Cannot connect to 127\.0\.0\.1:1/);
  assert.match(error.remedy, /ottla start/);
});

test('a cluster that is not there is told with what to do about it', async () => {
  const { exit, stderr } = await ottla(['consume', 'orders', '--bootstrap-server', '127.0.0.1:1', '--timeout', '100ms']);
  assert.equal(exit, 1);
  assert.match(stderr, /^error: Cannot connect to 127\.0\.0\.1:1: .*ECONNREFUSED.*\n {2}Start a node with "ottla start"/);
});

test('a server that is no server is told', async () => {
  const { exit, stderr } = await ottla(['topics', 'list', '--bootstrap-server', 'nonsense']);
  assert.equal(exit, 1);
  assert.match(stderr, /"nonsense" is not a server: it must be HOST:PORT/);
});
