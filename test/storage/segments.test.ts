import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { append, bytesOf, DIRECTORY, openTestLog, testBatch } from './test-log.ts';

const all = { maxBytes: 10_000_000, upTo: 'log-end', minOneBatch: true } as const;
const nameOf = (offset: number, suffix: string): string => `${DIRECTORY}/${String(offset).padStart(20, '0')}${suffix}`;

describe('looking for a time', () => {
  const timestamp = fc.oneof(fc.integer({ min: -1, max: 40 }), fc.constantFrom(2 ** 31, 2 ** 53 - 1));

  test('finds the first record at or behind the log start that is not earlier, as a scan does', () => {
    fc.assert(
      fc.property(fc.array(timestamp, { minLength: 1, maxLength: 60 }), timestamp, fc.nat(20), (timestamps, wanted, start) => {
        const { log } = openTestLog({ config: { segmentBytes: 700, indexIntervalBytes: 150, segmentMs: Infinity } });
        for (const at of timestamps) {
          log.appendAsLeader(testBatch({ timestamp: at }), { leaderEpoch: 2, origin: 'raft', now: 0 });
        }
        log.updateHighWatermark(timestamps.length);
        log.maybeIncrementLogStartOffset(start);
        const { logStartOffset } = log;
        if (wanted >= 0) {
          const offset = timestamps.findIndex((at, index) => index >= logStartOffset && at >= wanted);
          const expected = offset < 0 ? null : { offset, timestamp: timestamps[offset], leaderEpoch: 2 };
          assert.deepEqual(log.offsetForTimestamp(wanted), expected);
        }
        const largest = Math.max(...timestamps);
        const expected = largest < 0 ? null : timestamps.indexOf(largest);
        assert.equal(log.offsetOfMaxTimestamp()?.offset ?? null, expected);
      }),
    );
  });
});

describe('an index that is wrong or missing after a clean stop', () => {
  const damages: Readonly<Record<string, (size: number) => Buffer | null>> = {
    missing: () => null,
    garbage: (size) => Buffer.from(Array.from({ length: size }, (_, at) => (at * 37 + 11) % 251)),
    'cut in the middle of an entry': (size) => Buffer.alloc(size - 3, 1),
    empty: () => Buffer.alloc(0),
    'of zeros': (size) => Buffer.alloc(size),
  };
  for (const suffix of ['.index', '.timeindex']) {
    for (const [kind, damage] of Object.entries(damages)) {
      test(`${suffix} ${kind}: everything is found all the same`, async () => {
        const { log, disk } = openTestLog({ config: { segmentBytes: 2_000, indexIntervalBytes: 100 } });
        for (let index = 0; index < 60; index++) append(log, { timestamp: 1_000 + index });
        const content = bytesOf(log.read(0, all)).length;
        await log.close({ flush: true });
        const offsets = disk.list(DIRECTORY).flatMap(({ name }) => (name.endsWith('.log') ? [Number.parseInt(name, 10)] : []));
        assert.ok(offsets.length > 2);
        for (const offset of offsets) {
          const bytes = damage(disk.contents(nameOf(offset, suffix)).length);
          if (bytes === null) disk.remove(nameOf(offset, suffix));
          else disk.put(nameOf(offset, suffix), bytes);
        }
        const again = openTestLog({ disk, config: { segmentBytes: 2_000, indexIntervalBytes: 100 } }).log;
        assert.equal(again.logEndOffset, 60);
        assert.equal(bytesOf(again.read(0, all)).length, content);
        for (let offset = 0; offset < 60; offset++) {
          const [first] = [...batchesOf(bytesOf(again.read(offset, { ...all, maxBytes: 1 })))];
          assert.equal(first?.baseOffset, offset);
          assert.equal(again.offsetForTimestamp(1_000 + offset)?.offset, offset);
        }
      });
    }
  }
});

