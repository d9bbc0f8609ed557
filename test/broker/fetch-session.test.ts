import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { array, assert as assertProperty, boolean, nat, property, record } from 'fast-check';
import type { Metrics } from '../../src/base/metrics.ts';
import {
  openFetchContext,
  type FetchContext,
  type FetchResult,
  type FetchSessionRequest,
} from '../../src/broker/fetch-context.ts';
import { FetchSessionCache } from '../../src/broker/fetch-session-cache.ts';
import { FINAL_EPOCH, INITIAL_EPOCH, nextEpoch, type FetchPartition } from '../../src/broker/fetch-session.ts';
import { codeOf } from '../../src/protocol/errors.ts';

const NO_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

class Clock {
  time = 0;
  now = () => this.time;
  monotonic = () => this.time;
  schedule = () => ({ cancel: () => undefined });
  defer = () => undefined;
}

const cacheOf = (slots: number, partitionsMax?: number) => {
  const clock = new Clock();
  const gauges = new Map<string, () => number>();
  let evictions = 0;
  const metrics: Metrics = {
    gauge: (name, read) => void gauges.set(name.replace(/.*name=/, ''), read),
    counter: () => ({ add: (count) => void (evictions += count), value: 0 }),
    histogram: () => ({ record: () => undefined, count: 0 }),
    removeCounter: () => undefined,
  };
  let seed = 1;
  const random = {
    integer: (below: number) => (seed = (seed * 48_271) % 0x7fffffff) % below,
    bytes: (count: number) => new Uint8Array(count),
  };
  const cache = new FetchSessionCache(
    { clock, random, metrics },
    { slots, ...(partitionsMax === undefined ? {} : { partitionsMax }) },
  );
  return { cache, clock, gauge: (name: string) => gauges.get(name)?.(), evictions: () => evictions };
};

const partitionRequest = (partition: number, fetchOffset = 0) => ({
  partition,
  fetchOffset,
  currentLeaderEpoch: 0,
  lastFetchedEpoch: -1,
  logStartOffset: -1,
  partitionMaxBytes: 1024,
});

/** `wanted` is topic → partitions with their offsets. */
const requestOf = (
  [sessionId, sessionEpoch]: readonly [number, number],
  wanted: Record<string, Record<number, number>>,
  forgotten: Record<string, number[]> = {},
): FetchSessionRequest => ({
  sessionId,
  sessionEpoch,
  topics: Object.entries(wanted).map(([topic, partitions]) => ({
    topic,
    topicId: NO_ID,
    partitions: Object.entries(partitions).map(([partition, offset]) => partitionRequest(Number(partition), offset)),
  })),
  forgottenTopicsData: Object.entries(forgotten).map(([topic, partitions]) => ({ topic, topicId: NO_ID, partitions })),
});

const consumer = { isFollower: false, usesTopicIds: false };
const follower = { isFollower: true, usesTopicIds: false };

const quiet = (request: FetchPartition, changes: Partial<FetchResult> = {}): FetchResult => ({
  request,
  errorCode: 0,
  highWatermark: 0,
  logStartOffset: 0,
  recordsBytes: 0,
  preferredReadReplica: -1,
  isDiverging: false,
  ...changes,
});
const namesOf = (partitions: readonly FetchPartition[]) => partitions.map(({ topic, partition }) => `${topic}-${partition}`);
const answerAll = (context: FetchContext, changes: Record<string, Partial<FetchResult>> = {}) => {
  const answer = context.answer(
    context.partitions.map((request) => quiet(request, changes[`${request.topic}-${request.partition}`])),
  );
  return {
    errorCode: answer.errorCode,
    sessionId: answer.sessionId,
    told: namesOf(answer.results.map(({ request }) => request)),
  };
};

