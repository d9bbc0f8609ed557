import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { codeOf, type ErrorName } from '../../src/protocol/errors.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { type BatchInput, buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { TestBroker } from './test-broker.ts';

const batch = (values: readonly string[], input: Partial<BatchInput> = {}): Buffer =>
  buildBatch({
    records: values.map((value) => ({ key: Buffer.from('k'), value: Buffer.from(value), timestamp: 1_767_225_600_000 })),
    ...input,
  });

const one = batch(['a']);

interface Sent {
  readonly acks?: number;
  readonly version?: number;
  readonly topic?: string;
  readonly index?: number;
  readonly transactionalId?: string;
}

const sendTo = (
  broker: TestBroker,
  records: Buffer | null,
  { acks = -1, version = 13, topic = 'a', index = 0, transactionalId }: Sent = {},
) =>
  broker.send(produce, version, {
    acks,
    timeoutMs: 1000,
    transactionalId: transactionalId ?? null,
    topicData: [{ name: topic, topicId: broker.topicId(topic), partitionData: [{ index, records }] }],
  });

const answerOf = async (broker: TestBroker, records: Buffer | null, sent: Sent = {}) => {
  const answer = await sendTo(broker, records, sent);
  assert.ok(typeof answer !== 'string');
  const [partition] = answer.responses[0]?.partitionResponses ?? [];
  assert.ok(partition !== undefined);
  return partition;
};

const brokerWith = async (configs: Record<string, string> = {}, topic: { replicas?: number[]; isr?: number[] } = {}) => {
  const broker = await TestBroker.start();
  broker.createTopic('a', { partitions: 2, configs, ...topic });
  return broker;
};

const logOf = (broker: TestBroker, topic = 'a') => {
  const { log } = broker.replicaManager.byName(topic, 0);
  assert.ok(log !== null);
  return log;
};

const readLog = async (broker: TestBroker): Promise<Buffer> => {
  const answer = await broker.call(fetch, 12, {
    maxWaitMs: 0,
    minBytes: 1,
    topics: [
      {
        topic: 'a',
        topicId: 'AAAAAAAAAAAAAAAAAAAAAA',
        partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1 << 20, replicaDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
      },
    ],
    forgottenTopicsData: [],
    rackId: '',
  });
  return answer.responses[0]?.partitions[0]?.records ?? Buffer.alloc(0);
};

/** A clock by which everything takes long. */
class SlowClock extends SimulatedClock {
  isSlow = false;
  #lateMs = 0;

  override monotonic(): number {
    if (this.isSlow) this.#lateMs += 6;
    return super.monotonic() + this.#lateMs;
  }
}

