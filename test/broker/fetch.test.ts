import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf } from '../../src/protocol/errors.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { deleteRecords } from '../../src/protocol/messages/21-delete-records.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { NO_LIMIT, type ResponseOf } from '../../src/protocol/schema.ts';
import { type CallOptions, idOf, TestBroker } from './test-broker.ts';

const ZERO = 'AAAAAAAAAAAAAAAAAAAAAA';
type Answer = ResponseOf<typeof fetch>;

interface Wanted {
  readonly topic?: string;
  readonly partition?: number;
  readonly fetchOffset?: number;
  readonly currentLeaderEpoch?: number;
  readonly lastFetchedEpoch?: number;
  readonly partitionMaxBytes?: number;
}

interface Asked {
  readonly version?: number;
  readonly maxWaitMs?: number;
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly isolationLevel?: number;
  readonly session?: readonly [number, number];
  readonly replicaId?: number;
  readonly options?: CallOptions;
}

const fetchFrom = (broker: TestBroker, wanted: readonly Wanted[], asked: Asked = {}): Promise<Answer> => {
  const { version = 17, session = [0, -1], replicaId = -1 } = asked;
  const topics = wanted.map((one) => ({
    topic: one.topic ?? 'a',
    topicId: idOf(one.topic ?? 'a'),
    partitions: [
      {
        partition: one.partition ?? 0,
        fetchOffset: one.fetchOffset ?? 0,
        currentLeaderEpoch: one.currentLeaderEpoch ?? -1,
        lastFetchedEpoch: one.lastFetchedEpoch ?? -1,
        partitionMaxBytes: one.partitionMaxBytes ?? 1 << 20,
        replicaDirectoryId: ZERO,
        highWatermark: NO_LIMIT,
      },
    ],
  }));
  return broker.call(
    fetch,
    version,
    {
      ...(version < 15 ? { replicaId } : { replicaState: { replicaId, replicaEpoch: replicaId < 0 ? -1 : replicaId * 10 } }),
      maxWaitMs: asked.maxWaitMs ?? 0,
      minBytes: asked.minBytes ?? 1,
      maxBytes: asked.maxBytes ?? 50 << 20,
      isolationLevel: asked.isolationLevel ?? 0,
      sessionId: session[0],
      sessionEpoch: session[1],
      topics,
      forgottenTopicsData: [],
      rackId: '',
    },
    asked.options,
  );
};

const only = (answer: Answer) => {
  const partition = answer.responses[0]?.partitions[0];
  assert.ok(partition !== undefined);
  return partition;
};
const errorOf = async (broker: TestBroker, wanted: Wanted, asked: Asked = {}) =>
  only(await fetchFrom(broker, [wanted], asked)).errorCode;
const bytesIn = (answer: Answer) =>
  answer.responses.flatMap(({ partitions }) => partitions.map(({ records }) => records?.length ?? -1));

const batch = (...values: string[]) =>
  buildBatch({ records: values.map((value) => ({ key: null, value: Buffer.from(value), timestamp: 1_767_225_600_000 })) });

const write = async (broker: TestBroker, records: Buffer, { topic = 'a', index = 0, acks = -1 } = {}) => {
  const topicData = [{ topicId: idOf(topic), partitionData: [{ index, records }] }];
  const answer = await broker.call(produce, 13, { acks, timeoutMs: 30_000, topicData });
  assert.equal(answer.responses[0]?.partitionResponses[0]?.errorCode, 0);
};

const gauge = (broker: TestBroker, name: string) =>
  broker.environment.metrics.gauges.get(`kafka.server:type=DelayedOperationPurgatory,name=${name},delayedOperation=Fetch`)?.();

const brokerWith = async (topic: Parameters<TestBroker['createTopic']>[1] = {}) => {
  const broker = await TestBroker.start();
  broker.createTopic('a', { partitions: 2, ...topic });
  return broker;
};

/** Tells when a promise has been settled. */
const watch = <T>(promise: Promise<T>) => {
  const watched = { promise, isSettled: false };
  const settled = () => void (watched.isSettled = true);
  promise.then(settled, settled);
  return watched;
};

