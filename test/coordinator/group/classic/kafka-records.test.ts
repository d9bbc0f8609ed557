import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClassicGroup } from '../../../../src/coordinator/group/classic/classic-group.ts';
import { groupMetadataRecord } from '../../../../src/coordinator/group/classic/classic-group-records.ts';
import {
  groupRecord,
  groupRecordSerde,
  groupTombstone,
  type GroupRecordValue,
} from '../../../../src/coordinator/group/group-record.ts';
import { readGolden } from '../../../golden.ts';
import { ClassicWorld } from './classic-world.ts';

interface JsonRecord {
  readonly type?: string;
  readonly valueVersion?: number;
  readonly key?: { readonly group: string };
  readonly value?: JsonValue | null;
}

type JsonValue = Omit<GroupRecordValue<'GroupMetadata'>, 'members'> & {
  readonly members: readonly (Omit<GroupRecordValue<'GroupMetadata'>['members'][number], 'subscription' | 'assignment'> & {
    readonly subscription: string;
    readonly assignment: string;
  })[];
};

const { partitions } = readGolden('disk/groups.expected.json.gz') as {
  readonly partitions: Readonly<Record<string, { readonly records?: readonly JsonRecord[] }>>;
};

const written = Object.values(partitions)
  .flatMap(({ records = [] }) => records)
  .filter(({ type }) => type === 'GroupMetadata');

test('Every classic group that Apache Kafka 4.4.0 wrote is read, and written again as it was', async () => {
  const world = await ClassicWorld.start();
  let read = 0;
  for (const { key, value: json, valueVersion } of written) {
    const groupId = key?.group ?? '';
    if (json === null || json === undefined) {
      world.shard.classic.replay(tombstone(groupId));
      assert.equal(world.shard.groups.get(groupId), undefined);
      continue;
    }
    const record = groupRecord('GroupMetadata', { group: groupId }, { version: valueVersion ?? -1, value: valueOf(json) });
    world.shard.classic.replay(asGroupMetadata(record));
    const group = world.shard.groups.get(groupId);
    assert.ok(group instanceof ClassicGroup);
    const assignments = new Map(Array.from(group.members(), ({ memberId, assignment }) => [memberId, assignment]));
    const again = groupMetadataRecord(group, assignments);
    assert.deepEqual(groupRecordSerde.encode(again), groupRecordSerde.encode(record));
    assert.equal(group.state, json.members.length === 0 ? 'Empty' : 'Stable');
    if (json.members.length > 0) assert.ok((group.subscribedTopics?.size ?? 0) > 0, 'the topics of its members are known');
    read++;
  }
  assert.ok(read > 10, `${read} records`);
});

const valueOf = ({ members, ...value }: JsonValue): GroupRecordValue<'GroupMetadata'> => ({
  ...value,
  members: members.map(({ subscription, assignment, ...member }) => ({
    ...member,
    subscription: Buffer.from(subscription, 'base64'),
    assignment: Buffer.from(assignment, 'base64'),
  })),
});

const asGroupMetadata = (record: ReturnType<typeof groupRecord>) =>
  record.type === 'GroupMetadata' ? record : assert.fail('it is a classic group');

const tombstone = (groupId: string) => asGroupMetadata(groupTombstone('GroupMetadata', { group: groupId }));
