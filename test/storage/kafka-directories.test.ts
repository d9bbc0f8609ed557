import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { decodeProducerSnapshot } from '../../src/storage/producer-snapshot.ts';
import { defaultLogConfig } from '../../src/storage/log-configs.ts';
import { LogManager } from '../../src/storage/log-manager.ts';
import { defaultLogManagerSettings } from '../../src/storage/log-manager-settings.ts';
import { PartitionLog } from '../../src/storage/partition-log.ts';
import { OffsetIndex } from '../../src/storage/offset-index.ts';
import { TimeIndex } from '../../src/storage/time-index.ts';
import { TransactionIndex } from '../../src/storage/transaction-index.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import {
  type ExpectedFixture,
  type ExpectedPartition,
  expectedOf,
  fixtureConfig,
  fixtureEnvironment,
  unpackFixture,
} from './disk-fixture.ts';
import { batchesIn, consume } from './log-facts.ts';

const CLEAN = ['plain', 'leader-epochs', 'transactions', 'transactions-v0', 'compacted', 'groups', 'metadata-v0', 'metadata-v1'];

/** A clock soon after the fixture was taken: or transactions and producers expire. */
const openManager = async (context: TestContext, directory: string, expected: ExpectedFixture) => {
  const { environment, lines, clock } = fixtureEnvironment(expected.takenAtMs);
  const manager = await LogManager.start(environment, {
    logDirectories: [directory],
    configOf: fixtureConfig,
    settings: defaultLogManagerSettings,
  });
  context.after(() => manager.abandon());
  return { manager, lines, clock, environment };
};

const userPartitions = (expected: ExpectedFixture): [string, ExpectedPartition][] =>
  Object.entries(expected.partitions).filter(([name]) => !name.startsWith('__cluster_metadata'));

const partitionOf = (name: string) => {
  const dash = name.lastIndexOf('-');
  return { topic: name.slice(0, dash), partition: Number(name.slice(dash + 1)) };
};

const logOf = (manager: LogManager, name: string): PartitionLog => {
  const log = manager.getLog(partitionOf(name));
  assert.ok(log, `${name} is open`);
  return log;
};

