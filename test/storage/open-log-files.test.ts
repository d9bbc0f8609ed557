import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenLogFiles } from '../../src/storage/open-log-files.ts';

test('the file that was opened first lets go when another one is opened beyond the limit', () => {
  const files = new OpenLogFiles(2);
  const released: string[] = [];
  const file = (name: string) => ({
    releaseHandle(): void {
      released.push(name);
      files.released(this);
    },
  });
  const [a, b, c, d] = [file('a'), file('b'), file('c'), file('d')];
  for (const each of [a, b, c]) files.opening(each);
  assert.deepEqual([released, files.count], [['a'], 2]);
  files.released(b);
  files.opening(d);
  assert.deepEqual([released, files.count], [['a'], 2]);
  files.opening(a);
  assert.deepEqual([released, files.count], [['a', 'c'], 2]);
});
