import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestNode, type TestNode } from '../../server/test-node.ts';
import { ottla, type Run } from '../captured-terminal.ts';

let node: TestNode;
before(async () => {
  node = await startTestNode();
  await run(['topics', 'create', 'orders', '-p', '2']);
  await run(['produce', 'orders', '-p', '1'], 'a\nb\nc\n');
  await run(['groups', 'reset-offsets', 'billing', '--topic', 'orders:1', '--to-offset', '1', '--execute']);
});
after(async () => {
  await node.stop();
});

const run = (args: readonly string[], input?: string): Promise<Run> =>
  ottla([...args, '--bootstrap-server', `127.0.0.1:${node.port}`], input);

async function json(args: readonly string[]): Promise<unknown> {
  const { exit, stdout, stderr } = await run([...args, '--json']);
  assert.equal(exit, 0, `${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as unknown;
}

test('a group is described with everything at once', async () => {
  const [group] = (await json(['groups', 'describe', 'billing'])) as Record<string, unknown>[];
  const { coordinator, ...rest } = group ?? {};
  assert.equal((coordinator as { id: number }).id, 1);
  assert.deepEqual(rest, {
    groupId: 'billing',
    type: 'Classic',
    state: 'Empty',
    assignor: '',
    groupEpoch: null,
    targetEpoch: null,
    members: [],
    partitions: [
      {
        topic: 'orders',
        partition: 1,
        committed: 1,
        leaderEpoch: -1,
        metadata: '',
        logStart: 0,
        lastStable: 3,
        highWatermark: 3,
        logEnd: 3,
        lag: 2,
        memberId: null,
      },
    ],
    findings: [{ code: 'no-members', text: 'The group has no members, and 2 records to read.', remedy: 'Start a consumer.' }],
  });
});

test('the positions of a partition stand side by side, and what holds the group up is said beside', async () => {
  const { stdout, stderr } = await run(['groups', 'describe', 'billing', '--positions']);
  assert.equal(
    stdout,
    [
      '',
      'GROUP    TOPIC   PARTITION  LOG START  COMMITTED  POSITION  LAST STABLE  HIGH WATERMARK  LOG END  LAG  OWNER',
      'billing  orders          1          0          1         -            3               3        3    2  -',
      '',
    ].join('\n'),
  );
  assert.match(
    stderr,
    /What holds up group 'billing':\n\* The group has no members, and 2 records to read\. Start a consumer\.\n/,
  );
});

test('lists, plans and deletions are there for programs', async () => {
  assert.deepEqual(await json(['groups', 'list']), [{ groupId: 'billing', protocolType: '', state: 'Empty', type: 'Classic' }]);
  assert.match(
    (await run(['groups', 'list', '--all-types'])).stdout,
    /^GROUP {16}TYPE {17}PROTOCOL {12}\nbilling {14}Classic {14} {20}\n$/,
  );
  assert.deepEqual(await json(['groups', 'reset-offsets', 'billing', '--all-topics', '--to-latest']), [
    { groupId: 'billing', topic: 'orders', partition: 1, offset: 3, isExecuted: false },
  ]);
  assert.deepEqual(await json(['groups', 'delete-offsets', 'billing', '--topic', 'orders:1']), [
    { topic: 'orders', partition: 1, deleted: true },
  ]);
  const { exit, stdout } = await run(['groups', 'delete', 'nobody', '--json']);
  assert.equal(exit, 1);
  assert.match(stdout, /^\[\{"groupId":"nobody","deleted":false,"error":"GROUP_ID_NOT_FOUND",/);
  const missing = await run(['groups', 'describe', 'nobody', '--json']);
  assert.equal(missing.exit, 1);
  assert.equal((JSON.parse(missing.stderr) as { error: { code: string } }).error.code, 'GROUP_ID_NOT_FOUND');
});
