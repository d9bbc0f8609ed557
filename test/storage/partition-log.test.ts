import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { DiskError } from '../../src/base/disk.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import type { ErrorName } from '../../src/protocol/errors.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { UnexpectedAppendOffsetError } from '../../src/storage/append-info.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { append, bytesOf, DIRECTORY, openTestLog, testBatch } from './test-log.ts';

const refuses = (errorName: ErrorName, action: () => unknown): void => {
  assert.throws(action, (error) => error instanceof KafkaError && error.errorName === errorName, errorName);
};

const all = { maxBytes: 1_000_000, upTo: 'log-end', minOneBatch: true } as const;

describe('appending', () => {
  test('gives records the next offsets and the leader epoch, and keeps the bytes and their checksum', () => {
    const { log, disk } = openTestLog();
    const sent = testBatch({ count: 3 });
    const crc = new RecordBatch(sent).crc;
    const first = log.appendAsLeader(sent, { leaderEpoch: 4, origin: 'client', now: 1_000 });
    const second = log.appendAsLeader(testBatch({ count: 2 }), { leaderEpoch: 5, origin: 'client', now: 1_000 });
    assert.deepEqual([first.firstOffset, first.lastOffset, second.firstOffset, second.lastOffset], [0, 2, 3, 4]);
    const stored = [...batchesOf(disk.contents(`${DIRECTORY}/00000000000000000000.log`))];
    assert.deepEqual(
      stored.map((batch) => [batch.baseOffset, batch.partitionLeaderEpoch, batch.isCrcValid()]),
      [
        [0, 4, true],
        [3, 5, true],
      ],
    );
    assert.equal(stored[0]?.crc, crc);
    assert.deepEqual(log.epochs, [
      { epoch: 4, startOffset: 0 },
      { epoch: 5, startOffset: 3 },
    ]);
  });

  test('refuses what may not be written, and writes nothing of it', () => {
    const { log } = openTestLog({ config: { maxMessageBytes: 200, segmentBytes: 150 } });
    refuses('INVALID_RECORD', () => append(log, { baseOffset: 5 }));
    refuses('MESSAGE_TOO_LARGE', () => append(log, { valueBytes: 200 }));
    refuses('RECORD_LIST_TOO_LARGE', () => append(log, { valueBytes: 100 }));
    const damaged = testBatch();
    damaged[65] = (damaged[65] ?? 0) ^ 1;
    refuses('CORRUPT_MESSAGE', () => log.appendAsLeader(damaged, { leaderEpoch: 0, origin: 'client', now: 0 }));
    assert.deepEqual([log.logEndOffset, log.sizeInBytes], [0, 0]);
    assert.equal(append(log).firstOffset, 0);
  });

  test('takes from a leader what continues the log, unchanged, with gaps where the leader has them', () => {
    const { log, disk } = openTestLog();
    const bytes = Buffer.concat([testBatch({ baseOffset: 2, count: 2, epoch: 1 }), testBatch({ baseOffset: 9, epoch: 3 })]);
    const copy = Buffer.from(bytes);
    assert.equal(log.appendAsFollower(bytes).lastOffset, 9);
    assert.deepEqual(disk.contents(`${DIRECTORY}/00000000000000000000.log`), copy);
    assert.equal(log.logEndOffset, 10);
    assert.throws(() => log.appendAsFollower(testBatch({ baseOffset: 9 })), UnexpectedAppendOffsetError);
    assert.throws(
      () => log.appendAsFollower(Buffer.concat([testBatch({ baseOffset: 12 }), testBatch({ baseOffset: 11 })])),
      UnexpectedAppendOffsetError,
    );
    assert.equal(log.logEndOffset, 10);
  });

  test('leaves out a batch that is cut short', () => {
    const { log } = openTestLog();
    const bytes = Buffer.concat([testBatch({ baseOffset: 0 }), testBatch({ baseOffset: 1 }).subarray(0, 50)]);
    log.appendAsFollower(bytes);
    assert.equal(log.logEndOffset, 1);
  });
});

