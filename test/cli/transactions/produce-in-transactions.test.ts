import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestNode, type TestNode } from '../../server/test-node.ts';
import { ottla, type Run } from '../captured-terminal.ts';

const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

let node: TestNode;
before(async () => {
  node = await startTestNode({ properties: { 'num.partitions': '1' } });
});
after(async () => {
  await node.stop();
});

const server = (): string => `127.0.0.1:${node.port}`;
const run = (args: readonly string[], input?: string): Promise<Run> => ottla([...args, '--bootstrap-server', server()], input);
const produce = (topic: string, input: string, ...rest: readonly string[]): Promise<Run> =>
  run(['produce', topic, '--transactional', `into-${topic}`, ...rest], input);

async function consumed(topic: string, isolation: string, ...rest: readonly string[]): Promise<string[]> {
  const { exit, stdout, stderr } = await run(['consume', topic, '--exit', '--isolation', isolation, ...rest]);
  assert.equal(exit, 0, stderr);
  return stdout.split('\n').slice(0, -1);
}

async function stateOf(id: string): Promise<string> {
  const { stdout } = await run(['transactions', 'describe', id, '--json']);
  return (JSON.parse(stdout) as { state: string }).state;
}

interface Line {
  readonly transaction?: string;
  readonly records?: number;
  readonly offset?: number;
}

const linesOf = ({ stdout }: Run): Line[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

test('all of the input is one transaction', async () => {
  const result = await produce('whole', 'a\nb\nc\n', '--json');
  assert.equal(result.exit, 0, result.stderr);
  assert.deepEqual(
    linesOf(result).map(({ transaction, records, offset }) => offset ?? `${transaction} ${records}`),
    [0, 1, 2, 'committed 3'],
  );
  assert.deepEqual(await consumed('whole', 'read_committed'), ['a', 'b', 'c']);
  assert.equal(await stateOf('into-whole'), 'CompleteCommit');
});

test('transactions of so many records follow each other, and the last has what is left', async () => {
  const result = await produce('parts', 'a\nb\nc\nd\ne\n', '--transaction-size', '2', '--json');
  assert.deepEqual(
    linesOf(result).flatMap(({ records }) => records ?? []),
    [2, 2, 1],
  );
  // A marker stands behind each transaction.
  assert.deepEqual(await consumed('parts', 'read_committed', '--format', '%o %s\\n'), ['0 a', '1 b', '3 c', '4 d', '6 e']);
});

test('an empty input is no transaction', async () => {
  const result = await produce('nothing', '');
  assert.equal(result.exit, 0, result.stderr);
  assert.equal(await stateOf('into-nothing'), 'Empty');
});

test('nothing of a transaction in which something is wrong can be read by who reads what is committed', async () => {
  const lines = '{"value":"a"}\n{"value":"b"}\n{"value":"c"}\nno record\n';
  const result = await produce('broken', lines, '--input', 'json', '--transaction-size', '2');
  assert.equal(result.exit, 1);
  assert.match(
    result.stderr,
    /^1 record aborted with the transaction\.\n2 records of broken committed before the failure\.\nerror: /,
  );
  assert.deepEqual(await consumed('broken', 'read_committed'), ['a', 'b']);
  await produce('broken', 'd\n');
  assert.deepEqual(await consumed('broken', 'read_committed'), ['a', 'b', 'd']);
});

test('what does not go together with transactions is refused', async () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['--transaction-size', '2'], /Transactions need an id\n {2}Name it with --transactional ID/],
    [['--transaction-duration', '1s'], /Transactions need an id/],
    [['--transactional', 'x', '--acks', '1'], /Transactions need --acks all/],
    [['--transactional', 'x', '--no-idempotence'], /exclude each other/],
    [['--transactional', ''], /is empty/],
    [['--transactional', 'x', '--transaction-size', '0'], /must be at least 1/],
  ];
  for (const [args, expected] of cases) {
    const { exit, stderr } = await run(['produce', 'refused', ...args], 'a\n');
    assert.equal(exit, 2, stderr);
    assert.match(stderr, expected);
  }
  const long = await produce('whole', 'x\n', '--transaction-timeout', '1h');
  assert.equal(long.exit, 1);
  assert.match(long.stderr, /transaction timeout is larger than the broker allows\.\n {2}.*transaction\.max\.timeout\.ms/);
});

/** A producer whose input stays open. */
function startProducer(topic: string, ...rest: readonly string[]) {
  const args = ['produce', topic, '--transactional', `into-${topic}`, '-b', server(), '--json', ...rest];
  const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const errors: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  return { child, errors, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

const ended = async (child: ReturnType<typeof spawn>): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
};

test('a transaction is committed after its time although no more input comes', async () => {
  const { child, lines } = startProducer('timed', '--transaction-duration', '200ms');
  child.stdin.write('a\n');
  await lines.next();
  const { value } = await lines.next();
  assert.deepEqual(JSON.parse(value ?? ''), { transaction: 'committed', records: 1 });
  assert.deepEqual(await consumed('timed', 'read_committed'), ['a']);
  child.stdin.end('b\n');
  assert.equal(await ended(child), 0);
  assert.deepEqual(await consumed('timed', 'read_committed'), ['a', 'b']);
});

test('an interrupted producer aborts its transaction although it waits for input', async () => {
  const { child, errors, lines } = startProducer('stopped');
  child.stdin.write('a\nb\n');
  await lines.next();
  await lines.next();
  assert.deepEqual(await consumed('stopped', 'read_uncommitted'), ['a', 'b']);
  child.kill('SIGINT');
  assert.equal(await ended(child), 1);
  assert.deepEqual(errors, ['2 records aborted with the transaction.', '{"error":{"code":"FAILED","message":"Interrupted"}}']);
  assert.deepEqual(await consumed('stopped', 'read_committed'), []);
  assert.equal(await stateOf('into-stopped'), 'CompleteAbort');
});

test('a producer whose id was taken over tells that, and what it sent is aborted', async () => {
  const { child, errors, lines } = startProducer('taken');
  child.stdin.write('a\n');
  await lines.next();
  const second = await produce('taken', 'b\n');
  assert.equal(second.exit, 0, second.stderr);
  // The input stays open, and what follows has no end yet.
  child.stdin.write('c\nnot yet a');
  assert.equal(await ended(child), 1);
  assert.match(
    errors.join('\n'),
    /^The transaction of 2 records was left to its coordinator: .*\n.*"code":"(INVALID_PRODUCER_EPOCH|PRODUCER_FENCED)"/,
  );
  assert.deepEqual(await consumed('taken', 'read_committed'), ['b']);
});

test('who takes over an id that nobody has is told so: it may be mistyped', async () => {
  await produce('ended', 'a\n');
  assert.deepEqual(await run(['transactions', 'force-terminate', 'into-ended']), { exit: 0, stdout: '', stderr: '' });
  const mistyped = await run(['transactions', 'force-terminate', 'into-eneded']);
  assert.deepEqual([mistyped.exit, mistyped.stdout], [0, '']);
  assert.match(mistyped.stderr, /^ {2}Nobody had into-eneded before; see which ids there are/);
});
