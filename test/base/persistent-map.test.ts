import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PersistentMap } from '../../src/base/persistent-map.ts';

const operations = fc.array(fc.record({ key: fc.integer({ min: 0, max: 60 }), value: fc.integer(), remove: fc.boolean() }), {
  maxLength: 200,
});

test('a persistent map holds what a Map holds after any sequence of changes, in key order', () => {
  fc.assert(
    fc.property(operations, (steps) => {
      let map = PersistentMap.ofNumbers<number>();
      const model = new Map<number, number>();
      for (const { key, value, remove } of steps) {
        map = remove ? map.delete(key) : map.set(key, value);
        if (remove) model.delete(key);
        else model.set(key, value);
      }
      assert.deepEqual(
        [...map],
        [...model].sort((a, b) => a[0] - b[0]),
      );
      assert.equal(map.size, model.size);
      for (let key = 0; key <= 60; key++) assert.equal(map.get(key), model.get(key));
    }),
  );
});

test('an older version of a persistent map does not see later changes', () => {
  let map = PersistentMap.ofStrings<number>();
  for (let i = 0; i < 100; i++) map = map.set(`k${i}`, i);
  const before = map;
  const entriesBefore = [...before];
  for (let i = 0; i < 100; i += 2) map = map.delete(`k${i}`).set(`other${i}`, i);
  assert.deepEqual([...before], entriesBefore);
  assert.equal(map.size, 100);
});

test('iteration starts at the first key that is not smaller than the one asked for', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 100 })), fc.integer({ min: -1, max: 101 }), (keys, from) => {
      let map = PersistentMap.ofNumbers<null>();
      for (const key of keys) map = map.set(key, null);
      assert.deepEqual(
        [...map.keys(from)],
        keys.filter((key) => key >= from).sort((a, b) => a - b),
      );
    }),
  );
});

test('keys that come in order leave a tree that is logarithmic to search', () => {
  let comparisons = 0;
  let map = PersistentMap.empty<number, number>((a, b) => {
    comparisons++;
    return a - b;
  });
  for (let i = 0; i < 100_000; i++) map = map.set(i, i);
  comparisons = 0;
  for (let i = 0; i < 1000; i++) map.get(i * 100);
  assert.ok(comparisons < 1000 * 30, `${comparisons} comparisons for 1,000 lookups among 100,000 keys`);
});