describe('Produce', () => {
  it('of many partitions, which may be dear to look at, is served in turns with the requests of others', async () => {
    const clock = new SlowClock();
    const broker = await TestBroker.start({ environment: simulatedEnvironment({ clock }) });
    broker.createTopic('a', { partitions: 5 });
    clock.isSlow = true;
    let answer: Awaited<ReturnType<typeof broker.call<typeof produce>>> | null = null;
    const partitionData = Array.from({ length: 5 }, (_, index) => ({ index, records: batch(['x']) }));
    const sent = broker
      .call(produce, 13, {
        acks: -1,
        timeoutMs: 1000,
        transactionalId: null,
        topicData: [{ topicId: broker.topicId('a'), partitionData }],
      })
      .then((settled) => (answer = settled));
    const written = () => Array.from({ length: 5 }, (_, index) => broker.replicaManager.byName('a', index).log?.logEndOffset);
    assert.deepEqual([written(), answer], [[1, 1, 0, 0, 0], null]);
    clock.isSlow = false;
    await broker.settle();
    const { responses } = await sent;
    assert.deepEqual(written(), [1, 1, 1, 1, 1]);
    assert.deepEqual(
      responses[0]?.partitionResponses.map(({ index, errorCode, baseOffset }) => [index, errorCode, baseOffset]),
      [0, 1, 2, 3, 4].map((index) => [index, 0, 0]),
    );
  });

  it('answers each version with the offset of the first record', async () => {
    const broker = await brokerWith();
    for (let version = 3; version <= 13; version++) {
      const answer = await answerOf(broker, batch(['x', 'y']), { version });
      const expected = { errorCode: 0, baseOffset: (version - 3) * 2, logAppendTimeMs: -1, logStartOffset: version < 5 ? -1 : 0 };
      assert.deepEqual(
        { ...expected, index: 0, recordErrors: [], errorMessage: null, currentLeader: { leaderId: -1, leaderEpoch: -1 } },
        answer,
      );
    }
    assert.equal(logOf(broker).highWatermark, 22);
  });

  it('answers acks=1 and acks=-1 at once with one replica, and acks=0 not at all', async () => {
    const broker = await brokerWith();
    assert.equal((await answerOf(broker, batch(['a']), { acks: 1 })).baseOffset, 0);
    assert.equal((await answerOf(broker, batch(['b']), { acks: -1 })).baseOffset, 1);
    assert.equal(await sendTo(broker, batch(['c']), { acks: 0 }), 'no response');
    assert.equal(logOf(broker).logEndOffset, 3);
  });

  it('closes the connection when acks=0 fails', async () => {
    const broker = await brokerWith();
    assert.equal(await sendTo(broker, Buffer.alloc(0), { acks: 0 }), 'closed');
    assert.equal(await sendTo(broker, batch(['a']), { acks: 0, topic: 'missing', version: 9 }), 'closed');
  });

  const refusals: readonly (readonly [string, Buffer | null, Sent, ErrorName, number])[] = [
    ['acks that do not exist', one, { acks: 2 }, 'INVALID_REQUIRED_ACKS', -1],
    ['a base offset that is not 0', batch(['a'], { baseOffset: 5 }), {}, 'INVALID_RECORD', 0],
    ['two batches', Buffer.concat([one, one]), {}, 'INVALID_RECORD', -1],
    ['no batch', Buffer.alloc(0), {}, 'INVALID_RECORD', -1],
    ['no records at all', null, {}, 'INVALID_RECORD', -1],
    ['half a batch', one.subarray(0, 40), {}, 'INVALID_RECORD', -1],
    ['an unknown topic by name', one, { topic: 'missing', version: 12 }, 'UNKNOWN_TOPIC_OR_PARTITION', -1],
    ['an unknown topic by id', one, { topic: 'missing' }, 'UNKNOWN_TOPIC_ID', -1],
    ['an unknown partition', one, { index: 9 }, 'UNKNOWN_TOPIC_OR_PARTITION', -1],
    ['a negative partition', one, { index: -1 }, 'UNKNOWN_TOPIC_OR_PARTITION', -1],
    ['a batch that is too large', batch(['x'.repeat(1_048_600)]), {}, 'MESSAGE_TOO_LARGE', -1],
    ['zstd before version 7', batch(['a'], { codec: 'zstd' }), { version: 6 }, 'UNSUPPORTED_COMPRESSION_TYPE', -1],
    [
      'a transaction without an id',
      batch(['a'], { isTransactional: true, producerId: 5, producerEpoch: 0, baseSequence: 0 }),
      {},
      'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
      -1,
    ],
    ['a control batch', batch(['a'], { isControl: true }), {}, 'INVALID_RECORD', 0],
  ];
  for (const [what, records, sent, error, logStartOffset] of refusals) {
    it(`refuses ${what} with ${error}, and writes nothing`, async () => {
      const broker = await brokerWith();
      const answer = await answerOf(broker, records === null ? null : Buffer.from(records), sent);
      const told = { errorCode: answer.errorCode, baseOffset: answer.baseOffset, message: answer.errorMessage };
      assert.deepEqual(told, { errorCode: codeOf(error), baseOffset: -1, message: null });
      if ((sent.version ?? 13) > 4) assert.equal(answer.logStartOffset, logStartOffset);
      assert.equal(logOf(broker).logEndOffset, 0);
    });
  }

  it('has a producer try again whose transaction nobody can be asked about', async () => {
    const broker = await brokerWith();
    const records = batch(['a'], { isTransactional: true, producerId: 5, producerEpoch: 0, baseSequence: 0 });
    const answer = await answerOf(broker, records, { transactionalId: 't' });
    assert.deepEqual(
      [answer.errorCode, answer.errorMessage],
      [
        codeOf('NOT_ENOUGH_REPLICAS'),
        'Unable to verify the partition has been added to the transaction. Underlying error: COORDINATOR_NOT_AVAILABLE',
      ],
    );
    assert.equal(logOf(broker).logEndOffset, 0);
  });

  it('says which magic number it does not know', async () => {
    const broker = await brokerWith();
    const strange = Buffer.from(one);
    strange[16] = 3;
    const answer = await answerOf(broker, strange);
    assert.deepEqual([answer.errorCode, answer.errorMessage], [codeOf('CORRUPT_MESSAGE'), 'Invalid magic found in record: 3']);
    strange[16] = 1;
    assert.equal((await answerOf(broker, strange)).errorCode, codeOf('INVALID_RECORD'));
  });

  it('refuses a wrong checksum without the log start', async () => {
    const broker = await brokerWith();
    const broken = Buffer.from(one);
    broken.writeUInt8(broken.readUInt8(17) ^ 1, 17);
    const answer = await answerOf(broker, broken);
    assert.deepEqual([answer.errorCode, answer.logStartOffset], [codeOf('CORRUPT_MESSAGE'), -1]);
  });

  it('takes a batch with bytes behind it that are no batch', async () => {
    const broker = await brokerWith();
    assert.equal((await answerOf(broker, Buffer.concat([one, Buffer.from([0, 0])]))).errorCode, 0);
    assert.equal(logOf(broker).sizeInBytes, one.length);
  });

  it('names the records of a compacted topic that have no key', async () => {
    const broker = await brokerWith({ 'cleanup.policy': 'compact' });
    const records = [
      { key: Buffer.from('k'), value: Buffer.from('v'), timestamp: 0 },
      { key: null, value: Buffer.from('v'), timestamp: 0 },
    ];
    const answer = await answerOf(broker, buildBatch({ records }));
    assert.equal(answer.errorCode, codeOf('INVALID_RECORD'));
    assert.deepEqual(
      answer.recordErrors.map(({ batchIndex }) => batchIndex),
      [1],
    );
    assert.match(answer.errorMessage ?? '', /^One or more records have been rejected/);
    assert.equal((await answerOf(broker, buildBatch({ records }), { version: 7 })).errorCode, codeOf('INVALID_RECORD'));
  });

  it('answers what it can when one partition of several is wrong', async () => {
    const broker = await brokerWith();
    const answer = await broker.call(produce, 13, {
      acks: -1,
      timeoutMs: 1000,
      topicData: [
        {
          topicId: broker.topicId('a'),
          partitionData: [
            { index: 0, records: batch(['a']) },
            { index: 9, records: batch(['a']) },
            { index: 1, records: batch(['b']) },
          ],
        },
        { topicId: broker.topicId('missing'), partitionData: [{ index: 0, records: batch(['a']) }] },
      ],
    });
    const told = answer.responses.map(({ partitionResponses }) =>
      partitionResponses.map(({ index, errorCode, baseOffset }) => [index, errorCode, baseOffset]),
    );
    assert.deepEqual(told, [
      [
        [0, 0, 0],
        [9, codeOf('UNKNOWN_TOPIC_OR_PARTITION'), -1],
        [1, 0, 0],
      ],
      [[0, codeOf('UNKNOWN_TOPIC_ID'), -1]],
    ]);
  });

  it('writes a hand-built batch of three records as it came, twice (E3)', async () => {
    const broker = await brokerWith();
    const sent = batch(['hello-0', 'hello-1', 'hello-2']);
    assert.deepEqual(
      [(await answerOf(broker, Buffer.from(sent))).baseOffset, (await answerOf(broker, Buffer.from(sent))).baseOffset],
      [0, 3],
    );
    const stored = [...batchesOf(await readLog(broker))];
    assert.deepEqual(
      stored.map(({ baseOffset, crc, sizeInBytes }) => [baseOffset, crc, sizeInBytes]),
      [
        [0, sent.readUInt32BE(17), sent.length],
        [3, sent.readUInt32BE(17), sent.length],
      ],
    );
  });

  it('puts a batch with acks=0 on disk at offset 0 (E2)', async () => {
    const broker = await brokerWith();
    assert.equal(await sendTo(broker, batch(['quiet']), { acks: 0 }), 'no response');
    const [stored] = batchesOf(await readLog(broker));
    assert.equal(stored?.baseOffset, 0);
    assert.equal(stored?.recordsCount, 1);
  });

  it('accepts acks=-1 with one replica although min.insync.replicas is 2 (E6)', async () => {
    const broker = await brokerWith({ 'min.insync.replicas': '2' });
    const answer = await answerOf(broker, batch(['a']));
    assert.deepEqual([answer.errorCode, answer.baseOffset], [0, 0]);
  });

  it('refuses acks=-1 before writing when fewer replicas are in sync than the topic requires, but not acks=1', async () => {
    const broker = await brokerWith({ 'min.insync.replicas': '2' }, { replicas: [1, 2, 3], isr: [1] });
    assert.equal((await answerOf(broker, batch(['a']))).errorCode, codeOf('NOT_ENOUGH_REPLICAS'));
    assert.equal(logOf(broker).logEndOffset, 0);
    assert.equal((await answerOf(broker, batch(['a']), { acks: 1 })).baseOffset, 0);
    assert.equal(logOf(broker).highWatermark, 0);
  });

  it('lets acks=-1 wait for a follower, and times out with the offset it has', async () => {
    const broker = await brokerWith({}, { replicas: [1, 2] });
    broker.registerBroker(2);
    const waiting = answerOf(broker, batch(['a']));
    await broker.advance(999);
    assert.equal(logOf(broker).logEndOffset, 1);
    await broker.advance(1);
    const answer = await waiting;
    assert.deepEqual([answer.errorCode, answer.baseOffset], [codeOf('REQUEST_TIMED_OUT'), 0]);
  });

  it('tells of a repeated batch of an idempotent producer what it told of the first', async () => {
    const broker = await brokerWith();
    const numbered = (baseSequence: number, producerEpoch = 0) => batch(['a'], { producerId: 7, producerEpoch, baseSequence });
    assert.equal((await answerOf(broker, numbered(0))).baseOffset, 0);
    assert.equal((await answerOf(broker, numbered(1))).baseOffset, 1);
    assert.equal((await answerOf(broker, numbered(0))).baseOffset, 0);
    assert.equal((await answerOf(broker, numbered(5))).errorCode, codeOf('OUT_OF_ORDER_SEQUENCE_NUMBER'));
    assert.equal((await answerOf(broker, numbered(0, 1))).baseOffset, 2);
    assert.equal((await answerOf(broker, numbered(2, 0))).errorCode, codeOf('INVALID_PRODUCER_EPOCH'));
    assert.equal(logOf(broker).logEndOffset, 3);
  });

  it('refuses internal topics, but for the brokers themselves', async () => {
    const broker = await TestBroker.start();
    broker.createTopic('__consumer_offsets');
    assert.equal(
      (await answerOf(broker, batch(['a']), { topic: '__consumer_offsets' })).errorCode,
      codeOf('INVALID_TOPIC_EXCEPTION'),
    );
  });

  it('tells who leads when it is somebody else', async () => {
    const broker = await TestBroker.start();
    broker.registerBroker(2);
    broker.createTopic('a', { replicas: [1, 2], leader: 2 });
    const answer = await sendTo(broker, batch(['a']));
    assert.ok(typeof answer !== 'string');
    const [partition] = answer.responses[0]?.partitionResponses ?? [];
    assert.equal(partition?.errorCode, codeOf('NOT_LEADER_OR_FOLLOWER'));
    assert.deepEqual(partition?.currentLeader, { leaderId: 2, leaderEpoch: 0 });
    assert.deepEqual(answer.nodeEndpoints, [{ nodeId: 2, host: 'localhost', port: 9002, rack: null }]);
    const old = await sendTo(broker, batch(['a']), { version: 9 });
    assert.ok(typeof old !== 'string' && old.nodeEndpoints.length === 0);
  });

  it('can be followed through the parts it passes at TRACE (P13)', async () => {
    const parts: string[] = [];
    const loggerOf = (part: string): Logger => ({
      ...silentLogger,
      isTraceEnabled: true,
      trace: (message) => void parts.push(`${part}: ${message}`),
      named: loggerOf,
    });
    const broker = await TestBroker.start({ environment: simulatedEnvironment({ logger: loggerOf('') }) });
    broker.createTopic('a');
    parts.length = 0;
    await answerOf(broker, batch(['a']));
    const own = parts.filter((line) => /^(handler|replica manager|partition):/.test(line));
    assert.deepEqual(own, [
      'handler: Produce',
      'partition: Appended as leader',
      'partition: The high watermark moved',
      'replica manager: Appended',
    ]);
  });

  it('acknowledges only what is on the disk when flush.messages is 1', async () => {
    const broker = await brokerWith({ 'flush.messages': '1' });
    for (const acks of [-1, 1]) {
      let isAnswered = false;
      const waiting = answerOf(broker, batch(['a']), { acks }).then((answer) => {
        isAnswered = true;
        return answer;
      });
      const log = logOf(broker);
      await Promise.resolve();
      const end = log.logEndOffset;
      assert.ok(!isAnswered && log.recoveryPoint < end && log.highWatermark < end, 'written, neither durable nor readable');
      await broker.advance(1000);
      assert.equal((await waiting).errorCode, 0);
      assert.ok(log.recoveryPoint >= end && log.highWatermark >= end);
    }
  });
});