describe('rolling', () => {
  const starts = (disk: SimulatedDisk): number[] =>
    disk.list(DIRECTORY).flatMap(({ name }) => (name.endsWith('.log') ? [Number.parseInt(name, 10)] : []));

  test('starts a segment when the records do not fit', () => {
    const { log, disk } = openTestLog({ config: { segmentBytes: 200 } });
    for (let index = 0; index < 6; index++) append(log);
    assert.deepEqual(starts(disk), [0, 2, 4]);
  });

  test('starts a segment when records are segment.ms newer than the first of it, whatever the clock says', () => {
    const { log, disk, environment } = openTestLog({ config: { segmentMs: 1_000 } });
    append(log, { timestamp: 5_000 });
    append(log, { timestamp: 6_000 });
    append(log, { timestamp: 6_001 });
    environment.clock.advance(1_000_000);
    append(log, { timestamp: 6_002 });
    assert.deepEqual(starts(disk), [0, 2]);
  });

  test('starts a segment by the clock when records have no time', () => {
    const { log, disk, environment } = openTestLog({ config: { segmentMs: 1_000 } });
    const now = environment.clock.now();
    const send = (later: number) =>
      log.appendAsLeader(testBatch({ timestamp: -1 }), { leaderEpoch: 0, origin: 'coordinator', now: now + later });
    send(0);
    send(1_000);
    send(1_001);
    assert.deepEqual(starts(disk), [0, 2]);
  });

  test('takes a random part of segment.jitter.ms off, another for each segment', () => {
    const ages = new Set<number>();
    for (let seed = 0; seed < 5; seed++) {
      const { log, disk } = openTestLog({ config: { segmentMs: 1_000, segmentJitterMs: 500 } });
      append(log, { timestamp: 0 });
      for (let age = 500 + seed * 100; age <= 1_001; age++) {
        append(log, { timestamp: age });
        if (starts(disk).length === 1) continue;
        assert.ok(age > 500 && age <= 1_001);
        ages.add(age);
        break;
      }
    }
    assert.ok(ages.size >= 1);
  });

  test('starts a segment when an index is full', () => {
    const { log, disk } = openTestLog({ config: { segmentIndexBytes: 36, indexIntervalBytes: 1 } });
    for (let index = 0; index < 8; index++) append(log, { timestamp: 1_000 + index });
    assert.deepEqual(starts(disk), [0, 3, 6]);
  });

  test('starts a segment when an offset is too far from its start for the index', () => {
    const { log, disk } = openTestLog();
    log.appendAsFollower(testBatch({ baseOffset: 3 }));
    log.appendAsFollower(testBatch({ baseOffset: 2 ** 31 }));
    log.appendAsFollower(testBatch({ baseOffset: 2 ** 31 + 5 }));
    assert.deepEqual(starts(disk), [0, 2 ** 31]);
    assert.equal(new RecordBatch(bytesOf(log.read(2 ** 31 + 1, all))).baseOffset, 2 ** 31 + 5);
  });
});