describe('Fetch', () => {
  it('answers each version with the records and the marks around them', async () => {
    const broker = await brokerWith();
    const records = batch('x', 'y');
    await write(broker, records);
    for (let version = 4; version <= 18; version++) {
      const answer = await fetchFrom(broker, [{}], { version });
      const partition = only(answer);
      assert.deepEqual([partition.errorCode, partition.highWatermark, partition.lastStableOffset], [0, 2, 2]);
      assert.deepEqual(partition.abortedTransactions, null);
      const [stored] = batchesOf(partition.records ?? Buffer.alloc(0));
      assert.deepEqual([stored?.baseOffset, stored?.lastOffset, stored?.crc], [0, 1, records.readUInt32BE(17)]);
      assert.equal(answer.responses[0]?.topicId, version >= 13 ? idOf('a') : ZERO);
    }
    const committed = only(await fetchFrom(broker, [{}], { isolationLevel: 1 }));
    assert.deepEqual(committed.abortedTransactions, []);
  });

  it('says what is wrong with a partition, and what is not known of it', async () => {
    const broker = await brokerWith();
    await write(broker, batch('x'));
    const outOfRange = only(await fetchFrom(broker, [{ fetchOffset: 2 }]));
    const { errorCode, highWatermark, logStartOffset, abortedTransactions } = outOfRange;
    assert.deepEqual(
      [errorCode, highWatermark, logStartOffset, abortedTransactions],
      [codeOf('OFFSET_OUT_OF_RANGE'), -1, -1, null],
    );
    assert.equal(outOfRange.records?.length, 0);
    assert.equal(await errorOf(broker, { fetchOffset: -5 }), codeOf('OFFSET_OUT_OF_RANGE'));
    assert.equal(await errorOf(broker, { topic: 'zz' }), codeOf('UNKNOWN_TOPIC_ID'));
    assert.equal(await errorOf(broker, { topic: 'zz' }, { version: 12 }), codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
    assert.equal(await errorOf(broker, { partition: 9 }), codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
    assert.equal(await errorOf(broker, { currentLeaderEpoch: 5 }), codeOf('UNKNOWN_LEADER_EPOCH'));
    assert.equal(await errorOf(broker, { currentLeaderEpoch: 0 }), 0);
    assert.equal(await errorOf(broker, { currentLeaderEpoch: -2 }), 0);
    assert.equal(await errorOf(broker, { lastFetchedEpoch: 5 }), codeOf('OFFSET_OUT_OF_RANGE'));
    assert.equal(await errorOf(broker, {}, { replicaId: 5 }), codeOf('NOT_LEADER_OR_FOLLOWER'));
    assert.equal(await errorOf(broker, { partitionMaxBytes: -1 }), codeOf('UNKNOWN_SERVER_ERROR'));
    assert.equal((await fetchFrom(broker, [{}], { isolationLevel: 7 })).errorCode, codeOf('UNKNOWN_SERVER_ERROR'));
    assert.deepEqual(only(await fetchFrom(broker, [{ partition: 9 }])).abortedTransactions, []);
  });

  it('tells a fetcher whose log went another way where they part', async () => {
    const broker = await brokerWith();
    await write(broker, batch('x', 'y'));
    const answer = only(await fetchFrom(broker, [{ fetchOffset: 9, lastFetchedEpoch: 0 }], { maxWaitMs: 60_000 }));
    assert.deepEqual([answer.errorCode, answer.divergingEpoch], [0, { epoch: 0, endOffset: 2 }]);
    assert.equal(only(await fetchFrom(broker, [{ fetchOffset: 2, lastFetchedEpoch: 0 }])).divergingEpoch.epoch, -1);
  });

  it('spends the byte limit in order of the request, and gives the first batch whole', async () => {
    const broker = await brokerWith();
    const size = batch('0123456789').length;
    for (const index of [0, 1]) for (let count = 0; count < 3; count++) await write(broker, batch('0123456789'), { index });
    const both = [{ partition: 0 }, { partition: 1 }];
    assert.deepEqual(bytesIn(await fetchFrom(broker, both)), [3 * size, 3 * size]);
    assert.deepEqual(bytesIn(await fetchFrom(broker, both, { maxBytes: 4 * size })), [3 * size, size]);
    assert.deepEqual(
      bytesIn(await fetchFrom(broker, both, { maxBytes: 2 * size + 5 })),
      [2 * size + 5, 0],
      'the last batch may be cut',
    );
    assert.deepEqual(bytesIn(await fetchFrom(broker, both, { maxBytes: 1 })), [size, 0]);
    assert.deepEqual(bytesIn(await fetchFrom(broker, [{ partitionMaxBytes: 0 }, { partition: 1, partitionMaxBytes: 0 }])), [
      size,
      0,
    ]);
    assert.deepEqual(bytesIn(await fetchFrom(broker, [{ fetchOffset: 3 }, { partition: 1, partitionMaxBytes: 1 }])), [0, size]);
  });

  it('answers at once what is there, and waits for what is not (E7)', async () => {
    const broker = await brokerWith();
    const records = batch('0123456789');
    await write(broker, records);
    assert.deepEqual(bytesIn(await fetchFrom(broker, [{}], { maxWaitMs: 60_000 })), [records.length]);

    const short = watch(fetchFrom(broker, [{}], { maxWaitMs: 3000, minBytes: 1 << 20 }));
    await broker.advance(2999);
    assert.equal(short.isSettled, false);
    await broker.advance(1);
    assert.deepEqual(bytesIn(await short.promise), [records.length], 'what there is, when the time is over');

    const long = watch(fetchFrom(broker, [{ fetchOffset: 1 }], { maxWaitMs: 10_000 }));
    await broker.advance(1500);
    assert.equal(long.isSettled, false);
    await write(broker, records);
    await broker.settle();
    assert.equal(long.isSettled, true, 'the append completes the fetch');
    assert.deepEqual(bytesIn(await long.promise), [records.length]);
  });

  it('does not wait when nothing is asked, or something is wrong', async () => {
    const broker = await brokerWith();
    await write(broker, batch('x'));
    const asked = { maxWaitMs: 60_000, minBytes: 1 << 20 };
    assert.deepEqual((await fetchFrom(broker, [], asked)).responses, []);
    assert.equal(await errorOf(broker, { fetchOffset: 9 }, asked), codeOf('OFFSET_OUT_OF_RANGE'));
    assert.deepEqual(bytesIn(await fetchFrom(broker, [{ fetchOffset: 1 }], { maxWaitMs: 60_000, minBytes: 0 })), [0]);
  });

  it('counts one waiting fetch on two partitions as one operation with two keys', async () => {
    const broker = await brokerWith();
    const waiting = fetchFrom(broker, [{}, { partition: 1 }], { maxWaitMs: 15_000 });
    await broker.settle();
    assert.deepEqual([gauge(broker, 'NumDelayedOperations'), gauge(broker, 'PurgatorySize')], [1, 2]);
    await broker.advance(15_000);
    assert.deepEqual(bytesIn(await waiting), [0, 0]);
    assert.deepEqual([gauge(broker, 'NumDelayedOperations'), gauge(broker, 'PurgatorySize')], [0, 0]);
  });

  it('adds up what becomes readable in several partitions', async () => {
    const broker = await brokerWith();
    const size = batch('0123456789').length;
    const waiting = watch(fetchFrom(broker, [{}, { partition: 1 }], { maxWaitMs: 60_000, minBytes: 3 * size }));
    for (const index of [0, 1]) {
      await write(broker, batch('0123456789'), { index });
      await broker.settle();
      assert.equal(waiting.isSettled, false);
    }
    await write(broker, batch('0123456789'), { index: 1 });
    assert.deepEqual(bytesIn(await waiting.promise), [size, 2 * size]);
  });

  it('forgets a fetch whose connection is gone', async () => {
    const broker = await brokerWith();
    let disconnect: () => void = () => assert.fail('nobody listens');
    const options: CallOptions = {
      onDisconnected: (callback) => {
        disconnect = callback;
        return () => undefined;
      },
    };
    const waiting = watch(fetchFrom(broker, [{}], { maxWaitMs: 60_000, session: [0, 0], options }));
    await broker.settle();
    assert.equal(gauge(broker, 'NumDelayedOperations'), 1);
    disconnect();
    await broker.settle();
    assert.deepEqual(
      [waiting.isSettled, gauge(broker, 'NumDelayedOperations'), broker.services.fetchSessions.size],
      [true, 0, 0],
    );
  });

  it('answers at once a fetch that waits when its client will ask nothing more', async () => {
    const broker = await brokerWith();
    let end: () => void = () => assert.fail('nobody listens');
    let isWithdrawn = false;
    const options: CallOptions = {
      onEnded: (callback) => {
        end = callback;
        return () => void (isWithdrawn = true);
      },
    };
    const waiting = watch(fetchFrom(broker, [{}], { maxWaitMs: 2 ** 31 - 1, options }));
    await broker.settle();
    assert.equal(waiting.isSettled, false);
    end();
    assert.deepEqual(bytesIn(await waiting.promise), [0]);
    assert.deepEqual([isWithdrawn, gauge(broker, 'NumDelayedOperations'), gauge(broker, 'PurgatorySize')], [true, 0, 0]);
  });

  it('ends the wait when the topic is deleted, or another broker leads', async () => {
    const broker = await brokerWith({ replicas: [1, 2] });
    broker.registerBroker(2);
    const deposed = watch(fetchFrom(broker, [{}], { maxWaitMs: 60_000, version: 10 }));
    await broker.settle();
    assert.equal(deposed.isSettled, false);
    broker.apply(metadataRecord('PartitionChangeRecord', 1, { partitionId: 0, topicId: idOf('a'), leader: 2 }));
    assert.equal(only(await deposed.promise).errorCode, codeOf('NOT_LEADER_OR_FOLLOWER'));

    const deleted = watch(fetchFrom(broker, [{ partition: 1 }], { maxWaitMs: 60_000 }));
    await broker.settle();
    assert.equal(deleted.isSettled, false);
    broker.deleteTopic('a');
    assert.equal(only(await deleted.promise).errorCode, codeOf('UNKNOWN_TOPIC_ID'));
  });

  it('names the new leader and its address from version 16', async () => {
    const broker = await brokerWith({ replicas: [1, 2], leader: 2 });
    broker.registerBroker(2);
    const old = await fetchFrom(broker, [{}], { version: 10 });
    assert.deepEqual([only(old).errorCode, only(old).currentLeader.leaderId], [codeOf('NOT_LEADER_OR_FOLLOWER'), -1]);
    broker.apply(metadataRecord('PartitionChangeRecord', 1, { partitionId: 0, topicId: idOf('a'), leader: 2 }));
    const answer = await fetchFrom(broker, [{ currentLeaderEpoch: 0 }]);
    const told = [only(answer).errorCode, only(answer).currentLeader];
    assert.deepEqual(told, [codeOf('FENCED_LEADER_EPOCH'), { leaderId: 2, leaderEpoch: 1 }]);
    assert.deepEqual(answer.nodeEndpoints, [{ nodeId: 2, host: 'localhost', port: 9002, rack: null }]);
    const follower = await fetchFrom(broker, [{}], { replicaId: 5 });
    assert.deepEqual([only(follower).currentLeader.leaderId, follower.nodeEndpoints], [2, []], 'a follower knows the addresses');
  });

  it('lets consumers read from a follower from version 11, up to its high watermark', async () => {
    const broker = await brokerWith({ replicas: [1, 2], leader: 2 });
    assert.equal(await errorOf(broker, {}), 0);
    assert.equal(await errorOf(broker, {}, { version: 10 }), codeOf('NOT_LEADER_OR_FOLLOWER'));
  });

  it('opens sessions whose answers leave out what has no news', async () => {
    const broker = await brokerWith();
    await write(broker, batch('x'));
    const full = await fetchFrom(broker, [{ fetchOffset: 1 }, { partition: 1 }], { session: [0, 0] });
    assert.notEqual(full.sessionId, 0);
    assert.deepEqual(bytesIn(full), [0, 0]);
    const quiet = await fetchFrom(broker, [], { session: [full.sessionId, 1] });
    assert.deepEqual([quiet.errorCode, quiet.sessionId, quiet.responses], [0, full.sessionId, []]);
    await write(broker, batch('y'), { index: 1 });
    const news = await fetchFrom(broker, [], { session: [full.sessionId, 2] });
    assert.deepEqual(
      news.responses.map(({ partitions }) => partitions.map(({ partitionIndex }) => partitionIndex)),
      [[1]],
    );
    assert.equal(
      (await fetchFrom(broker, [], { session: [full.sessionId, 2] })).errorCode,
      codeOf('INVALID_FETCH_SESSION_EPOCH'),
    );
    assert.equal((await fetchFrom(broker, [], { session: [full.sessionId, -1] })).sessionId, 0);
    assert.equal((await fetchFrom(broker, [], { session: [full.sessionId, 3] })).errorCode, codeOf('FETCH_SESSION_ID_NOT_FOUND'));
  });

  it('gives back every file it opened, also where an answer leaves records out', async () => {
    const broker = await brokerWith();
    await write(broker, batch('x'));
    const session = [0, 0] as const;
    const { sessionId } = await fetchFrom(broker, [{}], { session });
    const slow = fetchFrom(broker, [{ fetchOffset: 1 }], { session: [sessionId, 1], maxWaitMs: 1000 });
    await fetchFrom(broker, [], { session: [sessionId, 2] });
    await write(broker, batch('y'));
    assert.equal((await slow).errorCode, codeOf('INVALID_FETCH_SESSION_EPOCH'));
    const { log } = broker.replicaManager.byName('a', 0);
    assert.ok(log !== null);
    broker.deleteTopic('a');
    await broker.advance(120_000);
    assert.deepEqual(
      broker.environment.disk.list('/data').filter(({ kind }) => kind === 'directory'),
      [],
    );
  });

  it('does not show what was deleted before', async () => {
    const broker = await brokerWith();
    for (const value of ['x', 'y', 'z']) await write(broker, batch(value));
    const deleted = await broker.call(deleteRecords, 2, {
      topics: [{ name: 'a', partitions: [{ partitionIndex: 0, offset: 2 }] }],
      timeoutMs: 1000,
    });
    assert.equal(deleted.topics[0]?.partitions[0]?.lowWatermark, 2);
    assert.equal(await errorOf(broker, { fetchOffset: 1 }), codeOf('OFFSET_OUT_OF_RANGE'));
    assert.equal(only(await fetchFrom(broker, [{ fetchOffset: 2 }])).logStartOffset, 2);
  });
});
