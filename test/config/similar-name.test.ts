import assert from 'node:assert/strict';
import { test } from 'node:test';
import { similarName } from '../../src/config/similar-name.ts';

const known = ['num.partitions', 'log.dir', 'log.dirs', 'node.id'];

test('a name with a letter or two wrong is taken for the one that it is nearest to', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['num.partitons', 'num.partitions'],
    ['num.partitionss', 'num.partitions'],
    ['nmu.partitiosn', 'num.partitions'],
    ['num-partition', 'num.partitions'],
    ['lgo.dirs', 'log.dirs'],
    ['log.dir_', 'log.dir'],
    ['number.of.partitions', null],
    ['retention', null],
    ['', null],
  ];
  for (const [written, meant] of cases) assert.equal(similarName(written, known), meant, written);
});
