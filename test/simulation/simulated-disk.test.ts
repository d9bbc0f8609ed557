import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DiskError } from '../../src/base/disk.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

function withFile(isTraced = false) {
  const disk = new SimulatedDisk({ isTraced });
  disk.makeDirectory('/d');
  disk.syncDirectory('/');
  return { disk, file: disk.open('/d/f', { create: true }) };
}

describe('a crash of the simulated disk', () => {
  it('loses a name whose directory was not synced, although its bytes were', () => {
    const { disk, file } = withFile();
    file.write([bytes('abc')], 0);
    file.syncNow();
    assert.equal(disk.crash({ unsynced: 'lost' }).exists('/d/f'), false);
  });

  it('loses bytes that were not synced, although the name was', () => {
    const { disk, file } = withFile();
    file.write([bytes('abc')], 0);
    file.syncNow();
    file.write([bytes('def')], 3);
    disk.syncDirectory('/d');
    const after = disk.crash({ unsynced: 'lost' });
    assert.equal(after.contents('/d/f').toString(), 'abc');
    assert.throws(() => file.write([bytes('x')], 0), DiskError, 'the crashed disk is off');
  });

  it('keeps everything when only the process died', () => {
    const { disk, file } = withFile();
    file.write([bytes('abc')], 0);
    assert.equal(disk.crash({ unsynced: 'kept' }).contents('/d/f').toString(), 'abc');
  });

  it('leaves to a later power cut what was not synced when only the process died', () => {
    const { disk, file } = withFile();
    disk.syncDirectory('/d');
    file.write([bytes('abc')], 0);
    file.syncNow();
    file.write([bytes('def')], 3);
    disk.rename('/d/f', '/d/g');
    const [unsynced, synced] = [disk.crash({ unsynced: 'kept' }), disk.crash({ unsynced: 'kept' })];
    assert.equal(unsynced.contents('/d/g').toString(), 'abcdef');
    const afterwards = unsynced.crash({ unsynced: 'lost' });
    assert.equal(afterwards.contents('/d/f').toString(), 'abc');
    assert.equal(afterwards.exists('/d/g'), false);
    synced.open('/d/g').syncNow();
    synced.syncDirectory('/d');
    assert.equal(synced.crash({ unsynced: 'lost' }).contents('/d/g').toString(), 'abcdef');
  });

  it('undoes an unsynced replacement', () => {
    const { disk, file } = withFile();
    file.write([bytes('old')], 0);
    file.syncNow();
    disk.syncDirectory('/d');
    const other = disk.open('/d/f.tmp', { create: true });
    other.write([bytes('new')], 0);
    other.syncNow();
    disk.rename('/d/f.tmp', '/d/f');
    assert.equal(disk.crash({ unsynced: 'lost' }).contents('/d/f').toString(), 'old');
  });

  it('keeps a rename between directories only when both were synced', () => {
    for (const [synced, expected] of [
      [['/a'], [true, false]],
      [['/b'], [true, false]],
      [
        ['/b', '/a'],
        [false, true],
      ],
    ] as const) {
      const disk = new SimulatedDisk();
      disk.put('/a/f', bytes('x'));
      disk.makeDirectory('/b');
      disk.syncDirectory('/');
      disk.rename('/a/f', '/b/f');
      for (const directory of synced) disk.syncDirectory(directory);
      const after = disk.crash({ unsynced: 'lost' });
      assert.deepEqual([after.exists('/a/f'), after.exists('/b/f')], expected);
    }
  });

  it('can happen before every change of a traced run, many times', () => {
    const { disk, file } = withFile(true);
    file.write([bytes('abc')], 0);
    disk.syncDirectory('/d');
    file.truncate(2);
    const seen = disk.trace.map((_, at) => {
      const after = disk.crashAt(at + 1, { unsynced: 'kept' });
      return after.exists('/d/f') ? after.contents('/d/f').toString() : null;
    });
    assert.deepEqual(
      disk.trace.map((change) => change.kind),
      ['makeDirectory', 'syncDirectory', 'create', 'write', 'syncDirectory', 'truncate'],
    );
    assert.deepEqual(seen, [null, null, '', 'abc', 'abc', 'ab']);
    assert.equal(disk.crashAt(5, { unsynced: 'lost' }).contents('/d/f').length, 0);
  });

  it('tears unsynced writes by chance, the same way for the same seed, and never synced ones', () => {
    const { disk, file } = withFile(true);
    file.write([new Uint8Array(1500).fill(1)], 0);
    file.syncNow();
    disk.syncDirectory('/d');
    file.write([new Uint8Array(1500).fill(2)], 1500);
    file.write([new Uint8Array(700).fill(3)], 3000);
    const crash = (seed: number) =>
      disk
        .crashAt(disk.trace.length, { unsynced: 'torn', random: new SimulatedRandom(seed) })
        .contents('/d/f')
        .toString('latin1');
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 200; seed++) {
      const outcome = crash(seed);
      assert.equal(outcome, crash(seed));
      assert.equal(outcome.slice(0, 1500), '\u0001'.repeat(1500));
      outcomes.add(outcome);
    }
    assert.ok(outcomes.has('\u0001'.repeat(1500)), 'everything lost');
    assert.ok(
      [...outcomes].some((outcome) => outcome.length === 3700 && !outcome.includes('\0')),
      'everything kept',
    );
    assert.ok(
      [...outcomes].some((outcome) => outcome.includes('\0\u0002')),
      'a later sector kept and an earlier one lost',
    );
    assert.ok(
      [...outcomes].some((outcome) => outcome.includes('\0\u0003')),
      'a later write kept and an earlier one lost',
    );
  });

  it('tears the names that were not synced at some point of their history', () => {
    const { disk } = withFile(true);
    disk.rename('/d/f', '/d/g');
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 50; seed++) {
      const after = disk.crashAt(disk.trace.length, { unsynced: 'torn', random: new SimulatedRandom(seed) });
      outcomes.add(
        after
          .list('/d')
          .map((entry) => entry.name)
          .join(),
      );
    }
    assert.deepEqual([...outcomes].sort(), ['', 'f', 'g']);
  });
});