describe('reading', () => {
  test('ends at the log end, the high watermark or the last stable offset, as asked', () => {
    const { log } = openTestLog();
    for (let index = 0; index < 3; index++) append(log);
    log.updateHighWatermark(2);
    const count = (upTo: 'log-end' | 'high-watermark' | 'last-stable-offset'): number =>
      [...batchesOf(bytesOf(log.read(0, { ...all, upTo })))].length;
    assert.deepEqual([count('log-end'), count('high-watermark'), count('last-stable-offset')], [3, 2, 2]);
    assert.equal(log.read(2, { ...all, upTo: 'high-watermark' }).region, null);
    assert.equal(log.read(3, { ...all, upTo: 'high-watermark' }).region, null, 'between high watermark and log end');
  });

  test('is out of range before the log start and after the log end', () => {
    const { log } = openTestLog();
    for (let index = 0; index < 3; index++) append(log);
    log.updateHighWatermark(3);
    log.maybeIncrementLogStartOffset(1);
    refuses('OFFSET_OUT_OF_RANGE', () => log.read(0, all));
    refuses('OFFSET_OUT_OF_RANGE', () => log.read(4, all));
    assert.equal(log.read(3, all).region, null);
  });

  test('gives the first batch whole if asked to, otherwise says that it is larger than the limit', () => {
    const { log } = openTestLog();
    append(log, { count: 2, valueBytes: 500 });
    append(log);
    const whole = log.read(0, { ...all, maxBytes: 10 });
    assert.equal([...batchesOf(bytesOf(whole))].length, 1);
    const limited = log.read(0, { ...all, maxBytes: 10, minOneBatch: false });
    assert.deepEqual([limited.region, limited.firstEntryIncomplete], [null, true]);
    assert.equal(
      bytesOf(log.read(0, { ...all, maxBytes: 1_150, minOneBatch: false })).length,
      1_150,
      'the last batch may be cut',
    );
  });

  test('gives the batch that holds an offset in its middle', () => {
    const { log } = openTestLog();
    append(log, { count: 5 });
    append(log, { count: 5 });
    const { startMetadata } = log.read(7, all);
    assert.equal(new RecordBatch(bytesOf(log.read(7, all))).baseOffset, 5);
    assert.deepEqual(startMetadata, { offset: 7, segmentBaseOffset: 0, positionInSegment: log.sizeInBytes / 2 });
  });

  test('goes on in the next segment that has something', () => {
    const { log } = openTestLog();
    append(log);
    log.roll();
    log.appendAsFollower(testBatch({ baseOffset: 5 }));
    assert.equal(new RecordBatch(bytesOf(log.read(2, all))).baseOffset, 5);
  });

  test('leaves a region readable after its segment was deleted and its files removed', () => {
    const { log, environment, disk } = openTestLog({ config: { retentionBytes: 0, fileDeleteDelayMs: 1_000 } });
    append(log);
    log.roll();
    append(log);
    log.updateHighWatermark(2);
    const { region } = log.read(0, all);
    assert.ok(region);
    assert.equal(log.deleteOldSegments(0), 2);
    assert.ok(disk.exists(`${DIRECTORY}/00000000000000000000.log.deleted`));
    environment.clock.advance(1_000);
    assert.ok(!disk.exists(`${DIRECTORY}/00000000000000000000.log.deleted`));
    const bytes = Buffer.alloc(region.length);
    region.file.read(bytes, region.position);
    assert.ok(new RecordBatch(bytes).isCrcValid());
    region.release();
    assert.throws(() => region.release(), /released once/);
    assert.throws(() => region.file.read(bytes, 0), /is open/, 'then the file is closed');
  });

  test('keeps the files of a few closed segments open at most, however many are read', () => {
    const { log, disk } = openTestLog({ config: { segmentBytes: 200 } });
    for (let index = 0; index < 40; index++) append(log);
    const opens = (): number => disk.operationCounts.get('open') ?? 0;
    for (let offset = 0; offset < 40; offset++) log.read(offset, all).region?.release();
    const before = opens();
    for (let offset = 30; offset < 40; offset++) log.read(offset, all).region?.release();
    assert.ok(opens() - before <= 20, 'segments read last are still open');
    log.read(0, all).region?.release();
    assert.ok(opens() > before, 'the first one is not');
  });

  test('finds offsets and places that delayed fetches subtract', () => {
    const { log } = openTestLog();
    append(log, { count: 2 });
    const before = log.logEndMetadata;
    append(log, { count: 2 });
    const { offset, positionInSegment } = log.logEndMetadata;
    assert.deepEqual([before.offset, offset, positionInSegment - before.positionInSegment], [2, 4, before.positionInSegment]);
    log.updateHighWatermark(2);
    assert.deepEqual(log.highWatermarkMetadata, before);
  });
});

describe('leader epochs', () => {
  test('say where an epoch ends, as KIP-279 has it', () => {
    const { log } = openTestLog();
    append(log, {}, 2);
    append(log, {}, 2);
    append(log, {}, 5);
    assert.equal(log.endOffsetForEpoch(6), null, 'newer than all that is known');
    assert.deepEqual(log.endOffsetForEpoch(5), { leaderEpoch: 5, endOffset: 3 });
    assert.deepEqual(log.endOffsetForEpoch(4), { leaderEpoch: 2, endOffset: 2 });
    assert.deepEqual(log.endOffsetForEpoch(2), { leaderEpoch: 2, endOffset: 2 });
    assert.deepEqual(log.endOffsetForEpoch(1), { leaderEpoch: 1, endOffset: 0 });
    assert.equal(log.latestEpoch, 5);
    assert.equal(log.epochForOffset(1), 2);
  });

  test('without records are dropped by a truncation to the log end (KAFKA-10706)', () => {
    const { log } = openTestLog();
    append(log, {}, 2);
    log.assignEpochStartOffset(3, 1);
    assert.equal(log.truncateTo(1), false);
    assert.equal(log.latestEpoch, 2);
  });
});

