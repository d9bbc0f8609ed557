import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FetchSession, type PartitionRequest } from '../../src/client/fetch-session.ts';

const wish = (partition: number, fetchOffset = 0, topicId = 'AAAAAAAAAAAAAAAAAAAAAg'): PartitionRequest => ({
  topic: 'orders',
  topicId,
  partition,
  fetchOffset,
  currentLeaderEpoch: 0,
  maxBytes: 1000,
});

const named = (part: ReturnType<FetchSession['next']>): number[] =>
  part.topics.flatMap((topic) => topic.partitions.map(({ partition }) => partition));
const forgotten = (part: ReturnType<FetchSession['next']>): number[] =>
  (part.forgottenTopicsData ?? []).flatMap((topic) => [...topic.partitions]);

test('a session opens with everything and then names only what changed', () => {
  const session = new FetchSession();
  const first = session.next([wish(0), wish(1)]);
  assert.deepEqual([first.sessionId, first.sessionEpoch, named(first)], [0, 0, [0, 1]]);
  session.succeeded(77);
  const second = session.next([wish(0), wish(1, 5)]);
  assert.deepEqual([second.sessionId, second.sessionEpoch, named(second)], [77, 1, [1]]);
  session.succeeded(77);
  const third = session.next([wish(0), wish(1, 5)]);
  assert.deepEqual([third.sessionEpoch, named(third), forgotten(third)], [2, [], []]);
});

test('what is not wanted any more is forgotten, and so is a topic that was made anew', () => {
  const session = new FetchSession();
  session.next([wish(0), wish(1)]);
  session.succeeded(7);
  const next = session.next([wish(1, 0, 'AAAAAAAAAAAAAAAAAAAAAw')]);
  assert.deepEqual(
    forgotten(next).toSorted((a, b) => a - b),
    [0, 1],
  );
  assert.deepEqual(named(next), [1]);
});

test('a broker that keeps no session gets full requests', () => {
  const session = new FetchSession();
  session.next([wish(0)]);
  session.succeeded(0);
  const next = session.next([wish(0)]);
  assert.deepEqual([next.sessionId, next.sessionEpoch, named(next)], [0, 0, [0]]);
});

test('after an error the session begins again, closing the old one where the broker has it', () => {
  const session = new FetchSession();
  session.next([wish(0)]);
  session.succeeded(7);
  session.reset(true);
  const closing = session.next([wish(0)]);
  assert.deepEqual([closing.sessionId, closing.sessionEpoch, named(closing)], [7, 0, [0]]);
  session.succeeded(8);
  assert.equal(session.next([wish(0)]).sessionId, 8);
  session.reset();
  assert.equal(session.next([wish(0)]).sessionId, 0);
});

test('a session can be ended, if there is one', () => {
  const session = new FetchSession();
  assert.equal(session.final(), null);
  session.next([wish(0)]);
  session.succeeded(7);
  assert.deepEqual(session.final(), { sessionId: 7, sessionEpoch: -1, topics: [], forgottenTopicsData: [] });
});