describe('what a cleaner was in the middle of', () => {
  const filled = async () => {
    const { log, disk } = openTestLog({ config: { segmentBytes: 300 } });
    for (let index = 0; index < 9; index++) append(log);
    await log.close({ flush: true });
    return disk;
  };
  const logs = (disk: Awaited<ReturnType<typeof filled>>): string[] =>
    disk.list(DIRECTORY).flatMap(({ name }) => (/\.(log|cleaned|swap|deleted|tmp)/.test(name) ? [name] : []));

  test('is dropped if it was not finished, swaps of the same work too', async () => {
    const disk = await filled();
    const before = logs(disk);
    const bytes = disk.contents(nameOf(0, '.log'));
    disk.put(nameOf(0, '.log.cleaned'), bytes.subarray(0, 40));
    disk.put(nameOf(3, '.log.swap'), bytes.subarray(0, 50));
    disk.put(nameOf(3, '.log.deleted'), bytes);
    disk.put(`${DIRECTORY}/leader-epoch-checkpoint.tmp`, Buffer.from('0'));
    const { log } = openTestLog({ disk });
    assert.deepEqual(logs(disk), before);
    assert.equal(log.logEndOffset, 9);
  });

  test('takes the place of all segments it was made from if it was finished', async () => {
    const disk = await filled();
    // Offsets 1 and 4 of the first two segments are what compaction has kept.
    const kept = [...batchesOf(Buffer.concat([disk.contents(nameOf(0, '.log')), disk.contents(nameOf(3, '.log'))]))]
      .filter((batch) => batch.baseOffset === 1 || batch.baseOffset === 5)
      .map((batch) => batch.view());
    disk.put(nameOf(0, '.log.swap'), Buffer.concat(kept));
    disk.put(nameOf(0, '.index.swap'), Buffer.alloc(0));
    disk.put(nameOf(0, '.timeindex.swap'), Buffer.alloc(0));
    const { log } = openTestLog({ disk });
    assert.deepEqual(logs(disk), ['00000000000000000000.log', '00000000000000000006.log']);
    assert.deepEqual(
      [0, 6].flatMap((from) => [...batchesOf(bytesOf(log.read(from, all)))].map((batch) => batch.baseOffset)),
      [1, 5, 6, 7, 8],
    );
  });
});

describe('a log that is older than message format 2', () => {
  /** A message of format 1, as brokers wrote it before Kafka 0.11. */
  const message = (offset: number, timestamp: number): Buffer => {
    const value = Buffer.from(`old-${offset}`);
    const bytes = Buffer.alloc(34 + value.length);
    bytes.writeBigInt64BE(BigInt(offset), 0);
    bytes.writeInt32BE(bytes.length - 12, 8);
    bytes[16] = 1;
    bytes.writeBigInt64BE(BigInt(timestamp), 18);
    bytes.writeInt32BE(-1, 26);
    bytes.writeInt32BE(value.length, 30);
    value.copy(bytes, 34);
    bytes.writeUInt32BE(crc32(bytes.subarray(16)), 12);
    return bytes;
  };

  for (const hadCleanShutdown of [true, false]) {
    test(`is read and goes on, after ${hadCleanShutdown ? 'a clean stop' : 'a crash'}`, () => {
      const { disk, log: first } = openTestLog();
      void first.abandon();
      const old = Array.from({ length: 50 }, (_, offset) => message(offset, 1_000 + offset));
      disk.put(nameOf(0, '.log'), Buffer.concat(old));
      const { log } = openTestLog({ disk, hadCleanShutdown });
      assert.equal(log.logEndOffset, 50);
      assert.equal(append(log).firstOffset, 50);
      const batches = [...batchesOf(bytesOf(log.read(0, all)))];
      assert.deepEqual(
        batches.map((batch) => [batch.magic, batch.baseOffset]),
        [...old.map((_, offset) => [1, offset]), [2, 50]],
      );
      assert.equal(log.offsetForTimestamp(1_020)?.offset, 20);
    });
  }
});
