import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DiskFile, DiskLock } from '../../src/base/disk.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { defaultLogConfig, type LogConfig } from '../../src/storage/log-configs.ts';
import { LogManager } from '../../src/storage/log-manager.ts';
import { defaultLogManagerSettings, type LogManagerSettings } from '../../src/storage/log-manager-settings.ts';
import { readMetaProperties, writeMetaProperties } from '../../src/storage/meta-properties.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { TopicPartition } from '../../src/storage/topic-partition.ts';
import { append } from './test-log.ts';

const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAw';
const config: LogConfig = { ...defaultLogConfig, messageTimestampAfterMaxMs: Infinity, segmentBytes: 200 };

interface StartOptions {
  readonly disk?: SimulatedDisk;
  readonly directories?: readonly string[];
  readonly settings?: Partial<LogManagerSettings>;
}

async function start({ disk = new SimulatedDisk(), directories = ['/data'], settings = {} }: StartOptions = {}) {
  const environment = simulatedEnvironment({ disk });
  const { clock } = environment;
  // Many logs are opened in turns with other work, for which nobody here lets the simulated time go on.
  const defer = (callback: () => void): void => void setImmediate(callback);
  const turning = { defer, now: () => clock.now(), monotonic: () => clock.monotonic(), schedule: clock.schedule.bind(clock) };
  const failures: StorageError[] = [];
  const manager = await LogManager.start(
    { ...environment, clock: turning },
    {
      logDirectories: directories,
      configOf: () => config,
      settings: { ...defaultLogManagerSettings, ...settings },
      directoryFailed: (error) => void failures.push(error),
    },
  );
  return { manager, environment, disk, failures };
}

/** A process that may have few files open. */
class NarrowDisk extends SimulatedDisk {
  readonly openFilesMax = 4;
  #openCount = 0;
  openMost = 0;

  override open(path: string, options?: Parameters<SimulatedDisk['open']>[1]): DiskFile {
    const file = super.open(path, options);
    this.openMost = Math.max(this.openMost, ++this.#openCount);
    const close = file.close.bind(file);
    file.close = () => {
      this.#openCount--;
      close();
    };
    return file;
  }
}

/** Counts how often everything is made durable together; `isAble` says whether that works. */
class TogetherDisk extends SimulatedDisk {
  isAble = true;
  together = 0;

