import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import type { ErrorName } from '../../src/protocol/errors.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { defaultLogConfig } from '../../src/storage/log-configs.ts';
import { PartitionLog } from '../../src/storage/partition-log.ts';
import { decodeProducerSnapshot, encodeProducerSnapshot } from '../../src/storage/producer-snapshot.ts';

const NOW = 1_000_000;
const SEQUENCE_MAX = 0x7fff_ffff;

const openLog = (disk = new SimulatedDisk(), options: { readonly expirationMs?: number; readonly nowMs?: number } = {}) => {
  const environment = simulatedEnvironment({ disk });
  environment.clock.jump((options.nowMs ?? NOW) - environment.clock.now());
  return PartitionLog.open(environment, {
    directory: '/data/orders-0',
    topicPartition: { topic: 'orders', partition: 0 },
    topicId: null,
    config: { ...defaultLogConfig, messageTimestampAfterMaxMs: Infinity },
    logStartOffset: 0,
    recoveryPoint: 0,
    hadCleanShutdown: true,
    producerIdExpirationMs: () => options.expirationMs ?? 86_400_000,
  });
};

interface Sent {
  readonly producerId?: number;
  readonly epoch?: number;
  readonly sequence: number;
  readonly count?: number;
  readonly isTransactional?: boolean;
  readonly timestamp?: number;
}

const batchOf = ({ producerId = 7, epoch = 0, sequence, count = 1, isTransactional = false, timestamp = NOW }: Sent): Buffer =>
  buildBatch({
    records: Array.from({ length: count }, () => ({ timestamp, value: Buffer.from('v') })),
    producerId,
    producerEpoch: epoch,
    baseSequence: sequence,
    isTransactional,
  });

const send = (log: PartitionLog, sent: Sent) => log.appendAsLeader(batchOf(sent), { leaderEpoch: 0, origin: 'client', now: NOW });

/** A transaction marker as the coordinator writes it. */
const mark = (
  log: PartitionLog,
  marker: { producerId?: number; epoch?: number; isAbort: boolean; coordinatorEpoch?: number },
) => {
  const key = Buffer.from([0, 0, 0, marker.isAbort ? 0 : 1]);
  const value = Buffer.alloc(6);
  value.writeInt32BE(marker.coordinatorEpoch ?? 0, 2);
  const bytes = buildBatch({
    records: [{ timestamp: NOW, key, value }],
    producerId: marker.producerId ?? 7,
    producerEpoch: marker.epoch ?? 0,
    baseSequence: -1,
    isTransactional: true,
    isControl: true,
  });
  return log.appendAsLeader(bytes, { leaderEpoch: 0, origin: 'coordinator', now: NOW });
};

const refuses = (errorName: ErrorName, append: () => unknown): void => {
  assert.throws(append, (error) => error instanceof KafkaError && error.errorName === errorName);
};

