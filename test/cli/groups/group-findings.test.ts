import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GroupDescription, MemberDescription } from '../../../src/client/admin-groups.ts';
import type { ClusterMetadata, PartitionFacts } from '../../../src/client/cluster-metadata.ts';
import type { TopicPartition } from '../../../src/client/topic-partition.ts';
import { findingsOf, stuckFindings } from '../../../src/cli/groups/group-findings.ts';
import type { GroupPartition, PartitionPositions } from '../../../src/cli/groups/group-snapshot.ts';

const facts = (partition: number, leader: number): PartitionFacts => ({
  partition,
  leader,
  leaderEpoch: 0,
  replicas: [1, 2],
  isr: [1],
  offlineReplicas: [],
  error: 'NONE',
});

/** Topic t has three partitions, the last of them without a leader. */
const partitions = [facts(0, 1), facts(1, 1), facts(2, -1)];
const metadata = {
  topic: (name: string) => (name === 't' ? { name, id: '', isInternal: false, partitions } : null),
  partition: (name: string, partition: number) => (name === 't' ? (partitions[partition] ?? null) : null),
} as ClusterMetadata;

const places = (...numbers: number[]): TopicPartition[] => numbers.map((partition) => ({ topic: 't', partition }));

const member = (memberId: string, rest: Partial<MemberDescription> = {}): MemberDescription => ({
  memberId,
  instanceId: null,
  rackId: null,
  clientId: `client-${memberId}`,
  host: '/10.0.0.1',
  epoch: 5,
  assignment: [],
  target: [],
  isUpgraded: null,
  topics: ['t'],
  topicPattern: null,
  ...rest,
});

const group = (
  state: string,
  members: readonly MemberDescription[] = [],
  rest: Partial<GroupDescription> = {},
): GroupDescription => ({
  groupId: 'g',
  type: 'Consumer',
  state,
  assignor: 'uniform',
  coordinator: { id: 1, host: 'b1', port: 9092 },
  groupEpoch: 5,
  targetEpoch: 5,
  members,
  ...rest,
});

const row = (offset: number | null, positions: Partial<PartitionPositions> = {}, topic = 't', partition = 0): GroupPartition => ({
  topic,
  partition,
  committed: offset === null ? null : { topic, partition, offset, leaderEpoch: -1, metadata: '' },
  positions: { logStart: 0, lastStable: 10, highWatermark: 10, logEnd: 10, ...positions },
  member: null,
});

const said = (description: GroupDescription, rows: readonly GroupPartition[] = []): string[] =>
  findingsOf({ group: description, partitions: rows }, metadata).map(({ code, text }) => `${code}: ${text}`);

test('a group that moves has nothing to be told', () => {
  const owner = member('a', { assignment: places(0, 1, 2), target: places(0, 1, 2) });
  assert.deepEqual(said(group('Stable', [owner]), [row(3), row(null)]), []);
  assert.deepEqual(said(group('Empty'), [row(10)]), []);
});

test('a group without members has records to read', () => {
  assert.deepEqual(said(group('Empty'), [row(3), row(null), row(10)]), [
    'no-members: The group has no members, and 7 records to read.',
  ]);
});

test('a classic rebalance waits for members, or for the one that divides', () => {
  const classic = { type: 'Classic', groupEpoch: null, targetEpoch: null } as const;
  const members = [member('a', { epoch: null, target: null }), member('b', { epoch: null, target: null })];
  assert.match(
    said(group('PreparingRebalance', members, classic))[0] ?? '',
    /^joining: The group waits for its 2 members to join again/,
  );
  assert.match(said(group('CompletingRebalance', members, classic))[0] ?? '', /^waiting-for-leader: All 2 members have joined/);
  assert.match(said(group('Assigning', members, { targetEpoch: 4 }))[0] ?? '', /^assigning: .* for epoch 5 yet; it is at 4/);
});

test('who has not given up is named, and who waits for that', () => {
  const holder = member('a', { epoch: 4, assignment: places(0, 1), target: places(0) });
  const waiting = member('b', { assignment: [], target: places(1) });
  assert.deepEqual(said(group('Reconciling', [holder, waiting])), [
    'revoking: Member a, client client-a at 10.0.0.1 has to give up t:1 and has not said so yet: it holds up b, client client-b at 10.0.0.1.',
  ]);
  assert.deepEqual(said(group('Reconciling', [member('c', { target: places(2), instanceId: 'fixed' })])), [
    'not-taken: Member fixed (c), client client-c at 10.0.0.1 has not taken t:2 yet, which nobody else holds.',
  ]);
  assert.deepEqual(said(group('Reconciling', [member('d', { epoch: 3 })])), [
    'behind: Member d, client client-d at 10.0.0.1 is at epoch 3, the group at 5.',
  ]);
});

test('partitions without an owner and members without a partition are counted', () => {
  const owner = member('a', { assignment: places(0), target: places(0), topics: ['t', 'missing'] });
  assert.deepEqual(said(group('Stable', [owner, member('b'), member('c')])), [
    'no-topic: The members subscribe to "missing", which does not exist.',
    'unowned: Nobody owns t:1,2.',
    'idle-members: 2 members of 3 have no partition: there are more members than partitions.',
  ]);
});

test('what is wrong with a partition itself is told with its numbers', () => {
  const stable = group('Stable');
  const cases: readonly (readonly [GroupPartition, string])[] = [
    [
      row(2, { logStart: 5 }),
      'expired: t-0: 3 records that the group had not read are deleted: it has committed 2, and the log starts at 5.',
    ],
    [
      row(9, { logStart: 10 }),
      'expired: t-0: 1 record that the group had not read is deleted: it has committed 9, and the log starts at 10.',
    ],
    [row(11), 'beyond-end: t-0: the group has committed 11, and the log ends at 10: records were lost, or the topic is another.'],
    [
      row(4, { lastStable: 4 }),
      'open-transaction: t-0: an open transaction holds readers of committed records at 4; 6 records behind it cannot be read.',
    ],
    [
      row(4, { logEnd: 12 }),
      'not-replicated: t-0: the in-sync replicas do not all have the last 2 records yet, so that nobody may read them.',
    ],
    [row(4, {}, 't', 2), 'no-leader: t-2 has no leader: nobody can read it.'],
    [row(4, {}, 'u', 0), 'gone: u-0 does not exist any more.'],
  ];
  for (const [partition, expected] of cases) assert.deepEqual(said(stable, [partition]), [expected]);
});

test('an owner that commits nothing between two looks is told, if it has something to read', () => {
  const owner = member('a', { assignment: places(0) });
  const snapshot = (...rows: readonly GroupPartition[]) => ({
    group: group('Stable', [owner]),
    partitions: rows.map((each) => ({ ...each, member: owner })),
  });
  const stuck = (before: GroupPartition, after: GroupPartition): string[] =>
    stuckFindings(snapshot(before), snapshot(after), 5000).map(({ text }) => text);
  assert.deepEqual(stuck(row(4), row(4)), [
    't-0: a, client client-a at 10.0.0.1 has committed nothing for 5 seconds, and 6 records wait.',
  ]);
  assert.deepEqual(stuck(row(null), row(null, { logStart: 9 })), [
    't-0: a, client client-a at 10.0.0.1 has committed nothing for 5 seconds, and 1 record waits.',
  ]);
  assert.deepEqual(stuck(row(4), row(5)), [], 'it moves');
  assert.deepEqual(stuck(row(10), row(10)), [], 'there is nothing to read');
  assert.deepEqual(stuckFindings(snapshot(row(4)), { group: group('Empty'), partitions: [row(4)] }, 5000), [], 'nobody owns it');
});
