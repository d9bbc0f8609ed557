import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { PartitionRaftLog, type PartitionRaftLogOptions } from '../../src/raft/partition-raft-log.ts';
import { SnapshotError } from '../../src/raft/snapshot-reader.ts';
import { SnapshotWriter } from '../../src/raft/snapshot-writer.ts';

const DAY_MS = 86_400_000;

interface Opened {
  readonly log: PartitionRaftLog;
  readonly environment: ReturnType<typeof simulatedEnvironment>;
}

function openLog(disk: SimulatedDisk | null, options: Partial<PartitionRaftLogOptions> = {}): Opened {
  const environment = simulatedEnvironment(disk === null ? {} : { disk });
  environment.disk.makeDirectory('/data');
  environment.disk.syncDirectory('/');
  const log = PartitionRaftLog.open(environment, {
    logDirectory: '/data',
    segmentBytes: 1024,
    segmentMs: 7 * DAY_MS,
    retentionBytes: -1,
    retentionMs: -1,
    ...options,
  });
  return { log, environment };
}

const batch = (baseOffset: number, epoch: number, texts: readonly string[], timestamp = 1): Buffer =>
  buildBatch({
    records: texts.map((text) => ({ timestamp, value: Buffer.from(text) })),
    baseOffset,
    partitionLeaderEpoch: epoch,
  });

const offsetsOf = (bytes: Buffer): number[] => [...batchesOf(bytes)].map(({ baseOffset }) => baseOffset);

async function snapshot(
  { log, environment }: Opened,
  offset: number,
  epoch: number,
  lastContainedLogTimestamp = 0,
): Promise<void> {
  const id = { offset, epoch };
  const sink = log.createSnapshot(id);
  assert.ok(sink);
  const serde = { encode: (text: string) => Buffer.from(text) };
  const writer = new SnapshotWriter<string>({
    id,
    sink,
    clock: environment.clock,
    serde,
    lastContainedLogTimestamp,
    quorum: null,
  });
  writer.append('state');
  const frozen = writer.freeze();
  await environment.clock.scheduler.resolve(frozen);
}

test('what was flushed is there after a power cut, with its epoch, and what was not is gone without a trace', async () => {
  const opened = openLog(null);
  opened.log.appendAsLeader([batch(0, 1, ['a', 'b'])], 1);
  opened.log.appendAsLeader([batch(2, 3, ['c'])], 3);
  await opened.environment.clock.scheduler.resolve(opened.log.flush());
  opened.log.appendAsLeader([batch(3, 3, ['d'])], 3);
  const { log } = openLog(opened.environment.disk.crash({ unsynced: 'lost' }));
  assert.deepEqual(log.end, { offset: 3, epoch: 3 });
  assert.deepEqual(offsetsOf(log.read(0, 3, 1_000_000)), [0, 2]);
});

test('reading stops at the end that is asked for and gives at least one batch', () => {
  const { log } = openLog(null);
  for (let offset = 0; offset < 40; offset++) log.appendAsLeader([batch(offset, 1, ['x'.repeat(50)])], 1);
  assert.deepEqual(offsetsOf(log.read(3, 6, 1_000_000)).slice(0, 3), [3, 4, 5]);
  assert.deepEqual(offsetsOf(log.read(3, 6, 1)), [3]);
  let offset = 0;
  while (offset < 40) offset = (offsetsOf(log.read(offset, 40, 500)).at(-1) ?? 40) + 1;
  assert.equal(offset, 40);
});

test('a damaged batch and what follows it are cut off at the next start', async () => {
  const opened = openLog(null, { segmentBytes: 1_000_000 });
  for (let offset = 0; offset < 5; offset++) opened.log.appendAsLeader([batch(offset, 1, ['text'])], 1);
  await opened.environment.clock.scheduler.resolve(opened.log.flush());
  await opened.environment.clock.scheduler.resolve(opened.log.close());
  const { disk } = opened.environment;
  const path = '/data/__cluster_metadata-0/00000000000000000000.log';
  const size = disk.contents(path).length;
  disk.flipBit(path, Math.floor(size * 0.7));
  const { log } = openLog(disk);
  assert.deepEqual(log.end, { offset: 3, epoch: 1 });
});