for (const fixture of CLEAN) {
  describe(`a directory that Kafka 4.4 stopped cleanly: ${fixture}`, () => {
    const expected = expectedOf(fixture);

    test('opens with the offsets, epochs and transactions that are in it', async (context) => {
      const { manager, lines } = await openManager(context, unpackFixture(context, fixture), expected);
      assert.equal(manager.logs.length, userPartitions(expected).length);
      for (const [name, facts] of userPartitions(expected)) {
        const log = logOf(manager, name);
        assert.equal(log.topicId, facts.topicId, name);
        assert.equal(log.logStartOffset, facts.logStartOffset, name);
        assert.equal(log.logEndOffset, facts.logEndOffset, name);
        assert.equal(log.recoveryPoint, facts.recoveryPoint, name);
        assert.equal(log.highWatermark, facts.highWatermarkCheckpoint, name);
        assert.equal(log.lastStableOffset, facts.lastStableOffset, name);
        // An epoch in which nothing was written is forgotten at start, as in Kafka; the next leader writes its own.
        const epochs = facts.leaderEpochs.filter(([, startOffset]) => startOffset < facts.logEndOffset);
        assert.deepEqual(
          log.epochs.map(({ epoch, startOffset }) => [epoch, startOffset]),
          epochs,
          name,
        );
        const open = [...log.producers.active].filter((entry) => entry.transactionFirstOffset >= 0);
        const openOffsets = Object.fromEntries(open.map((entry) => [String(entry.producerId), entry.transactionFirstOffset]));
        assert.deepEqual(openOffsets, facts.openTransactions, name);
      }
      assert.deepEqual(lines, [], 'nothing to complain of');
    });

    test('reads every batch as it lies in the files', async (context) => {
      const { manager } = await openManager(context, unpackFixture(context, fixture), expected);
      for (const [name, facts] of userPartitions(expected)) {
        const log = logOf(manager, name);
        const wanted = facts.segments.flatMap((segment) => segment.batches);
        const read = [...batchesIn(log, 'log-end')].map(({ batch }) => ({
          size: batch.sizeInBytes,
          baseOffset: batch.baseOffset,
          lastOffset: batch.lastOffset,
          leaderEpoch: batch.partitionLeaderEpoch,
          crc: batch.crc,
          attributes: batch.attributes,
          baseTimestamp: batch.baseTimestamp,
          maxTimestamp: batch.maxTimestamp,
          producerId: batch.producerId,
          producerEpoch: batch.producerEpoch,
          baseSequence: batch.baseSequence,
          count: batch.recordsCount,
        }));
        const readable = wanted.filter((batch) => batch.lastOffset >= facts.logStartOffset);
        assert.equal(read.length, readable.length, name);
        for (const [index, batch] of read.entries()) assert.deepEqual({ ...readable[index], ...batch }, readable[index], name);
      }
    });

    test('shows consumers what Kafka shows them', async (context) => {
      const { manager } = await openManager(context, unpackFixture(context, fixture), expected);
      for (const [topic, { partitions }] of Object.entries(expected.afterStart.client.topics)) {
        for (const [partition, seen] of Object.entries(partitions)) {
          // The broker that was asked wrote to its own topics before it answered.
          if (topic.startsWith('__')) continue;
          const log = logOf(manager, `${topic}-${partition}`);
          assert.equal(log.logStartOffset, seen.earliest.offset);
          assert.equal(log.highWatermark, seen.latest.offset);
          assert.equal(log.lastStableOffset, seen.latestReadCommitted.offset);
          const latest = log.offsetOfMaxTimestamp();
          assert.equal(latest?.offset ?? -1, seen.maxTimestamp.offset, `${topic}-${partition}`);
          assert.equal(latest?.timestamp ?? -1, seen.maxTimestamp.timestamp);
          for (const isolation of ['read_uncommitted', 'read_committed'] as const) {
            const wanted = seen[isolation];
            if (wanted === undefined) continue;
            const { count, lastOffset, sha256 } = wanted;
            assert.deepEqual(consume(log, isolation), { count, lastOffset, sha256 }, `${topic}-${partition} ${isolation}`);
          }
        }
      }
    });

    test('finds every record by its time as a scan does', async (context) => {
      const { manager } = await openManager(context, unpackFixture(context, fixture), expected);
      for (const [name, facts] of userPartitions(expected)) {
        const log = logOf(manager, name);
        const batches = facts.segments.flatMap((segment) => segment.batches);
        for (const { maxTimestamp } of batches.slice(0, 40)) {
          const found = log.offsetForTimestamp(maxTimestamp);
          const first = batches.find((batch) => batch.maxTimestamp >= maxTimestamp && batch.lastOffset >= facts.logStartOffset);
          if (first === undefined) continue;
          // A batch whose header promises the time may have lost its record to compaction; then a later one is found.
          assert.ok(found === null || found.offset >= Math.max(first.baseOffset, facts.logStartOffset), name);
          assert.ok(found === null || found.timestamp >= maxTimestamp, name);
        }
        assert.equal(log.offsetForTimestamp(2 ** 52), null);
      }
    });

    test('has indexes and producer snapshots that read as Kafka reads them', (context) => {
      const directory = unpackFixture(context, fixture);
      for (const [name, facts] of Object.entries(expected.partitions)) {
        for (const segment of facts.segments) checkIndexes(join(directory, name), segment);
        for (const snapshot of facts.producerSnapshots) {
          const rows = decodeProducerSnapshot(readFileSync(join(directory, name, snapshot.file)));
          assert.deepEqual(
            rows?.map(({ producerEpoch, currentTransactionFirstOffset, ...row }) => ({
              ...row,
              epoch: producerEpoch,
              currentTxnFirstOffset: currentTransactionFirstOffset,
            })),
            snapshot.producerEntries,
          );
        }
      }
    });

    test('stops as clean as it was, with the same files', async (context) => {
      const directory = unpackFixture(context, fixture);
      const before = bytesOf(directory, expected, () => true);
      const { manager } = await openManager(context, directory, expected);
      await manager.shutdown({ brokerEpoch: 5 });
      assert.equal(readFileSync(join(directory, '.kafka_cleanshutdown'), 'utf8'), '{"version":0,"brokerEpoch":5}');
      const isKept = (file: string): boolean => isKeptByKafka(file, expected);
      const after = bytesOf(directory, expected, isKept);
      assert.ok(after.size > 10);
      for (const [file, bytes] of after) assert.ok(before.get(file)?.equals(bytes), `${file} is as it was`);
    });
  });
}

