import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { ottla } from '../cli/captured-terminal.ts';
import { readGolden } from '../golden.ts';
import { startTestNode } from '../server/test-node.ts';
import { segmentBytes, type TwoBatchesGolden, writeTwoBatches } from './two-batches.ts';

test('E1: three records and two more are two batches of 119 and 93 bytes, and dump-log shows them as kafka-dump-log does', async (context) => {
  const golden = readGolden('two-batches.json.gz') as TwoBatchesGolden;
  const node = await startTestNode();
  context.after(() => node.stop());
  const path = await writeTwoBatches(node);

  const batches = [...batchesOf(readFileSync(path))];
  assert.deepEqual(
    batches.map(({ start, sizeInBytes, baseOffset, lastOffset, baseSequence, partitionLeaderEpoch }) => {
      return { start, sizeInBytes, baseOffset, lastOffset, baseSequence, partitionLeaderEpoch };
    }),
    [
      { start: 0, sizeInBytes: 119, baseOffset: 0, lastOffset: 2, baseSequence: 0, partitionLeaderEpoch: 0 },
      { start: 119, sizeInBytes: 93, baseOffset: 3, lastOffset: 4, baseSequence: 3, partitionLeaderEpoch: 0 },
    ],
  );
  assert.equal(segmentBytes(path), golden.segment);

  const { stdout } = await ottla(['dump-log', '--files', path, '--deep-iteration', '--print-data-log']);
  assert.equal(stdout.replaceAll(path, '<log>'), golden.stdout);
});