describe('the state of idempotent producers', () => {
  test('lets sequences follow each other and start anew at any number for a producer that is not known', () => {
    const log = openLog();
    assert.equal(send(log, { sequence: 41, count: 3 }).firstOffset, 0);
    assert.equal(send(log, { sequence: 44 }).firstOffset, 3);
    assert.equal(log.producers.entry(7)?.lastSequence, 44);
  });

  test('answers a repeated batch with its first offsets, as long as it is one of the last five', () => {
    const log = openLog();
    for (let sequence = 0; sequence < 12; sequence += 2) send(log, { sequence, count: 2 });
    for (let sequence = 2; sequence < 12; sequence += 2) {
      const info = send(log, { sequence, count: 2 });
      assert.deepEqual([info.isDuplicate, info.firstOffset, info.lastOffset], [true, sequence, sequence + 1]);
    }
    assert.equal(log.logEndOffset, 12, 'nothing was written again');
    refuses('OUT_OF_ORDER_SEQUENCE_NUMBER', () => send(log, { sequence: 0, count: 2 }));
    refuses('OUT_OF_ORDER_SEQUENCE_NUMBER', () => send(log, { sequence: 10, count: 1 }));
  });

  test('refuses a gap, and leaves no trace of the refused batch', () => {
    const log = openLog();
    send(log, { sequence: 0 });
    refuses('OUT_OF_ORDER_SEQUENCE_NUMBER', () => send(log, { sequence: 2 }));
    assert.equal(log.logEndOffset, 1);
    assert.equal(send(log, { sequence: 1 }).firstOffset, 1);
  });

  test('wraps sequences from 2^31 − 1 to 0', () => {
    const log = openLog();
    send(log, { sequence: SEQUENCE_MAX - 1, count: 4 });
    assert.equal(log.producers.entry(7)?.lastSequence, 1);
    assert.ok(send(log, { sequence: SEQUENCE_MAX - 1, count: 4 }).isDuplicate);
    assert.equal(send(log, { sequence: 2 }).firstOffset, 4);
    const other = openLog();
    send(other, { sequence: SEQUENCE_MAX });
    assert.equal(send(other, { sequence: 0 }).firstOffset, 1);
  });

  test('fences an older epoch, and lets a newer one start with sequence 0 only', () => {
    const log = openLog();
    send(log, { epoch: 3, sequence: 0 });
    refuses('INVALID_PRODUCER_EPOCH', () => send(log, { epoch: 2, sequence: 1 }));
    refuses('OUT_OF_ORDER_SEQUENCE_NUMBER', () => send(log, { epoch: 4, sequence: 1 }));
    assert.equal(send(log, { epoch: 4, sequence: 0 }).firstOffset, 1);
    assert.ok(!send(log, { epoch: 4, sequence: 1 }).isDuplicate);
  });

  test('survives a clean restart in a snapshot, and an unclean one in the batches', async () => {
    const disk = new SimulatedDisk();
    const log = openLog(disk);
    for (let sequence = 0; sequence < 7; sequence++) send(log, { sequence });
    await log.close({ flush: true });
    const again = openLog(disk);
    assert.equal(again.producers.entry(7)?.lastSequence, 6);
    assert.ok(send(again, { sequence: 6 }).isDuplicate, 'the snapshot remembers the last batch');
    refuses('OUT_OF_ORDER_SEQUENCE_NUMBER', () => send(again, { sequence: 5 }));

    const environment = simulatedEnvironment({ disk: disk.crash({ unsynced: 'kept' }) });
    environment.clock.jump(NOW - environment.clock.now());
    const recovered = PartitionLog.open(environment, {
      directory: '/data/orders-0',
      topicPartition: { topic: 'orders', partition: 0 },
      topicId: null,
      config: defaultLogConfig,
      logStartOffset: 0,
      recoveryPoint: 0,
      hadCleanShutdown: false,
    });
    assert.ok(send(recovered, { sequence: 3 }).isDuplicate, 'the batches remember more');
  });

  test('is forgotten after producer.id.expiration.ms without a batch, but not while a transaction is open', () => {
    const log = openLog();
    send(log, { producerId: 1, sequence: 0, timestamp: NOW });
    send(log, { producerId: 2, sequence: 0, timestamp: NOW, isTransactional: true });
    log.producers.removeExpired(NOW + 86_399_999);
    assert.equal(log.producers.size, 2);
    log.producers.removeExpired(NOW + 86_400_000);
    assert.deepEqual(
      [...log.producers.active].map((entry) => entry.producerId),
      [2],
    );
    assert.equal(send(log, { producerId: 1, sequence: 9 }).isDuplicate, false, 'any sequence is a start again');
  });

  test('is truncated with the log', () => {
    const log = openLog();
    for (let sequence = 0; sequence < 4; sequence++) send(log, { sequence });
    log.truncateTo(2);
    assert.equal(log.producers.entry(7)?.lastSequence, 1);
    assert.equal(send(log, { sequence: 2 }).firstOffset, 2);
  });

  test('takes from a leader what the leader accepted', () => {
    const log = openLog();
    send(log, { epoch: 3, sequence: 0 });
    const bytes = batchOf({ epoch: 1, sequence: 40 });
    bytes.writeBigInt64BE(1n, 0);
    log.appendAsFollower(bytes);
    assert.equal(log.logEndOffset, 2);
  });
});

