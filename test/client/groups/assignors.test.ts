import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { MemberSubscription } from '../../../src/client/groups/assignors/assignor.ts';
import { classicAssignorNames, classicAssignors } from '../../../src/client/groups/assignors/index.ts';
import { keyOf, partitionsByTopic, type TopicPartition } from '../../../src/client/topic-partition.ts';

const member = (memberId: string, topics: readonly string[], rest: Partial<MemberSubscription> = {}): MemberSubscription => ({
  memberId,
  instanceId: null,
  topics,
  owned: [],
  generation: -1,
  ...rest,
});

const places = (topic: string, ...partitions: number[]): TopicPartition[] =>
  partitions.map((partition) => ({ topic, partition }));

/** `t:0,1;u:3`. */
const textOf = (ofMember: readonly TopicPartition[]): string =>
  [...partitionsByTopic(ofMember)].map(([topic, partitions]) => `${topic}:${partitions.join()}`).join(';');

function assigned(
  name: (typeof classicAssignorNames)[number],
  members: readonly MemberSubscription[],
  counts: Readonly<Record<string, number>>,
): Record<string, string> {
  const assignments = classicAssignors[name].assign(members, new Map(Object.entries(counts)));
  return Object.fromEntries([...assignments].map(([id, ofMember]) => [id, textOf(ofMember)]));
}

test('range gives neighbours, the larger shares to the first, topic by topic', () => {
  const both = [member('b', ['t', 'u']), member('a', ['t', 'u'])];
  assert.deepEqual(assigned('range', both, { t: 3, u: 4 }), { a: 't:0,1;u:0,1', b: 't:2;u:2,3' });
  assert.deepEqual(assigned('range', [member('a', ['t']), member('b', ['u']), member('c', ['t'])], { t: 1, u: 2 }), {
    a: 't:0',
    b: 'u:0,1',
    c: '',
  });
  assert.deepEqual(assigned('range', [member('a', ['none'])], {}), { a: '' });
});

test('static members come first, in order of their instances', () => {
  const members = [member('a', ['t']), member('z', ['t'], { instanceId: 'second' }), member('y', ['t'], { instanceId: 'first' })];
  assert.deepEqual(assigned('range', members, { t: 3 }), { y: 't:0', z: 't:1', a: 't:2' });
});

test('round robin deals out all partitions, past members that do not want a topic', () => {
  assert.deepEqual(assigned('roundrobin', [member('a', ['t', 'u']), member('b', ['t', 'u'])], { t: 3, u: 3 }), {
    a: 't:0,2;u:1',
    b: 't:1;u:0,2',
  });
  assert.deepEqual(assigned('roundrobin', [member('a', ['t']), member('b', ['t', 'u']), member('c', ['u'])], { t: 2, u: 2 }), {
    a: 't:0',
    b: 't:1;u:1',
    c: 'u:0',
  });
});

test('cooperative-sticky lets a partition move only after its owner has let go of it', () => {
  const owner = member('a', ['t'], { owned: places('t', 0, 1, 2, 3), generation: 4 });
  assert.deepEqual(assigned('cooperative-sticky', [owner, member('b', ['t'])], { t: 4 }), { a: 't:0,1', b: '' });
  const after = member('a', ['t'], { owned: places('t', 0, 1), generation: 5 });
  assert.deepEqual(assigned('cooperative-sticky', [after, member('b', ['t'])], { t: 4 }), { a: 't:0,1', b: 't:2,3' });
});

test('who claims a partition with an older generation does not keep it', () => {
  const stale = member('a', ['t'], { owned: places('t', 0, 1), generation: 1 });
  const current = member('b', ['t'], { owned: places('t', 0, 1), generation: 2 });
  const assignment = assigned('cooperative-sticky', [stale, current], { t: 2 });
  assert.equal(assignment['a'], '', 'the other one still holds both');
});

/** When all members want all topics it takes two. */
const ROUNDS_MAX = 5;

/** Members with topics among three, and how many partitions those have. */
const groups = fc.record({
  members: fc.uniqueArray(
    fc.record({ id: fc.nat(1000), topics: fc.uniqueArray(fc.constantFrom('t', 'u', 'v'), { minLength: 1 }) }),
    {
      minLength: 1,
      maxLength: 8,
      selector: ({ id }) => id,
    },
  ),
  counts: fc.record({ t: fc.nat(9), u: fc.nat(9), v: fc.nat(9) }),
});

test('every assignor gives each partition that somebody wants to one member that wants it', () => {
  fc.assert(
    fc.property(groups, fc.constantFrom(...classicAssignorNames), ({ members, counts }, name) => {
      const subscriptions = members.map(({ id, topics }) => member(`m${id}`, topics));
      const assignments = classicAssignors[name].assign(subscriptions, new Map(Object.entries(counts)));
      const given = [...assignments.values()].flat();
      const wanted = new Set<string>(members.flatMap(({ topics }) => topics));
      const expected = Object.entries(counts).reduce((sum, [topic, count]) => sum + (wanted.has(topic) ? count : 0), 0);
      assert.equal(given.length, expected);
      assert.equal(new Set(given.map(keyOf)).size, expected);
      for (const { memberId, topics } of subscriptions) {
        for (const { topic } of assignments.get(memberId) ?? []) assert.ok(topics.includes(topic));
      }
    }),
  );
});

test('cooperative-sticky becomes fair in a few rounds, whoever came or went, and never has two owners in between', () => {
  fc.assert(
    fc.property(groups, fc.array(fc.nat(1000), { maxLength: 4 }), ({ members, counts }, newcomers) => {
      const assignor = classicAssignors['cooperative-sticky'];
      const partitions = new Map(Object.entries(counts));
      let group = members.map(({ id, topics }) => member(`m${id}`, topics));
      const round = (generation: number): void => {
        const before = new Map(group.flatMap(({ memberId, owned }) => owned.map((place) => [keyOf(place), memberId])));
        const assignments = assignor.assign(group, partitions);
        for (const [memberId, ofMember] of assignments) {
          for (const place of ofMember) assert.equal(before.get(keyOf(place)) ?? memberId, memberId, 'it was free');
        }
        group = group.map((each) => ({ ...each, owned: assignments.get(each.memberId) ?? [], generation }));
      };
      round(1);
      group = [...group.slice(1), ...newcomers.map((id) => member(`n${id}`, ['t', 'u', 'v']))];
      group = [...new Map(group.map((each) => [each.memberId, each])).values()];
      const wanted = new Set(group.flatMap(({ topics }) => topics));
      const expected = [...partitions].reduce((sum, [topic, count]) => sum + (wanted.has(topic) ? count : 0), 0);
      let rounds = 1;
      do round(++rounds);
      while (group.flatMap(({ owned }) => owned).length < expected && rounds < ROUNDS_MAX);
      assert.equal(group.flatMap(({ owned }) => owned).length, expected);
      for (const rich of group) {
        for (const { topic } of rich.owned) {
          const poorest = Math.min(...group.filter(({ topics }) => topics.includes(topic)).map(({ owned }) => owned.length));
          assert.ok(rich.owned.length - poorest <= 1, 'nobody could give to a poorer one');
        }
      }
    }),
  );
});
