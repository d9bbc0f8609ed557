import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/platform/system-clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { mapGroupsInTurns, mapInTurns, Turns, whenThere } from '../../src/base/turns.ts';

/** A clock on which each part takes as long as it says. */
function slowClock(): { clock: Clock; take: (ms: number) => void; deferred: () => number } {
  let now = 0;
  let deferrals = 0;
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    defer: (callback) => {
      deferrals++;
      systemClock.defer(callback);
    },
  };
  return { clock, take: (ms) => (now += ms), deferred: () => deferrals };
}

test('a request whose parts are answered quickly is answered at once', () => {
  const { clock, take } = slowClock();
  const results = mapInTurns(clock, [1, 2, 3], (part) => {
    take(3);
    return part * 2;
  });
  assert.deepEqual(results, [2, 4, 6]);
  assert.deepEqual(
    mapInTurns(clock, [], () => assert.fail('there is nothing')),
    [],
  );
});

test('a request with dear parts lets others have their turn after 10 ms, and keeps the order', async () => {
  const { clock, take, deferred } = slowClock();
  const done: number[] = [];
  const results = mapInTurns(clock, [1, 2, 3, 4, 5, 6, 7], (part) => {
    take(4);
    done.push(part);
    return part * 2;
  });
  assert.deepEqual([results instanceof Promise, done], [true, [1, 2, 3]]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(done, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await results, [2, 4, 6, 8, 10, 12, 14]);
  assert.equal(deferred(), 2);
});

test('a part that fails fails the request, in whatever turn', async () => {
  const { clock, take } = slowClock();
  const fail = (): never => {
    throw new Error('no');
  };
  assert.throws(() => mapInTurns(clock, [1], fail), /no/);
  const later = (part: number): void => {
    take(20);
    if (part === 2) fail();
  };
  await assert.rejects(async () => mapInTurns(clock, [1, 2, 3], later), /no/);
});

test('parts in groups come back by group, empty ones too', async () => {
  const groups = [{ parts: [1, 2] }, { parts: [] }, { parts: [3] }];
  for (const cost of [0, 15]) {
    const { clock, take } = slowClock();
    const results = mapGroupsInTurns(
      clock,
      groups,
      ({ parts }) => parts,
      (group, part) => {
        take(cost);
        return `${groups.indexOf(group)}:${part}`;
      },
    );
    assert.equal(results instanceof Promise, cost > 0);
    assert.deepEqual(await whenThere(results, (all) => all), [['0:1', '0:2'], [], ['2:3']]);
  }
});

test('a loop that looks at its turn lets others have theirs after 10 ms, and has another one', async () => {
  const { clock, take, deferred } = slowClock();
  const turns = new Turns(clock);
  take(9);
  assert.ok(!turns.isOver);
  take(1);
  assert.ok(turns.isOver);
  await turns.next();
  assert.equal(deferred(), 1);
  assert.ok(!turns.isOver);
});