describe('a sync of the simulated disk', () => {
  it('covers what was written before it was asked for, once it is done', async () => {
    const clock = new SimulatedClock();
    const disk = new SimulatedDisk({ clock });
    disk.syncDelayMs = 20;
    const file = disk.open('/f', { create: true });
    disk.syncDirectory('/');
    file.write([bytes('abc')], 0);
    let isDone = false;
    const synced = file.sync().then(() => (isDone = true));
    file.write([bytes('def')], 3);
    await clock.scheduler.run(19);
    assert.equal(isDone, false);
    await clock.scheduler.run(1);
    await synced;
    assert.equal(disk.crash({ unsynced: 'lost' }).contents('/f').toString(), 'abc');
  });

  it('that fails loses the bytes for good: the next sync succeeds without them', async () => {
    const disk = new SimulatedDisk();
    const file = disk.open('/f', { create: true });
    disk.syncDirectory('/');
    file.write([bytes('abc')], 0);
    const end = disk.failWhen(({ kind }) => (kind === 'sync' ? 'EIO' : null));
    await assert.rejects(file.sync(), (error) => error instanceof DiskError && error.code === 'EIO');
    end();
    file.write([bytes('def')], 3);
    await file.sync();
    assert.equal(disk.contents('/f').toString(), 'abcdef');
    assert.equal(disk.crash({ unsynced: 'lost' }).contents('/f').toString(), '\0\0\0def');
  });
});

describe('faults of the simulated disk', () => {
  it('a full disk takes what fits and then refuses', () => {
    const disk = new SimulatedDisk({ capacityBytes: 5 });
    const file = disk.open('/f', { create: true });
    file.write([bytes('abc')], 0);
    assert.throws(
      () => file.write([bytes('defg')], 3),
      (error) => error instanceof DiskError && error.code === 'ENOSPC',
    );
    assert.equal(disk.contents('/f').toString(), 'abcde');
    file.write([bytes('12345')], 0);
    disk.remove('/f');
    assert.equal(disk.space('/').usableBytes, 5);
  });

  it('a chosen operation fails, a write after its first bytes', () => {
    const disk = new SimulatedDisk();
    const file = disk.open('/f', { create: true });
    let writes = 0;
    disk.failWhen(({ kind }) => (kind === 'write' && ++writes === 2 ? { code: 'EIO', bytesWritten: 1 } : null));
    file.write([bytes('a')], 0);
    assert.throws(
      () => file.write([bytes('bc')], 1),
      (error) => error instanceof DiskError && error.code === 'EIO',
    );
    file.write([bytes('d')], 2);
    assert.equal(disk.contents('/f').toString(), 'abd');
    assert.equal(disk.operationCounts.get('write'), 3);
  });

  it('a bit rots', () => {
    const disk = new SimulatedDisk();
    disk.put('/d/f', bytes('abc'));
    disk.flipBit('/d/f', 1, 0);
    assert.equal(disk.crash({ unsynced: 'lost' }).contents('/d/f').toString(), 'acc');
  });
});
