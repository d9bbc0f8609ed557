import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODECS } from '../../src/protocol/compression/index.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { nodeZlibStreams } from '../../src/platform/node-zlib-streams.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { LargeSearch, searchAhead, searchBatch } from '../../src/storage/large-search.ts';

const NOW = 1_790_000_000_000;
const ports = { clock: systemClock, zlib: nodeZlibStreams };

test('a large batch is searched ahead, and what is found is what a search at once finds', async () => {
  const records = Array.from({ length: 20_000 }, (_, index) => ({
    timestamp: NOW + Math.floor(index / 7) * 10,
    value: Buffer.from(`value ${index}`.repeat(5)),
  }));
  for (const codec of CODECS) {
    for (const logAppendTime of [null, NOW + 5]) {
      const bytes = buildBatch({ records, codec, baseOffset: 500, ...(logAppendTime === null ? {} : { logAppendTime }) });
      const batch = new RecordBatch(bytes);
      for (const [timestamp, orLater] of [
        [NOW, true],
        [NOW + 5, false],
        [NOW + 14_001, true],
        [NOW + 28_570, false],
        [NOW + 14_001, false],
        [NOW + 9_000_000, true],
      ] as const) {
        const wanted = { timestamp, orLater, offset: 502 };
        const expected = searchBatch(batch, wanted);
        let thrown: unknown;
        try {
          assert.deepEqual(searchBatch(batch, wanted, new Map()), expected, 'found before it was too much');
        } catch (error) {
          thrown = error;
        }
        if (thrown === undefined) continue;
        assert.ok(thrown instanceof LargeSearch);
        const found = await searchAhead(thrown, ports);
        assert.deepEqual(found, expected, `${codec} ${timestamp}`);
        assert.deepEqual(searchBatch(batch, wanted, new Map([[500, found]])), expected);
      }
    }
  }
});

test('a small batch is searched at once', () => {
  const batch = new RecordBatch(buildBatch({ records: [{ timestamp: NOW }, { timestamp: NOW + 1 }], codec: 'gzip' }));
  const found = searchBatch(batch, { timestamp: NOW + 1, orLater: true, offset: 0 }, new Map());
  assert.deepEqual(found, { offset: 1, timestamp: NOW + 1, leaderEpoch: null });
});
