import assert from 'node:assert/strict';
import { test } from 'node:test';
import { javaHashCode } from '../../../../src/base/bytes/murmur2.ts';
import { JavaHashMap } from '../../../../src/coordinator/group/assignors/java-hash-map.ts';

/** Texts of as many times two characters, all with the same hash code. */
const colliding = (pairs: number): string[] =>
  Array.from({ length: 2 ** pairs }, (_, number) =>
    Array.from({ length: pairs }, (_pair, bit) => ((number >> bit) & 1 ? 'Aa' : 'BB')).join(''),
  );

test('Keys of one hash code stay in order, are found, replaced and deleted', () => {
  const map = new JavaHashMap<string, number>(javaHashCode);
  const keys = colliding(15);
  for (const [index, key] of keys.entries()) map.set(key, index);
  assert.equal(map.size, keys.length);
  assert.deepEqual(map.keys(), keys);
  map.set('BB'.repeat(15), -1);
  assert.deepEqual([map.get('BB'.repeat(15)), map.get('Aa'.repeat(15)), map.size], [-1, keys.length - 1, keys.length]);
  assert.ok(map.delete('BB'.repeat(15)));
  assert.deepEqual([map.get('BB'.repeat(15)), map.size], [undefined, keys.length - 1]);
  assert.equal(
    map.getOrMake('BB'.repeat(15), () => 7),
    7,
  );
  assert.equal(
    map.getOrMake('BB'.repeat(15), () => 8),
    7,
  );
  assert.equal(map.keys()[0], 'BB'.repeat(15));
});
