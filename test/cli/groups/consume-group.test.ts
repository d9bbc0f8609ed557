import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestNode, type TestNode } from '../../server/test-node.ts';
import { ottla, type Run } from '../captured-terminal.ts';
import { brokerProperties } from './situation.ts';

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const protocols = ['classic', 'consumer'] as const;

let node: TestNode;
before(async () => {
  node = await startTestNode({ properties: brokerProperties });
});
after(async () => {
  await node.stop();
});

const server = (): string => `127.0.0.1:${node.port}`;
const run = (args: readonly string[], input?: string): Promise<Run> => ottla([...args, '--bootstrap-server', server()], input);

async function done(args: readonly string[], input?: string): Promise<string> {
  const { exit, stdout, stderr } = await run(args, input);
  assert.equal(exit, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Committed offset and lag of each partition. */
async function committed(group: string): Promise<(readonly [offset: number | null, lag: number | null])[]> {
  const [described] = JSON.parse(await done(['groups', 'describe', group, '--json'])) as {
    partitions: { partition: number; committed: number | null; lag: number | null }[];
  }[];
  return (described?.partitions ?? []).toSorted((a, b) => a.partition - b.partition).map((row) => [row.committed, row.lag]);
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .sort();

for (const protocol of protocols) {
  test(`a member of a ${protocol} group goes on where the group stopped, to the record`, async () => {
    const topic = `records-${protocol}`;
    const consume = ['consume', topic, '--group', `group-${protocol}`, '--protocol', protocol];
    await done(['topics', 'create', topic, '-p', '2']);
    for (const partition of ['0', '1'])
      await done(['produce', topic, '-p', partition], `a${partition}\nb${partition}\nc${partition}\n`);
    const first = linesOf(await done([...consume, '--from-beginning', '--max', '4']));
    assert.equal(first.length, 4);
    assert.equal(
      (await committed(`group-${protocol}`)).reduce((sum, [offset]) => sum + (offset ?? 0), 0),
      4,
    );
    const rest = linesOf(await done([...consume, '--exit']));
    assert.deepEqual([...first, ...rest].sort(), ['a0', 'a1', 'b0', 'b1', 'c0', 'c1']);
    assert.deepEqual(await committed(`group-${protocol}`), [
      [3, 0],
      [3, 0],
    ]);
    assert.equal(await done([...consume, '--exit']), '');
  });

  test(`a member of a ${protocol} group leaves the offsets as they are when it is told so`, async () => {
    const topic = `kept-${protocol}`;
    const consume = ['consume', topic, '--group', `keeping-${protocol}`, '--protocol', protocol, '--exit'];
    await done(['topics', 'create', topic, '-p', '1']);
    await done(['produce', topic], 'a\nb\n');
    assert.deepEqual(linesOf(await done([...consume, '--no-commit', '--from-beginning'])), ['a', 'b']);
    assert.deepEqual(linesOf(await done([...consume, '--no-commit', '--from', 'earliest'])), ['a', 'b']);
    assert.equal(await done(consume), '', 'without an offset reading starts at the end');
    assert.deepEqual(await committed(`keeping-${protocol}`), [[2, 0]]);
  });

  test(`a member of a ${protocol} group commits and leaves when it is interrupted`, async () => {
    const topic = `signal-${protocol}`;
    const group = `signalled-${protocol}`;
    await done(['topics', 'create', topic, '-p', '1']);
    await done(['produce', topic], 'a\nb\nc\n');
    const args = ['consume', topic, '-b', server(), '--group', group, '--protocol', protocol, '--from-beginning'];
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length === 3) child.kill('SIGINT');
    }
    if (child.exitCode === null) await once(child, 'exit');
    assert.deepEqual([child.exitCode, child.signalCode, lines], [0, null, ['a', 'b', 'c']]);
    assert.deepEqual(await committed(group), [[3, 0]]);
    assert.match(await done(['groups', 'state', group]), / Empty +0$/m);
  });
}

test('the offsets of a group are not moved under its members, and it is said what to do, to programs as well', async (context) => {
  await done(['produce', 'occupied'], 'a\n');
  const args = ['consume', 'occupied', '-b', server(), '-g', 'occupants', '--protocol', 'consumer', '--from-beginning'];
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const reset = ['groups', 'reset-offsets', 'occupants', '--topic', 'occupied', '--to-earliest', '--execute'];
  const remedy = 'Stop its members first; see who they are with "ottla groups members occupants".';
  const toPeople = await run(reset);
  assert.deepEqual([toPeople.exit, toPeople.stderr], [1, `${remedy}\n`]);
  const toPrograms = await run([...reset, '--json']);
  assert.deepEqual([toPrograms.exit, toPrograms.stdout], [1, '[]\n']);
  assert.deepEqual(JSON.parse(toPrograms.stderr), {
    error: {
      code: 'FAILED',
      message: "Assignments can only be reset if the group 'occupants' is inactive, but the current state is Stable.",
      remedy,
    },
  });
});

test('members of one group share the partitions of topics that match', async () => {
  for (const topic of ['shared-a', 'shared-b']) {
    await done(['topics', 'create', topic, '-p', '2']);
    await done(['produce', topic, '-p', '0'], `${topic}-0\n`);
    await done(['produce', topic, '-p', '1'], `${topic}-1\n`);
  }
  for (const protocol of protocols) {
    const consume = [
      'consume',
      '--include',
      'shared-.*',
      '--group',
      `sharing-${protocol}`,
      '--protocol',
      protocol,
      '--from-beginning',
    ];
    const read = await Promise.all([0, 1, 2].map(() => done([...consume, '--exit'])));
    assert.deepEqual(linesOf(read.join('')), ['shared-a-0', 'shared-a-1', 'shared-b-0', 'shared-b-1']);
  }
});

test('what a member cannot be told is refused with what to do instead', async () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['consume', 'x', '-g', 'g', '--from', '7'], /goes on where it has committed[^]*ottla groups reset-offsets/],
    [['consume', 'x', '-g', 'g', '-p', '0'], /divides partitions itself/],
    [['consume', '-g', 'g'], /No topic is named[^]*--include PATTERN/],
    [['consume', 'x', '-g', 'g', '--include', 'y'], /exclude each other/],
    [
      ['consume', 'x', '-g', 'g', '--assignor', 'sticky'],
      /"sticky" is no assignor\n {2}Known are range, roundrobin, cooperative-sticky/,
    ],
    [['consume', 'x', '-g', 'g', '--protocol', 'consumer', '--assignor', 'range,uniform'], /there is one assignor/],
    [['consume'], /No topic is named/],
    [['consume', '--include', 'x'], /--include is for a member of a group\n {2}Name the group with --group NAME/],
    [['consume', 'x', '--session-timeout', '9s'], /--session-timeout is for a member/],
    [['consume', 'x', '--no-commit'], /--no-commit is for a member/],
    [['consume', 'x', '-g', 'g', '--protocol', 'consumer', '--session-timeout', '9s'], /are for --protocol classic/],
    [['consume', '--include', '(', '-g', 'g'], /"\(" is not a regular expression/],
  ];
  for (const [args, expected] of cases) {
    const { exit, stderr } = await run(args);
    assert.notEqual(exit, 0, args.join(' '));
    assert.match(stderr, expected);
  }
  const missing = await run(['consume', 'nowhere', '-g', 'g']);
  assert.match(missing.stderr, /Topic "nowhere" does not exist/);
  const unknown = await run(['consume', 'shared-a', '-g', 'g', '--protocol', 'consumer', '--assignor', 'nonsense']);
  assert.match(unknown.stderr, /nonsense/i);
});