  override lock(path: string): DiskLock | null {
    const lock = super.lock(path);
    return lock === null ? null : { ...lock, syncFileSystem: (directories) => this.#sync(lock, directories) };
  }

  #sync(lock: DiskLock, directories: readonly string[]): boolean {
    this.together++;
    return this.isAble && lock.syncFileSystem?.(directories) === true;
  }
}

const create = (manager: LogManager, topicPartition: TopicPartition, directoryId?: string) =>
  manager.createLog({ topicPartition, topicId: TOPIC_ID, config, ...(directoryId === undefined ? {} : { directoryId }) });

const orders = { topic: 'orders', partition: 0 };
const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('a log directory', () => {
  test('belongs to one process at a time', async () => {
    const { manager, disk } = await start();
    await assert.rejects(start({ disk }), StorageError);
    await manager.shutdown({ brokerEpoch: 1 });
    const again = await start({ disk });
    assert.equal(again.manager.cleanShutdownBrokerEpoch, 1);
  });

  test('is marked clean by an orderly stop only, and the mark is gone as soon as it is opened', async () => {
    const { manager, disk } = await start();
    append(create(manager, orders));
    await manager.shutdown({ brokerEpoch: 42 });
    assert.equal(disk.contents('/data/.kafka_cleanshutdown').toString(), '{"version":0,"brokerEpoch":42}');
    assert.equal(disk.contents('/data/recovery-point-offset-checkpoint').toString(), '0\n1\norders 0 1\n');
    assert.equal(disk.contents('/data/replication-offset-checkpoint').toString(), '0\n1\norders 0 0\n');
    assert.equal(disk.contents('/data/log-start-offset-checkpoint').toString(), '0\n0\n');

    const second = await start({ disk });
    assert.equal(second.manager.cleanShutdownBrokerEpoch, 42);
    assert.ok(!disk.exists('/data/.kafka_cleanshutdown'));
    assert.equal(second.manager.getLog(orders)?.recoveryPoint, 1);
    const third = await start({ disk: disk.crash({ unsynced: 'lost' }) });
    assert.equal(third.manager.cleanShutdownBrokerEpoch, -1);
  });

  for (const isAble of [true, false]) {
    test(`has many logs durable after an orderly stop, ${isAble ? 'all at once' : 'one by one where that is all there is'}`, async () => {
      const disk = new TogetherDisk();
      disk.isAble = isAble;
      const { manager } = await start({ disk });
      const logs = Array.from({ length: 65 }, (_, partition) => create(manager, { topic: 'orders', partition }));
      for (const log of logs) append(log, { count: 3 });
      await manager.shutdown({ brokerEpoch: 7 });
      assert.equal(disk.together, 1);
      const again = await start({ disk: disk.crash({ unsynced: 'lost' }) });
      assert.equal(again.manager.cleanShutdownBrokerEpoch, 7);
      assert.equal(again.manager.logs.length, logs.length);
      for (const log of again.manager.logs) {
        assert.deepEqual([log.logEndOffset, log.recoveryPoint, log.producers.snapshots.latestOffset], [3, 3, 3]);
      }
    });
  }

  test('syncs a few logs by themselves at an orderly stop, and nothing of logs that are durable', async () => {
    const disk = new TogetherDisk();
    const { manager } = await start({ disk });
    const logs = Array.from({ length: 65 }, (_, partition) => create(manager, { topic: 'orders', partition }));
    for (const log of logs.slice(0, 5)) append(log);
    await manager.shutdown({ brokerEpoch: 7 });
    assert.equal(disk.together, 0);
  });

  test('keeps the start offset of a log where it lies inside a segment', async () => {
    const { manager, disk } = await start();
    const log = create(manager, orders);
    append(log, { count: 5 });
    log.updateHighWatermark(5);
    log.maybeIncrementLogStartOffset(3);
    await manager.shutdown({ brokerEpoch: 1 });
    assert.equal(disk.contents('/data/log-start-offset-checkpoint').toString(), '0\n1\norders 0 3\n');
    const again = await start({ disk });
    assert.equal(again.manager.getLog(orders)?.logStartOffset, 3);
    assert.equal(again.manager.getLog(orders)?.highWatermark, 5);
  });

  test('has more logs than the process may have files open, and all of them are written, read and flushed', async () => {
    const disk = new NarrowDisk();
    const { manager } = await start({ disk });
    const logs = Array.from({ length: 15 }, (_, partition) => create(manager, { topic: 'orders', partition }));
    for (const log of logs) append(log);
    for (const log of logs) await log.flush();
    for (const log of logs) {
      log.updateHighWatermark(1);
      const { region } = log.read(0, { maxBytes: 10_000, upTo: 'high-watermark', minOneBatch: true });
      assert.ok(region !== null && region.file.read(Buffer.alloc(region.length), region.position) === region.length);
      region.release();
      assert.equal(log.recoveryPoint, 1);
    }
    // One more for what is opened and closed at once.
    assert.ok(disk.openMost <= disk.openFilesMax + 1, `${disk.openMost} files open`);
    for (const log of logs) append(log);
    await manager.shutdown({ brokerEpoch: 1 });
    const again = await start({ disk });
    assert.deepEqual(new Set([...again.manager.logs].map(({ logEndOffset }) => logEndOffset)), new Set([2]));
    assert.ok(disk.openMost <= disk.openFilesMax + 16, `${disk.openMost} files open`);
    assert.deepEqual(again.failures, []);
  });

  test('ignores directories that are no logs, leaves strays, and removes what was to be deleted', async () => {
    const disk = new SimulatedDisk();
    for (const name of [
      'orders-0.0123456789abcdef0123456789abcdef-delete',
      'old-1.ff-stray',
      'lost+found',
      'orders-3.ab-future',
    ]) {
      disk.put(`/data/${name}/file`, Buffer.from('x'));
    }
    const { manager, environment } = await start({ disk });
    assert.deepEqual(manager.logs, []);
    environment.clock.advance(1);
    await turns();
    assert.deepEqual(
      disk.list('/data').flatMap(({ name, kind }) => (kind === 'directory' ? [name] : [])),
      ['lost+found', 'old-1.ff-stray', 'orders-3.ab-future'],
    );
  });

  test('is known by the id in its meta.properties, and holds what the controller assigns to it', async () => {
    const disk = new SimulatedDisk();
    const ids = ['LCvgKNl36hdjSca7RHhVdg', '5RoSWnei2Eqt_WDF8z58WQ'];
    for (const [index, directoryId] of ids.entries()) {
      disk.makeDirectory(`/data${index}`);
      const properties = { nodeId: 1, clusterId: 'CNZbIFiDT3ubYPIek50yaA', directoryId };
      writeMetaProperties(disk, `/data${index}`, { properties, now: Date.UTC(2026, 10, 29, 22, 24, 32) });
      assert.deepEqual(readMetaProperties(disk, `/data${index}`), properties);
    }
    assert.equal(
      disk.contents('/data0/meta.properties').toString(),
      '#\n#Sun Nov 29 22:24:32 UTC 2026\nnode.id=1\ndirectory.id=LCvgKNl36hdjSca7RHhVdg\nversion=1\ncluster.id=CNZbIFiDT3ubYPIek50yaA\n',
    );
    const { manager } = await start({ disk, directories: ['/data0', '/data1'] });
    assert.equal(create(manager, orders, ids[1]).logDirectory, '/data1');
    assert.equal(create(manager, { topic: 'orders', partition: 1 }).logDirectory, '/data0', 'otherwise where there are fewest');
    assert.equal(manager.directoryIdOf('/data1'), ids[1]);
  });
});

describe('a log', () => {
  test('that is deleted is gone at once, its files after file.delete.delay.ms, and may be made again', async () => {
    const { manager, disk, environment } = await start();
    append(create(manager, orders));
    manager.deleteLog(orders);
    assert.equal(manager.getLog(orders), undefined);
    const renamed = disk.list('/data').filter(({ name }) => /^orders-0\.[0-9a-f]{32}-delete$/.test(name));
    assert.equal(renamed.length, 1);
    assert.equal(create(manager, orders).logEndOffset, 0);
    environment.clock.advance(config.fileDeleteDelayMs);
    await turns();
    assert.equal(disk.list('/data').filter(({ name }) => name.endsWith('-delete')).length, 0);
    assert.ok(disk.exists('/data/orders-0'));
  });

  test('that is deleted while it is flushed is no failure of the disk (KAFKA-15391)', async () => {
    const { manager, failures } = await start();
    const log = create(manager, orders);
    for (let index = 0; index < 5; index++) append(log);
    const flushed = log.flush();
    manager.deleteLog(orders);
    await flushed;
    await turns();
    assert.deepEqual(failures, []);
  });

  test('that nobody knows can be put aside', async () => {
    const { manager, disk } = await start();
    create(manager, orders);
    manager.markStray(orders);
    assert.equal(disk.list('/data').filter(({ name }) => /^orders-0\.[0-9a-f]{32}-stray$/.test(name)).length, 1);
  });

  test('has its topic id in partition.metadata, and takes one on if the file is lost', async () => {
    const { manager, disk } = await start();
    create(manager, orders);
    assert.equal(disk.contents('/data/orders-0/partition.metadata').toString(), `version: 0\ntopic_id: ${TOPIC_ID}`);
    await manager.shutdown({ brokerEpoch: 1 });
    disk.remove('/data/orders-0/partition.metadata');
    const again = await start({ disk });
    const log = again.manager.getLog(orders);
    assert.equal(log?.topicId, null);
    log?.assignTopicId(TOPIC_ID);
    assert.equal(log?.topicId, TOPIC_ID);
    assert.ok(disk.exists('/data/orders-0/partition.metadata'));
  });
});

describe('background work', () => {
  test('applies retention after the initial delay and then at its interval', async () => {
    const { manager, environment } = await start();
    const log = create(manager, orders);
    append(log, { timestamp: 1 });
    log.updateHighWatermark(1);
    environment.clock.advance(29_999);
    assert.equal(log.logStartOffset, 0);
    environment.clock.advance(1);
    assert.equal(log.logStartOffset, 1);
    append(log, { timestamp: 1 });
    log.updateHighWatermark(2);
    await turns();
    environment.clock.advance(300_000);
    assert.equal(log.logStartOffset, 2);
  });

  test('flushes topics by their flush.ms even where the broker has no interval of its own', async () => {
    const { manager, environment } = await start({ settings: { initialTaskDelayMs: 0 } });
    const log = create(manager, orders);
    log.updateConfig({ ...config, flushMs: 5_000 });
    append(log);
    for (let second = 0; second < 7; second++) {
      environment.clock.advance(1_000);
      await turns(3);
    }
    assert.equal(log.recoveryPoint, 1);
  });

  test('writes recovery points, log starts and high watermarks, and not while nothing may be written', async () => {
    const { manager, environment, disk } = await start({ settings: { initialTaskDelayMs: 0 } });
    const log = create(manager, orders);
    append(log);
    await log.flush();
    log.updateHighWatermark(1);
    environment.clock.advance(1);
    await turns();
    assert.equal(disk.contents('/data/recovery-point-offset-checkpoint').toString(), '0\n1\norders 0 1\n');
    assert.equal(disk.contents('/data/replication-offset-checkpoint').toString(), '0\n1\norders 0 1\n');
    await manager.shutdown({ brokerEpoch: 1 });
  });

  test('has written the recovery point a second after a closed segment was flushed', async () => {
    const { manager, environment, disk } = await start();
    const log = create(manager, orders);
    for (let index = 0; index < 3; index++) append(log);
    await turns();
    assert.equal(log.recoveryPoint, 2);
    environment.clock.advance(1_000);
    await turns();
    assert.equal(disk.contents('/data/recovery-point-offset-checkpoint').toString(), '0\n1\norders 0 2\n');
  });

  test('flushes what an unclean start found and writes that down, so that the next crash costs nothing', async () => {
    const { manager, disk } = await start();
    append(create(manager, orders));
    const again = await start({ disk: disk.crash({ unsynced: 'kept' }) });
    await turns();
    assert.equal(again.manager.getLog(orders)?.recoveryPoint, 1);
    assert.equal(again.disk.contents('/data/recovery-point-offset-checkpoint').toString(), '0\n1\norders 0 1\n');
  });
});

describe('a truncation', () => {
  test('lowers the stored recovery point before it is done, so that a crash does not trust what comes after', async () => {
    const { manager, disk } = await start();
    const log = create(manager, orders);
    for (let index = 0; index < 4; index++) append(log);
    await log.flush();
    await manager.checkpointRecoveryPoints();
    log.truncateTo(1);
    assert.equal(
      disk.crash({ unsynced: 'lost' }).contents('/data/recovery-point-offset-checkpoint').toString(),
      '0\n1\norders 0 1\n',
    );
  });

  test('is not undone by a slower checkpoint that was begun before it', async () => {
    const { manager, disk } = await start();
    const log = create(manager, orders);
    for (let index = 0; index < 4; index++) append(log);
    await log.flush();
    const slow = manager.checkpointRecoveryPoints();
    log.truncateTo(1);
    await slow;
    assert.equal(disk.contents('/data/recovery-point-offset-checkpoint').toString(), '0\n1\norders 0 1\n');
  });
});

describe('a log directory that fails', () => {
  test('takes all its logs offline and leaves those of other directories alone', async () => {
    const disk = new SimulatedDisk();
    const { manager, failures } = await start({ disk, directories: ['/data0', '/data1'] });
    const logs = [0, 1, 2, 3].map((partition) => create(manager, { topic: 'orders', partition }));
    const broken = logs[0]?.logDirectory;
    assert.ok(broken);
    disk.failWhen(({ kind, path }) => (kind === 'write' && path.startsWith(broken) ? 'EIO' : null));
    assert.throws(() => append(logs[0] ?? assert.fail()), StorageError);
    for (const log of logs) assert.equal(log.isOffline, log.logDirectory === broken);
    assert.equal(failures.length, 1);
    const other = create(manager, { topic: 'orders', partition: 9 });
    assert.notEqual(other.logDirectory, broken);
    await manager.shutdown({ brokerEpoch: 1 });
    assert.ok(!disk.exists(`${broken}/.kafka_cleanshutdown`));
    assert.ok(disk.exists(`${other.logDirectory}/.kafka_cleanshutdown`));
  });

  test('at start is left out while another one is usable', async () => {
    const disk = new SimulatedDisk();
    const mend = disk.failWhen(({ path }) => (path.startsWith('/data0') ? 'EIO' : null));
    const { manager } = await start({ disk, directories: ['/data0', '/data1'] });
    assert.equal(create(manager, orders).logDirectory, '/data1');
    await assert.rejects(start({ disk, directories: ['/data0'] }), StorageError);
    mend();
  });
});