test('a snapshot that a crash interrupted does not exist', async () => {
  const opened = openLog(null);
  opened.log.appendAsLeader([batch(0, 1, ['a'])], 1);
  await opened.environment.clock.scheduler.resolve(opened.log.flush());
  opened.log.createSnapshot({ offset: 1, epoch: 1 })?.append(Buffer.from('half'));
  const { log, environment } = openLog(opened.environment.disk.crash({ unsynced: 'kept' }));
  assert.deepEqual(log.snapshots(), []);
  const names = environment.disk.list('/data/__cluster_metadata-0').map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => name.includes('checkpoint.part')),
    [],
  );
});

test('a finished snapshot survives a power cut', async () => {
  const opened = openLog(null);
  opened.log.appendAsLeader([batch(0, 1, ['a'])], 1);
  await opened.environment.clock.scheduler.resolve(opened.log.flush());
  await snapshot(opened, 1, 1);
  const { log } = openLog(opened.environment.disk.crash({ unsynced: 'lost' }));
  assert.deepEqual(log.snapshots(), [{ offset: 1, epoch: 1 }]);
});

async function filled(options: Partial<PartitionRaftLogOptions>): Promise<Opened> {
  const opened = openLog(null, options);
  for (let offset = 0; offset < 100; offset++) opened.log.appendAsLeader([batch(offset, 1, ['x'.repeat(50)])], 1);
  await opened.environment.clock.scheduler.resolve(opened.log.flush());
  opened.log.updateHighWatermark(100);
  for (const offset of [20, 40, 60, 80]) await snapshot(opened, offset, 1, offset * DAY_MS);
  return opened;
}

test('the oldest snapshots go when there is too much, and the log before the oldest that stays goes with them', async () => {
  const opened = await filled({ retentionBytes: 8000 });
  const { log, environment } = opened;
  log.clean(0);
  const [oldest] = log.snapshots();
  assert.ok(oldest !== undefined && oldest.offset > 20);
  assert.ok(log.startOffset <= oldest.offset && log.startOffset > 20, `begins at ${log.startOffset}`);
  await environment.clock.scheduler.resolve(log.close());
  const again = openLog(environment.disk).log;
  assert.deepEqual(again.end, { offset: 100, epoch: 1 });
  assert.ok(again.startOffset > 0 && again.startOffset <= oldest.offset);
});

test('snapshots go when they are too old, but never the last one', async () => {
  const { log } = await filled({ retentionMs: 10 * DAY_MS });
  log.clean(55 * DAY_MS);
  assert.deepEqual(
    log.snapshots().map(({ offset }) => offset),
    [60, 80],
  );
  log.clean(1000 * DAY_MS);
  assert.deepEqual(
    log.snapshots().map(({ offset }) => offset),
    [80],
  );
  assert.equal(log.startOffset, 80);
});

test('nothing that is not committed is let go', async () => {
  const { log } = await filled({ retentionBytes: 0 });
  const fresh = await filled({ retentionBytes: 0 });
  assert.ok(log.highWatermark === 100 && fresh.log.highWatermark === 100);
  log.clean(0);
  assert.deepEqual(
    log.snapshots().map(({ offset }) => offset),
    [80],
  );
  const early = openLog(null, { retentionBytes: 0 });
  early.log.appendAsLeader([batch(0, 1, ['a', 'b', 'c'])], 1);
  await snapshot(early, 1, 1);
  await snapshot(early, 2, 1);
  early.log.clean(0);
  assert.equal(early.log.snapshots().length, 2);
});

test('a log that begins later than every snapshot is refused: what came before is nowhere', async () => {
  const { log, environment } = await filled({ retentionBytes: 4000 });
  log.clean(0);
  await environment.clock.scheduler.resolve(log.close());
  const { disk } = environment;
  for (const { name } of disk.list('/data/__cluster_metadata-0')) {
    if (name.endsWith('.checkpoint')) disk.remove(`/data/__cluster_metadata-0/${name}`);
  }
  assert.throws(() => openLog(disk), SnapshotError);
});

test('a snapshot beyond the end of the log replaces the log', async () => {
  const opened = openLog(null);
  opened.log.appendAsLeader([batch(0, 1, ['a'])], 1);
  await opened.environment.clock.scheduler.resolve(opened.log.flush());
  await snapshot(opened, 50, 4);
  await opened.environment.clock.scheduler.resolve(opened.log.close());
  const { log } = openLog(opened.environment.disk);
  assert.equal(log.startOffset, 50);
  assert.deepEqual(log.end, { offset: 50, epoch: 4 });
});