describe('transactions in a log', () => {
  test('hold back the last stable offset until their marker is below the high watermark', () => {
    const log = openLog();
    send(log, { sequence: 0 });
    send(log, { producerId: 8, sequence: 0, isTransactional: true });
    send(log, { producerId: 9, sequence: 0, isTransactional: true });
    log.updateHighWatermark(3);
    assert.equal(log.lastStableOffset, 1);
    mark(log, { producerId: 8, isAbort: false });
    log.updateHighWatermark(3);
    assert.equal(log.lastStableOffset, 1, 'the marker is not replicated');
    log.updateHighWatermark(4);
    assert.equal(log.lastStableOffset, 2, 'the other one is open');
    mark(log, { producerId: 9, isAbort: true });
    log.updateHighWatermark(5);
    assert.equal(log.lastStableOffset, 5);
  });

  test('that were aborted are told to read_committed readers of their range only', () => {
    const log = openLog();
    send(log, { producerId: 8, sequence: 0, isTransactional: true });
    send(log, { producerId: 9, sequence: 0, isTransactional: true });
    mark(log, { producerId: 9, isAbort: true });
    mark(log, { producerId: 8, isAbort: true });
    send(log, { sequence: 0 });
    log.updateHighWatermark(5);
    const read = (offset: number) => {
      const found = log.read(offset, { maxBytes: 1_000_000, upTo: 'last-stable-offset', minOneBatch: true });
      found.region?.release();
      return found.abortedTransactions?.map(({ producerId, firstOffset, lastOffset }) => [producerId, firstOffset, lastOffset]);
    };
    assert.deepEqual(read(0), [
      [9, 1, 2],
      [8, 0, 3],
    ]);
    assert.deepEqual(read(3), [[8, 0, 3]]);
    assert.deepEqual(read(4), []);
    assert.deepEqual(read(5), []);
    const uncommitted = log.read(0, { maxBytes: 1_000, upTo: 'high-watermark', minOneBatch: true });
    uncommitted.region?.release();
    assert.equal(uncommitted.abortedTransactions, null);
  });

  test('refuse a batch outside of the transaction, and a marker of a coordinator that was replaced', () => {
    const log = openLog();
    send(log, { sequence: 0, isTransactional: true });
    refuses('INVALID_TXN_STATE', () => send(log, { sequence: 1 }));
    mark(log, { isAbort: false, coordinatorEpoch: 5 });
    refuses('TRANSACTION_COORDINATOR_FENCED', () => mark(log, { isAbort: true, coordinatorEpoch: 4 }));
  });

  test('are aborted as soon as there is room for that on a full disk, and not by half', () => {
    const disk = new SimulatedDisk();
    const log = openLog(disk);
    send(log, { sequence: 0, isTransactional: true });
    const logBytes = log.sizeInBytes;
    const index = '/data/orders-0/00000000000000000000.txnindex';
    for (const full of ['.txnindex', '.log']) {
      const mend = disk.failWhen(({ kind, path }) =>
        kind === 'write' && path.endsWith(full) ? { code: 'ENOSPC', bytesWritten: 10 } : null,
      );
      for (let time = 0; time < 2; time++) refuses('KAFKA_STORAGE_ERROR', () => mark(log, { isAbort: true }));
      assert.deepEqual([log.isOffline, log.logEndOffset, log.lastStableOffset, log.sizeInBytes], [false, 1, 0, logBytes]);
      assert.equal(disk.contents(index).length, 0);
      mend();
    }
    mark(log, { isAbort: true });
    log.updateHighWatermark(log.logEndOffset);
    assert.deepEqual([log.logEndOffset, log.lastStableOffset], [2, 2]);
    assert.equal(disk.contents(index).length, 34);
    const { abortedTransactions, region } = log.read(0, { maxBytes: 1000, upTo: 'last-stable-offset', minOneBatch: true });
    region?.release();
    const told = abortedTransactions?.map(({ producerId, firstOffset, lastOffset }) => [producerId, firstOffset, lastOffset]);
    assert.deepEqual(told, [[7, 0, 1]]);
  });

  test('can use sequences of an aborted transaction again after an epoch bump', () => {
    const log = openLog();
    send(log, { sequence: 0, isTransactional: true });
    mark(log, { isAbort: true, epoch: 1 });
    const info = send(log, { epoch: 1, sequence: 0, isTransactional: true });
    assert.deepEqual([info.isDuplicate, info.firstOffset], [false, 2]);
  });
});

describe('a producer snapshot', () => {
  const entries = [
    {
      producerId: 2 ** 40,
      producerEpoch: 3,
      lastSequence: SEQUENCE_MAX,
      lastOffset: 2 ** 41,
      offsetDelta: 5,
      timestamp: NOW,
      coordinatorEpoch: -1,
      currentTransactionFirstOffset: -1,
    },
  ];

  test('reads as it was written', () => assert.deepEqual(decodeProducerSnapshot(encodeProducerSnapshot(entries)), entries));

  test('is refused if any byte of it is another', () => {
    const bytes = encodeProducerSnapshot(entries);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      assert.equal(decodeProducerSnapshot(damaged), null, `byte ${at}`);
      assert.equal(decodeProducerSnapshot(bytes.subarray(0, at)), null, `${at} bytes`);
    }
  });
});
