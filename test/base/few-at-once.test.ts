import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FewAtOnce } from '../../src/base/few-at-once.ts';

test('two tasks run at a time, the others in order, also after one that failed', async () => {
  const few = new FewAtOnce(2);
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const results = [0, 1, 2, 3].map((number) =>
    few.run(() => {
      begun.push(number);
      return new Promise<number>((resolve, reject) => {
        ends[number] = (error) => (error === undefined ? resolve(number) : reject(error));
      });
    }),
  );
  const settled = Promise.allSettled(results);
  assert.deepEqual(begun, [0, 1]);
  ends[1]?.(new Error('no'));
  await assert.rejects(async () => results[1], /no/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(begun, [0, 1, 2]);
  ends[2]?.();
  await results[2];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(begun, [0, 1, 2, 3]);
  ends[0]?.();
  ends[3]?.();
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
});