describe('A fetch session', () => {
  it('is made by a full fetch of epoch 0, continued by the epochs from 1, and closed by epoch -1', () => {
    const { cache, gauge } = cacheOf(10);
    const full = answerAll(openFetchContext(cache, requestOf([0, INITIAL_EPOCH], { a: { 0: 5, 1: 6 } }), consumer));
    assert.deepEqual([full.errorCode, full.told], [0, ['a-0', 'a-1']]);
    assert.notEqual(full.sessionId, 0);
    assert.deepEqual([gauge('NumIncrementalFetchSessions'), gauge('NumIncrementalFetchPartitionsCached')], [1, 2]);

    const next = openFetchContext(cache, requestOf([full.sessionId, 1], {}), consumer);
    assert.deepEqual(
      next.partitions.map(({ fetchOffset }) => fetchOffset),
      [5, 6],
    );
    assert.deepEqual(answerAll(next), { errorCode: 0, sessionId: full.sessionId, told: [] });

    const last = answerAll(openFetchContext(cache, requestOf([full.sessionId, FINAL_EPOCH], { a: { 0: 5 } }), consumer));
    assert.deepEqual(last, { errorCode: 0, sessionId: 0, told: ['a-0'] });
    assert.equal(cache.size, 0);
  });

  it('tells of a wrong id, a wrong epoch, and topic ids where names were agreed', () => {
    const { cache } = cacheOf(10);
    const { sessionId } = answerAll(openFetchContext(cache, requestOf([0, 0], { a: { 0: 0 } }), consumer));
    const errorOf = (session: readonly [number, number], from = consumer) => {
      const context = openFetchContext(cache, requestOf(session, {}), from);
      assert.deepEqual(answerAll(context), { errorCode: context.errorCode, sessionId: 0, told: [] });
      return context.errorCode;
    };
    assert.equal(errorOf([sessionId + 1, 1]), codeOf('FETCH_SESSION_ID_NOT_FOUND'));
    assert.equal(errorOf([sessionId, 2]), codeOf('INVALID_FETCH_SESSION_EPOCH'));
    assert.equal(errorOf([sessionId, 1], { isFollower: false, usesTopicIds: true }), codeOf('FETCH_SESSION_TOPIC_ID_ERROR'));
    assert.equal(answerAll(openFetchContext(cache, requestOf([sessionId, 1], {}), consumer)).errorCode, 0);
  });

  it('leaves a partition out of an incremental answer unless something about it is new', () => {
    const { cache } = cacheOf(10);
    const { sessionId } = answerAll(openFetchContext(cache, requestOf([0, 0], { a: { 0: 0, 1: 0 } }), consumer));
    let epoch = 1;
    const fetch = (changes: Record<string, Partial<FetchResult>>) =>
      answerAll(openFetchContext(cache, requestOf([sessionId, epoch++], {}), consumer), changes).told;
    assert.deepEqual(fetch({}), []);
    assert.deepEqual(fetch({ 'a-1': { highWatermark: 7 } }), ['a-1']);
    assert.deepEqual(fetch({ 'a-1': { highWatermark: 7 } }), []);
    assert.deepEqual(fetch({ 'a-1': { highWatermark: 7, logStartOffset: 3 } }), ['a-1']);
    const later = { highWatermark: 7, logStartOffset: 3 };
    assert.deepEqual(fetch({ 'a-0': { recordsBytes: 1 }, 'a-1': later }), ['a-0']);
    assert.deepEqual(fetch({ 'a-0': { preferredReadReplica: 2 }, 'a-1': later }), ['a-0']);
    assert.deepEqual(fetch({ 'a-0': { errorCode: 6, highWatermark: -1 }, 'a-1': later }), ['a-0']);
    assert.deepEqual(fetch({ 'a-1': later }), ['a-0'], 'what is told after an error is told although it is what it was before');
    assert.deepEqual(fetch({ 'a-0': { isDiverging: true }, 'a-1': later }), ['a-0']);
    assert.deepEqual(fetch({ 'a-1': later }), ['a-0']);
    assert.deepEqual(fetch({ 'a-1': later }), []);
  });

  it('serves next time what was not served this time first', () => {
    const { cache } = cacheOf(10);
    const { sessionId } = answerAll(openFetchContext(cache, requestOf([0, 0], { a: { 0: 0, 1: 0 }, b: { 0: 0 } }), consumer));
    const order = (epoch: number, served: string) => {
      const context = openFetchContext(cache, requestOf([sessionId, epoch], {}), consumer);
      answerAll(context, { [served]: { recordsBytes: 9 } });
      return namesOf(context.partitions);
    };
    assert.deepEqual(order(1, 'a-0'), ['a-0', 'a-1', 'b-0']);
    assert.deepEqual(order(2, 'a-1'), ['a-1', 'b-0', 'a-0']);
    assert.deepEqual(order(3, 'a-0'), ['b-0', 'a-0', 'a-1']);
    assert.deepEqual(order(4, 'b-0'), ['b-0', 'a-1', 'a-0']);
  });

  it('refuses the answer of a request that a later one of the same session overtook', () => {
    const { cache } = cacheOf(10);
    const { sessionId } = answerAll(openFetchContext(cache, requestOf([0, 0], { a: { 0: 0 } }), consumer));
    const slow = openFetchContext(cache, requestOf([sessionId, 1], {}), consumer);
    openFetchContext(cache, requestOf([sessionId, 2], {}), consumer);
    assert.deepEqual(answerAll(slow), { errorCode: codeOf('INVALID_FETCH_SESSION_EPOCH'), sessionId, told: [] });
  });

  it('ends when its last partition is forgotten', () => {
    const { cache } = cacheOf(10);
    const { sessionId } = answerAll(openFetchContext(cache, requestOf([0, 0], { a: { 0: 0 } }), consumer));
    const last = openFetchContext(cache, requestOf([sessionId, 1], {}, { a: [0] }), consumer);
    assert.deepEqual(answerAll(last), { errorCode: 0, sessionId: 0, told: [] });
    assert.equal(cache.size, 0);
  });

  it('counts its epochs from 1 again after the largest', () => {
    assert.deepEqual([0, 1, 0x7ffffffe, 0x7fffffff].map(nextEpoch), [1, 2, 0x7fffffff, 1]);
    assert.equal(nextEpoch(FINAL_EPOCH), FINAL_EPOCH);
  });

  it('always fetches what a full fetch of everything added and not forgotten would', () => {
    const change = record({ topic: nat(2), partition: nat(3), offset: nat(9), isForgotten: boolean() });
    assertProperty(
      property(array(array(change, { maxLength: 5 }), { maxLength: 12 }), (rounds) => {
        const { cache } = cacheOf(10);
        const model = new Map([['z-0', 0]]);
        const { sessionId } = answerAll(openFetchContext(cache, requestOf([0, 0], { z: { 0: 0 } }), consumer));
        rounds.forEach((changes, round) => {
          const wanted: Record<string, Record<number, number>> = {};
          const forgotten: Record<string, number[]> = {};
          for (const { topic, partition, offset, isForgotten } of changes) {
            if (isForgotten) (forgotten[`t${topic}`] ??= []).push(partition);
            else (wanted[`t${topic}`] ??= {})[partition] = offset;
          }
          for (const [topic, partitions] of Object.entries(wanted)) {
            for (const [partition, offset] of Object.entries(partitions)) model.set(`${topic}-${partition}`, offset);
          }
          for (const [topic, partitions] of Object.entries(forgotten)) {
            for (const partition of partitions) model.delete(`${topic}-${partition}`);
          }
          const context = openFetchContext(cache, requestOf([sessionId, round + 1], wanted, forgotten), consumer);
          answerAll(
            context,
            Object.fromEntries(context.partitions.map((entry) => [`${entry.topic}-${entry.partition}`, { recordsBytes: 1 }])),
          );
          const fetched = context.partitions.map((entry) => [`${entry.topic}-${entry.partition}`, entry.fetchOffset] as const);
          assert.deepEqual(new Map(fetched), model);
          assert.equal(cache.partitionsCount, model.size);
        });
      }),
    );
  });
});