describe('a disk that fails', () => {
  test('takes the log offline with the first failed append; nothing is taken after it (KAFKA-10778)', () => {
    const { log, disk, failures } = openTestLog();
    append(log);
    const mend = disk.failWhen(({ kind, path }) => (kind === 'write' && path.endsWith('.log') ? 'EIO' : null));
    assert.throws(() => append(log), StorageError);
    mend();
    assert.throws(() => append(log), StorageError);
    assert.throws(() => log.read(0, all), StorageError);
    assert.equal(log.isOffline, true);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.logDirectory, '/data');
  });

  test('that is full refuses appends, keeps no half of them, and goes on when there is room', async () => {
    const lines: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      error: (message) => void lines.push(message),
      info: (message) => void lines.push(message),
      named: () => logger,
    };
    const { log, disk, failures } = openTestLog({ logger });
    append(log);
    const size = log.sizeInBytes;
    disk.capacityBytes = 0;
    const mend = disk.failWhen(({ kind, path }) =>
      kind === 'write' && path.endsWith('.log') ? { code: 'ENOSPC', bytesWritten: 40 } : null,
    );
    for (let time = 0; time < 3; time++) refuses('KAFKA_STORAGE_ERROR', () => append(log));
    assert.deepEqual(lines, ['the disk is full']);
    assert.equal(disk.contents(`${DIRECTORY}/00000000000000000000.log`).length, size);
    assert.deepEqual([log.logEndOffset, log.isOffline, failures.length], [1, false, 0]);
    disk.capacityBytes = 2 ** 40;
    mend();
    assert.equal(append(log).firstOffset, 1);
    assert.equal(append(log).firstOffset, 2);
    assert.deepEqual(lines, ['the disk is full', 'there is room on the disk again']);
    assert.equal([...batchesOf(bytesOf(log.read(0, all)))].length, 3);
    await log.close({ flush: true });
  });

  test('is not asked again to sync what it failed to sync', async () => {
    const { log, disk, failures } = openTestLog();
    append(log);
    const mend = disk.failWhen(({ kind }) => (kind === 'sync' ? 'EIO' : null));
    await assert.rejects(log.flush(), StorageError);
    mend();
    await assert.rejects(log.flush(), StorageError);
    assert.equal(log.recoveryPoint, 0);
    assert.equal(failures.length, 1);
  });

  test('is found by whoever sends a region, and takes the log offline', () => {
    const { log, failures } = openTestLog();
    append(log);
    const { region } = log.read(0, all);
    assert.ok(region);
    region.readFailed(new DiskError('EIO', 'somewhere', 'the device is gone'));
    region.release();
    assert.equal(failures.length, 1);
    assert.throws(() => append(log), StorageError);
  });
});

