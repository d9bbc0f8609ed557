import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { CheckpointError } from '../../src/storage/checkpoint-file.ts';
import { LeaderEpochCache } from '../../src/storage/leader-epoch-cache.ts';
import { kindOfDirectory, renamedDirectory } from '../../src/storage/log-directory.ts';
import { readOffsetCheckpoint, writeOffsetCheckpoint } from '../../src/storage/offset-checkpoint.ts';
import { readPartitionMetadata, writePartitionMetadata } from '../../src/storage/partition-metadata-file.ts';
import { replaceSmallFile } from '../../src/storage/small-file.ts';

const PATH = '/data/recovery-point-offset-checkpoint';
const newDisk = (): SimulatedDisk => {
  const disk = new SimulatedDisk({ isTraced: true });
  disk.makeDirectory('/data');
  disk.syncDirectory('/');
  return disk;
};

describe('an offset checkpoint', () => {
  test('reads as it was written, and is empty if it is missing or holds nothing', () => {
    const disk = newDisk();
    assert.equal(readOffsetCheckpoint(disk, PATH).size, 0);
    disk.put(PATH, Buffer.alloc(0));
    assert.equal(readOffsetCheckpoint(disk, PATH).size, 0);
    const entries = [
      { topicPartition: { topic: 'a.b_c-1', partition: 12 }, offset: 2 ** 52 },
      { topicPartition: { topic: 'b', partition: 0 }, offset: 0 },
    ];
    writeOffsetCheckpoint(disk, PATH, entries);
    assert.equal(disk.contents(PATH).toString(), `0\n2\na.b_c-1 12 ${2 ** 52}\nb 0 0\n`);
    assert.deepEqual(
      [...readOffsetCheckpoint(disk, PATH)],
      [
        ['a.b_c-1-12', 2 ** 52],
        ['b-0', 0],
      ],
    );
  });

  test('is refused if it is cut, has another version, a wrong count or a malformed line', () => {
    const texts = [
      '1\n0\n',
      '0\n',
      '0\nx\n',
      '0\n2\na 0 1\n',
      '0\n1\na 0\n',
      '0\n1\na 0 -1\n',
      '0\n1\na 0 1 2\n',
      '0\n1\na 0 12',
      '0\n1\na 0 99999999999999999999\n',
      'x',
    ];
    for (const text of texts) {
      const disk = newDisk();
      disk.put(PATH, Buffer.from(text));
      assert.throws(() => readOffsetCheckpoint(disk, PATH), CheckpointError, JSON.stringify(text));
    }
  });

  test('is after a power loss the old one or the new one', () => {
    const disk = newDisk();
    const write = (offset: number): void =>
      writeOffsetCheckpoint(disk, PATH, [{ topicPartition: { topic: 'a', partition: 0 }, offset }]);
    write(1);
    const from = disk.trace.length;
    write(2);
    for (let index = from; index <= disk.trace.length; index++) {
      for (let seed = 0; seed < 20; seed++) {
        const crashed = disk.crashAt(index, { unsynced: 'torn', random: new SimulatedRandom(seed) });
        const offset = readOffsetCheckpoint(crashed, PATH).get('a-0');
        assert.ok(offset === 2 || (offset === 1 && index < disk.trace.length), `${offset} at ${index}`);
      }
    }
  });
});

describe('partition.metadata', () => {
  test('is unreadable rather than wrong', () => {
    const disk = newDisk();
    writePartitionMetadata(disk, '/data', '3FpprPDUQuqnn6hY35QNow');
    assert.deepEqual(readPartitionMetadata(disk, '/data'), { topicId: '3FpprPDUQuqnn6hY35QNow' });
    for (const text of ['', 'version: 1\ntopic_id: 3FpprPDUQuqnn6hY35QNow', 'version: 0\ntopic_id: 3FpprPDUQ', 'version: 0']) {
      replaceSmallFile(disk, '/data/partition.metadata', Buffer.from(text), { durable: false });
      assert.equal(readPartitionMetadata(disk, '/data'), null);
    }
  });
});

describe('the name of a directory', () => {
  test('says what it is', () => {
    assert.deepEqual(kindOfDirectory('a-b.c_d-12'), { kind: 'log', topicPartition: { topic: 'a-b.c_d', partition: 12 } });
    assert.deepEqual(kindOfDirectory('a-1.0af-future'), { kind: 'future', topicPartition: { topic: 'a', partition: 1 } });
    assert.deepEqual(kindOfDirectory('a-1.0af-delete'), { kind: 'delete' });
    assert.deepEqual(kindOfDirectory('a-1.0af-stray'), { kind: 'stray' });
    for (const name of ['a', '-1', 'a-', 'a-x', 'lost+found']) assert.deepEqual(kindOfDirectory(name), { kind: 'other' }, name);
  });

  test('of a log that goes is never longer than a file system takes', () => {
    const name = renamedDirectory(`${'t'.repeat(249)}-100`, 'f'.repeat(32), 'delete');
    assert.equal(name.length, 255);
    assert.ok(name.endsWith(`.${'f'.repeat(32)}-delete`));
  });
});

describe('a leader epoch cache', () => {
  const entries = fc.array(fc.record({ epoch: fc.integer({ min: 0, max: 12 }), startOffset: fc.integer({ min: 0, max: 30 }) }), {
    maxLength: 12,
  });

  test('rises strictly in epochs and offsets whatever it is told', () => {
    fc.assert(
      fc.property(entries, (told) => {
        const cache = new LeaderEpochCache([], () => undefined);
        for (const { epoch, startOffset } of told) cache.assign(epoch, startOffset);
        for (const [index, entry] of cache.entries.entries()) {
          const next = cache.entries[index + 1];
          assert.ok(next === undefined || (next.epoch > entry.epoch && next.startOffset > entry.startOffset));
        }
        const last = told.at(-1);
        if (last !== undefined) assert.equal(cache.latest?.epoch, last.epoch);
      }),
    );
  });

  test('answers as a search through the epochs of all offsets does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 40 }),
        fc.nat(30),
        (steps, asked, cut) => {
          let epoch = 3;
          const epochs = steps.map((step) => (epoch += step));
          const cache = new LeaderEpochCache([], () => undefined);
          for (const [offset, value] of epochs.entries()) cache.assign(value, offset);
          const end = Math.min(cut, epochs.length);
          cache.truncateFromEnd(end);
          const kept = epochs.slice(0, end);
          for (const [offset, value] of kept.entries()) assert.equal(cache.epochFor(offset), value);
          const found = cache.endOffsetFor(asked, end);
          const latest = kept.at(-1);
          if (latest === undefined || asked > latest) assert.equal(found, null);
          else {
            const endOffset = kept.filter((value) => value <= asked).length;
            const known = kept.filter((value) => value <= asked).at(-1);
            assert.deepEqual(found, { epoch: known ?? asked, endOffset });
          }
        },
      ),
    );
  });

  test('keeps the epoch that holds the log start when it is cut from the start', () => {
    const cache = new LeaderEpochCache(
      [
        { epoch: 1, startOffset: 0 },
        { epoch: 3, startOffset: 10 },
        { epoch: 4, startOffset: 20 },
      ],
      () => undefined,
    );
    cache.truncateFromStart(15);
    assert.deepEqual(cache.entries, [
      { epoch: 3, startOffset: 15 },
      { epoch: 4, startOffset: 20 },
    ]);
    cache.truncateFromStart(20);
    assert.deepEqual(cache.entries, [{ epoch: 4, startOffset: 20 }]);
  });
});