describe('The cache of fetch sessions', () => {
  const open = (cache: FetchSessionCache, size: number, from = consumer) =>
    answerAll(
      openFetchContext(
        cache,
        requestOf([0, 0], { a: Object.fromEntries(Array.from({ length: size }, (_, index) => [index, 0])) }),
        from,
      ),
    ).sessionId;

  it('gives no session when all slots are taken by young ones', () => {
    const { cache, evictions } = cacheOf(2);
    assert.ok(open(cache, 1) !== 0 && open(cache, 1) !== 0);
    assert.equal(open(cache, 5), 0);
    assert.equal(evictions(), 0);
  });

  it('evicts the session that lies idle for longer than two minutes, not one that is used', () => {
    const { cache, clock, evictions } = cacheOf(2);
    const used = open(cache, 9);
    const idle = open(cache, 9);
    clock.time = 100_000;
    answerAll(openFetchContext(cache, requestOf([used, 1], {}), consumer));
    clock.time = 120_001;
    const third = open(cache, 1);
    assert.deepEqual([cache.get(used)?.id, cache.get(idle), cache.get(third)?.id], [used, undefined, third]);
    assert.equal(evictions(), 1);
  });

  it('evicts an old smaller session for a larger one, never for an equal one', () => {
    const { cache, clock } = cacheOf(2);
    const [small, large] = [open(cache, 2), open(cache, 4)];
    clock.time = 60_000;
    for (const id of [small, large]) answerAll(openFetchContext(cache, requestOf([id, 1], {}), consumer));
    clock.time = 130_000;
    assert.equal(open(cache, 2), 0);
    assert.notEqual(open(cache, 3), 0);
    assert.equal(cache.get(small), undefined);
    assert.equal(cache.get(large)?.id, large);
  });

  it("evicts a consumer's young session for a follower, and a follower's for nobody", () => {
    const { cache } = cacheOf(2);
    const [mine, theirs] = [open(cache, 1, follower), open(cache, 1, consumer)];
    assert.notEqual(open(cache, 1, follower), 0);
    assert.equal(cache.get(theirs), undefined);
    assert.equal(cache.get(mine)?.id, mine);
    assert.equal(open(cache, 100, consumer), 0);
    assert.equal(open(cache, 100, follower), 0);
  });

  it('holds no more partitions than there is room for, whatever sessions they belong to', () => {
    const { cache, clock, gauge, evictions } = cacheOf(10, 5);
    const open = (count: number) => {
      const wanted = { a: Object.fromEntries(Array.from({ length: count }, (_, index) => [index, 0])) };
      return answerAll(openFetchContext(cache, requestOf([0, 0], wanted), consumer));
    };
    const { sessionId } = open(3);
    assert.deepEqual([open(3).sessionId, open(3).told.length, open(6).sessionId], [0, 3, 0]);
    assert.equal(answerAll(openFetchContext(cache, requestOf([sessionId, 1], { b: { 0: 0, 1: 0 } }), consumer)).errorCode, 0);
    assert.deepEqual([gauge('NumIncrementalFetchPartitionsCached'), open(1).sessionId], [5, 0]);
    // What outgrows the room ends: its client starts anew, and is told of everything each time.
    const grown = openFetchContext(cache, requestOf([sessionId, 2], { c: { 0: 0 } }), consumer);
    assert.equal(answerAll(grown).errorCode, codeOf('FETCH_SESSION_ID_NOT_FOUND'));
    assert.deepEqual([cache.size, gauge('NumIncrementalFetchPartitionsCached')], [0, 0]);
    // Idle ones make room, as many as are needed.
    for (const count of [2, 2]) assert.notEqual(open(count).sessionId, 0);
    clock.time += 120_001;
    assert.notEqual(open(5).sessionId, 0);
    assert.deepEqual([cache.size, evictions()], [1, 2]);
  });

  it('makes no session without slots', () => {
    const { cache } = cacheOf(0);
    assert.equal(open(cache, 1), 0);
  });
});