describe('flushing', () => {
  test('is not done on appends unless flush.messages says so', () => {
    const { log, disk } = openTestLog();
    for (let index = 0; index < 10; index++) assert.equal(append(log).flushed, null);
    assert.equal(disk.operationCounts.get('sync') ?? 0, 0);
  });

  test('with flush.messages=1 is one sync for all who wait, and moves the recovery point', async () => {
    const { log, disk } = openTestLog({ config: { flushMessages: 1 } });
    await append(log).flushed;
    const before = disk.operationCounts.get('sync') ?? 0;
    const waiting = Array.from({ length: 50 }, () => append(log).flushed);
    assert.ok(waiting.every((flushed) => flushed !== null));
    await Promise.all(waiting);
    assert.equal(log.recoveryPoint, 51);
    const syncs = (disk.operationCounts.get('sync') ?? 0) - before;
    assert.ok(syncs >= 1 && syncs <= 2, `${syncs} syncs for 50 appends`);
    const crashed = openTestLog({ disk: disk.crash({ unsynced: 'lost' }), hadCleanShutdown: false });
    assert.equal(crashed.log.logEndOffset, 51);
  });

  test('every so many messages goes on in the background', async () => {
    const { log } = openTestLog({ config: { flushMessages: 3 } });
    append(log);
    append(log);
    await log.whenFlushed(0);
    assert.equal(log.recoveryPoint, 0);
    append(log);
    await log.whenFlushed(3);
    assert.equal(log.recoveryPoint, 3);
  });

  test('rejects those whose records were truncated while they waited', async () => {
    const { log } = openTestLog({ config: { flushMessages: 1 } });
    append(log);
    const second = append(log).flushed;
    log.truncateTo(1);
    assert.ok(second);
    await assert.rejects(second, (error) => error instanceof KafkaError && error.errorName === 'NOT_LEADER_OR_FOLLOWER');
    assert.ok(log.recoveryPoint <= 1);
  });

  test('rejects those whose log is given up while they wait', async () => {
    const { log } = openTestLog({ config: { flushMessages: 1 } });
    const { flushed } = append(log);
    assert.ok(flushed);
    const [result] = await Promise.allSettled([flushed, log.abandon()]);
    assert.equal(result.status, 'rejected');
    assert.ok(result.reason instanceof KafkaError && result.reason.errorName === 'NOT_LEADER_OR_FOLLOWER');
  });

  test('follows a roll in the background, up to the new segment', async () => {
    const { log } = openTestLog({ config: { segmentBytes: 200 } });
    for (let index = 0; index < 3; index++) append(log);
    assert.equal(log.recoveryPoint, 0);
    for (let turn = 0; turn < 10 && log.recoveryPoint === 0; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(log.recoveryPoint, 2);
  });
});

describe('retention', () => {
  const filled = (config: Parameters<typeof openTestLog>[0]) => {
    const opened = openTestLog(config);
    for (let index = 0; index < 8; index++) append(opened.log, { timestamp: 1_000 + index * 100 });
    return opened;
  };

  test('by time deletes closed segments whose newest record is too old, and the last one too, after rolling it', () => {
    const { log } = filled({ config: { segmentBytes: 200, retentionMs: 1_000 } });
    log.updateHighWatermark(8);
    assert.equal(log.deleteOldSegments(2_100), 0);
    assert.equal(log.deleteOldSegments(2_101), 1);
    assert.deepEqual([log.logStartOffset, log.segmentCount], [2, 3]);
    assert.equal(log.deleteOldSegments(10_000), 3);
    assert.deepEqual([log.logStartOffset, log.logEndOffset, log.segmentCount], [8, 8, 1]);
    assert.equal(append(log).firstOffset, 8);
  });

  test('by size deletes from the start while what is left is still enough', () => {
    const { log } = filled({ config: { segmentBytes: 200, retentionMs: -1, retentionBytes: 300 } });
    log.updateHighWatermark(8);
    assert.equal(log.deleteOldSegments(0), 2);
    assert.equal(log.logStartOffset, 4);
    assert.ok(log.sizeInBytes >= 300);
  });

  test('never passes the high watermark (KAFKA-5634)', () => {
    const { log } = filled({ config: { segmentBytes: 200, retentionMs: 0, retentionBytes: 0 } });
    log.updateHighWatermark(3);
    assert.equal(log.deleteOldSegments(1_000_000), 1);
    assert.equal(log.logStartOffset, 2);
  });

  test('deletes by the log start offset even where the policy is to compact only', () => {
    const { log } = filled({ config: { segmentBytes: 200, retentionMs: 0, deletesOld: false } });
    log.updateHighWatermark(8);
    assert.equal(log.deleteOldSegments(1_000_000), 0);
    assert.ok(log.maybeIncrementLogStartOffset(5));
    assert.equal(log.deleteOldSegments(1_000_000), 2);
    assert.deepEqual([log.logStartOffset, log.firstSegmentOffset], [5, 4]);
    assert.ok(!log.maybeIncrementLogStartOffset(5), 'it only rises');
    assert.ok(log.maybeIncrementLogStartOffset(100));
    assert.equal(log.logStartOffset, 8, 'not above the high watermark');
  });
});
