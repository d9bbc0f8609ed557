import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { OffsetIndex } from '../../src/storage/offset-index.ts';
import { TimeIndex } from '../../src/storage/time-index.ts';
import { TransactionIndex } from '../../src/storage/transaction-index.ts';

const OFFSETS = '/data/00000000000000000100.index';
const TIMES = '/data/00000000000000000100.timeindex';
const BASE = 100;

const newDisk = (): SimulatedDisk => {
  const disk = new SimulatedDisk();
  disk.makeDirectory('/data');
  return disk;
};

const reopened = (disk: SimulatedDisk): OffsetIndex => {
  const index = OffsetIndex.open(disk, OFFSETS, BASE);
  assert.ok(index);
  return index;
};

interface Step {
  readonly kind: 'append' | 'write-out' | 'reopen' | 'truncate';
  readonly count: number;
}

describe('an offset index', () => {
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('append' as const, 'append', 'write-out', 'reopen', 'truncate'),
    count: fc.integer({ min: 1, max: 700 }),
  });

  test('finds what a search through all its entries finds, whether they are in memory or in the file', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), fc.array(fc.nat(9_000), { minLength: 5 }), (steps, probes) => {
        const disk = newDisk();
        let index = OffsetIndex.create(disk, OFFSETS, BASE);
        let entries: { offset: number; position: number }[] = [];
        for (const { kind, count } of steps) {
          if (kind === 'append') {
            for (let at = 0; at < count; at++) {
              const last = entries.at(-1) ?? { offset: BASE, position: 0 };
              const entry = { offset: last.offset + 1 + (at % 3), position: last.position + 50 };
              index.append(entry.offset, entry.position);
              entries.push(entry);
            }
          } else if (kind === 'truncate') {
            const to = BASE + count;
            index.truncateTo(to);
            entries = entries.filter(({ offset }) => offset < to);
          } else {
            index.file.writeOut();
            assert.equal(disk.contents(OFFSETS).length, entries.length * 8);
            if (kind === 'reopen') index = reopened(disk);
          }
          assert.equal(index.count, entries.length);
          for (const probe of probes) {
            const wanted = entries.findLast(({ offset }) => offset <= BASE + probe) ?? null;
            assert.deepEqual(index.floor(BASE + probe), wanted);
            const behind = entries.find(({ position }) => position >= probe * 5)?.offset ?? null;
            assert.equal(index.offsetAtOrBehind(probe * 5), behind);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('is read one page at a time once a few searches have gone through it', () => {
    const disk = newDisk();
    const index = OffsetIndex.create(disk, OFFSETS, BASE);
    const count = 100_000;
    for (let at = 0; at < count; at++) index.append(BASE + at * 3, at * 50);
    index.file.writeOut();
    const search = (at: number): void => assert.equal(index.floor(BASE + at * 3 + 1)?.position, at * 50);
    for (let at = 0; at < count; at += 500) search(at);
    const before = disk.operationCounts.get('read') ?? 0;
    for (const at of [10, 90_000, 20_000, 70_001, 99_999, 511, 512]) search(at);
    assert.equal((disk.operationCounts.get('read') ?? 0) - before, 7);
  });

  test('that Kafka left preallocated ends before its zeros', () => {
    for (const used of [0, 1, 2, 511, 512, 513]) {
      const bytes = Buffer.alloc(8 * 2_000);
      for (let index = 0; index < used; index++) {
        bytes.writeInt32BE(index + 1, index * 8);
        bytes.writeInt32BE(index * 70, index * 8 + 4);
      }
      const disk = newDisk();
      disk.put(OFFSETS, bytes);
      const index = reopened(disk);
      assert.equal(index.count, used);
      assert.equal(index.floor(1_000_000)?.offset ?? null, used === 0 ? null : BASE + used);
      index.file.writeOut();
      assert.equal(disk.contents(OFFSETS).length, used * 8);
    }
  });

  test('is none if its size is not a whole number of entries', () => {
    const disk = newDisk();
    disk.put(OFFSETS, Buffer.alloc(12));
    assert.equal(OffsetIndex.open(disk, OFFSETS, BASE), null);
    assert.equal(OffsetIndex.open(disk, TIMES, BASE), null);
  });
});

describe('a time index', () => {
  test('takes rising times only, and finds the last one that is not later', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 60 }), fc.nat(60), fc.boolean(), (times, probe, isReopened) => {
        const disk = newDisk();
        let index = TimeIndex.create(disk, TIMES, BASE);
        const entries: { timestamp: number; offset: number }[] = [];
        // No batch ends at the base offset at time 0 before anything was written: such an entry would be the zeros at a file's end.
        for (const [at, timestamp] of times.entries()) {
          const offset = BASE + 1 + at;
          index.maybeAppend(timestamp, offset);
          if (timestamp > (entries.at(-1)?.timestamp ?? -1)) entries.push({ timestamp, offset });
        }
        if (isReopened) {
          index.file.writeOut();
          const opened = TimeIndex.open(disk, TIMES, BASE);
          assert.ok(opened);
          index = opened;
        }
        const none = { timestamp: -1, offset: BASE };
        assert.deepEqual(index.last, entries.at(-1) ?? none);
        assert.deepEqual(index.floor(probe), entries.findLast(({ timestamp }) => timestamp <= probe) ?? none);
        index.truncateTo(BASE + probe);
        assert.deepEqual(index.last, entries.findLast(({ offset }) => offset < BASE + probe) ?? none);
      }),
    );
  });

  test('keeps times that Kafka allows, however large', () => {
    const disk = newDisk();
    const index = TimeIndex.create(disk, TIMES, BASE);
    for (const [at, timestamp] of [0, 1, 2 ** 31, 2 ** 53 - 1].entries()) index.maybeAppend(timestamp, BASE + at);
    index.file.writeOut();
    assert.deepEqual(TimeIndex.open(disk, TIMES, BASE)?.last, { timestamp: 2 ** 53 - 1, offset: BASE + 3 });
  });
});

describe('a transaction index', () => {
  const path = '/data/00000000000000000100.txnindex';
  const entry = (lastOffset: number) => ({
    producerId: 5,
    firstOffset: lastOffset - 2,
    lastOffset,
    lastStableOffset: lastOffset + 1,
  });

  test('has a file only if a transaction was aborted, and reads as it was written', () => {
    const disk = newDisk();
    const index = new TransactionIndex(disk, path);
    assert.deepEqual([index.entries, index.exists], [[], false]);
    index.append(entry(110));
    index.append(entry(120));
    assert.equal(disk.contents(path).length, 68);
    const again = new TransactionIndex(disk, path);
    assert.deepEqual(again.entries, [entry(110), entry(120)]);
    again.truncateTo(120);
    assert.deepEqual(new TransactionIndex(disk, path).entries, [entry(110)]);
    again.clear();
    assert.ok(!disk.exists(path));
  });

  test('is not sane if it is cut, of another version or out of order', () => {
    const disk = newDisk();
    const index = new TransactionIndex(disk, path);
    index.append(entry(120));
    assert.ok(index.isSane);
    const bytes = disk.contents(path);
    const isSane = (damaged: Buffer): boolean => {
      disk.put(path, damaged);
      return new TransactionIndex(disk, path).isSane;
    };
    assert.ok(!isSane(bytes.subarray(0, 30)));
    assert.ok(!isSane(Buffer.concat([bytes, bytes])));
    const otherVersion = Buffer.from(bytes);
    otherVersion[1] = 1;
    assert.ok(!isSane(otherVersion));
  });
});