describe('the metadata log', () => {
  for (const fixture of ['metadata-v0', 'metadata-v1', 'plain']) {
    test(`opens as raft opens it, every batch checked, with Kafka's preallocated indexes: ${fixture}`, async (context) => {
      const directory = unpackFixture(context, fixture);
      const expected = expectedOf(fixture);
      const facts = expected.partitions['__cluster_metadata-0'];
      assert.ok(facts);
      const { environment, lines } = fixtureEnvironment(expected.takenAtMs);
      const log = PartitionLog.open(environment, {
        directory: join(directory, '__cluster_metadata-0'),
        topicPartition: { topic: '__cluster_metadata', partition: 0 },
        topicId: null,
        config: { ...defaultLogConfig, retentionMs: -1 },
        logStartOffset: 0,
        recoveryPoint: 0,
        hadCleanShutdown: false,
      });
      context.after(() => log.abandon());
      assert.deepEqual(lines, []);
      assert.equal(log.logStartOffset, facts.logStartOffset);
      assert.equal(log.logEndOffset, facts.logEndOffset);
      assert.deepEqual(
        log.epochs.map(({ epoch, startOffset }) => [epoch, startOffset]),
        facts.leaderEpochs,
      );
      const count = facts.segments.reduce((sum, segment) => sum + segment.batchCount, 0);
      assert.equal([...batchesIn(log, 'log-end')].length, count);
      await log.close({ flush: true });
      // Kafka does not close the last segment's time index.
      for (const segment of facts.segments.slice(0, -1)) checkIndexes(join(directory, '__cluster_metadata-0'), segment);
    });
  }
});

function bytesOf(directory: string, expected: ExpectedFixture, isWanted: (file: string) => boolean): Map<string, Buffer> {
  const names = Object.keys(expected.files).filter((file) => !file.endsWith('.deleted') && isWanted(file));
  return new Map(names.map((file) => [file, readFileSync(join(directory, file))]));
}

/** Files of user partitions that a restart of Kafka leaves: not the snapshots below the log start, nor those of earlier stops. */
function isKeptByKafka(file: string, expected: ExpectedFixture): boolean {
  const [directory = '', name = ''] = file.split('/');
  const facts = expected.partitions[directory];
  if (facts === undefined || directory.startsWith('__cluster_metadata')) return false;
  if (!name.endsWith('.snapshot')) return /\.(log|index|timeindex|txnindex)$|^partition\.metadata$/.test(name);
  const offset = Number.parseInt(name, 10);
  const isOfSegment = facts.segments.some((segment) => segment.baseOffset === offset);
  return offset > facts.logStartOffset && (isOfSegment || offset === facts.logEndOffset);
}

function checkIndexes(directory: string, segment: ExpectedPartition['segments'][number]): void {
  const { baseOffset } = segment;
  const path = (suffix: string): string => join(directory, `${String(baseOffset).padStart(20, '0')}${suffix}`);
  const offsetIndex = OffsetIndex.open(nodeDisk, path('.index'), baseOffset);
  const timeIndex = TimeIndex.open(nodeDisk, path('.timeindex'), baseOffset);
  assert.ok(offsetIndex && timeIndex);
  const offsets = Array.from({ length: offsetIndex.count }, (_, index) => offsetIndex.entry(index));
  assert.deepEqual(
    offsets.map(({ offset, position }) => [offset, position]),
    segment.offsetIndex,
  );
  const times = Array.from({ length: timeIndex.count }, (_, index) => timeIndex.entry(index));
  assert.deepEqual(
    times.map(({ timestamp, offset }) => [timestamp, offset]),
    segment.timeIndex,
  );
  const transactions = new TransactionIndex(nodeDisk, path('.txnindex'));
  assert.ok(transactions.isSane);
  const wanted = (segment.transactionIndex ?? []).map(({ producerId, firstOffset, lastOffset, lastStableOffset }) => ({
    producerId,
    firstOffset,
    lastOffset,
    lastStableOffset,
  }));
  assert.deepEqual(transactions.entries, wanted);
}
