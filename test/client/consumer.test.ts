import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Consumer } from '../../src/client/consumer.ts';
import type { ConsumerOptions } from '../../src/client/consumer-options.ts';
import type { ConsumerRecord } from '../../src/client/fetched-chunk.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { FakeCluster } from './fake-cluster.ts';

const place = { topic: 'orders', partition: 0 };

async function started(options: ConsumerOptions = {}, nodes: readonly number[] = [1]) {
  const cluster = await FakeCluster.start({ nodes });
  cluster.addTopic('orders', 2);
  return { cluster, consumer: new Consumer(cluster.client(), options) };
}

/** Appends one batch with these values. */
function write(cluster: FakeCluster, values: readonly string[], partition = 0): void {
  const log = cluster.partition('orders', partition);
  const records = values.map((value, index) => ({
    timestamp: 1000 + index,
    key: Buffer.from(`k${index}`),
    value: Buffer.from(value),
  }));
  assert.equal(typeof log.append(buildBatch({ records }), log.leader), 'number');
}

async function read(cluster: FakeCluster, consumer: Consumer, count: number): Promise<ConsumerRecord[]> {
  const records: ConsumerRecord[] = [];
  while (records.length < count) {
    const chunks = await cluster.resolve(consumer.poll(5000));
    records.push(...chunks.flatMap((chunk) => [...chunk.records()]));
  }
  return records;
}

const valuesOf = (records: readonly ConsumerRecord[]): string[] =>
  records.map(({ value }) => Buffer.from(value ?? []).toString());

test('records come with key, value, time and place, in order', async () => {
  const { cluster, consumer } = await started();
  write(cluster, ['a', 'b']);
  write(cluster, ['c']);
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  const records = await read(cluster, consumer, 3);
  assert.deepEqual(valuesOf(records), ['a', 'b', 'c']);
  assert.deepEqual(
    records.map(({ offset, timestamp, key }) => [offset, timestamp, Buffer.from(key ?? []).toString()]),
    [
      [0, 1000, 'k0'],
      [1, 1001, 'k1'],
      [2, 1000, 'k0'],
    ],
  );
  assert.equal(consumer.position(place), 3);
});

test('reading starts where it is told to: at an offset inside a batch, at the end, at what comes', async () => {
  const { cluster, consumer } = await started();
  write(cluster, ['a', 'b', 'c']);
  await cluster.resolve(consumer.assign([{ ...place, start: 1 }]));
  assert.deepEqual(valuesOf(await read(cluster, consumer, 2)), ['b', 'c']);
  await cluster.resolve(consumer.assign([{ ...place, start: 'latest' }]));
  assert.equal(consumer.position(place), 3);
  write(cluster, ['d']);
  assert.deepEqual(valuesOf(await read(cluster, consumer, 1)), ['d']);
});

test('a poll without records ends after its time', async () => {
  const { cluster, consumer } = await started();
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  const start = cluster.scheduler.time;
  assert.deepEqual(await cluster.resolve(consumer.poll(700)), []);
  assert.equal(cluster.scheduler.time - start, 700);
});

test('a record that comes while the broker waits is handed out then', async () => {
  const { cluster, consumer } = await started({ fetchMaxWaitMs: 200 });
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  const polled = consumer.poll(60_000);
  await cluster.scheduler.run(1000);
  write(cluster, ['late']);
  const [chunk] = await cluster.resolve(polled, 1000);
  assert.deepEqual(valuesOf([...(chunk?.records() ?? [])]), ['late']);
});

test('seek drops what was fetched from elsewhere', async () => {
  const { cluster, consumer } = await started();
  write(cluster, ['a', 'b', 'c']);
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  await cluster.scheduler.run(100);
  consumer.seek(place, 2);
  assert.deepEqual(valuesOf(await read(cluster, consumer, 1)), ['c']);
  consumer.seek(place, 0);
  assert.deepEqual(valuesOf(await read(cluster, consumer, 3)), ['a', 'b', 'c']);
});

test('a paused partition gives nothing until it is resumed', async () => {
  const { cluster, consumer } = await started();
  write(cluster, ['a']);
  write(cluster, ['b'], 1);
  const other = { topic: 'orders', partition: 1 };
  await cluster.resolve(
    consumer.assign([
      { ...place, start: 'earliest' },
      { ...other, start: 'earliest' },
    ]),
  );
  consumer.pause([place]);
  assert.deepEqual(valuesOf(await read(cluster, consumer, 1)), ['b']);
  assert.deepEqual(await cluster.resolve(consumer.poll(1000)), []);
  consumer.resume([place]);
  assert.deepEqual(valuesOf(await read(cluster, consumer, 1)), ['a']);
});

test('a leader that moved is followed', async () => {
  const { cluster, consumer } = await started({ fetchMaxWaitMs: 100 }, [1, 2]);
  write(cluster, ['a']);
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  assert.deepEqual(valuesOf(await read(cluster, consumer, 1)), ['a']);
  cluster.partition('orders', 0).moveTo(2);
  write(cluster, ['b']);
  assert.deepEqual(valuesOf(await read(cluster, consumer, 1)), ['b']);
});

test('a broken connection, silence and passing errors are survived without losing or repeating records', async () => {
  for (const fault of ['refused', 'lost', 'silent', 'KAFKA_STORAGE_ERROR', 'UNKNOWN_LEADER_EPOCH'] as const) {
    const { cluster, consumer } = await started({ fetchMaxWaitMs: 100 });
    write(cluster, ['a', 'b']);
    let left = 2;
    cluster.plan = (apiKey) => (apiKey === fetch.key && left-- > 0 ? fault : null);
    await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
    const first = await read(cluster, consumer, 2);
    write(cluster, ['c']);
    assert.deepEqual(valuesOf([...first, ...(await read(cluster, consumer, 1))]), ['a', 'b', 'c'], fault);
  }
});

test('a position outside of the log is reset as the policy says, or told', async () => {
  const earliest = await started({ autoOffsetReset: 'earliest' });
  write(earliest.cluster, ['a', 'b']);
  earliest.cluster.partition('orders', 0).logStartOffset = 0;
  await earliest.cluster.resolve(earliest.consumer.assign([{ ...place, start: 99 }]));
  assert.deepEqual(valuesOf(await read(earliest.cluster, earliest.consumer, 2)), ['a', 'b']);

  const none = await started({ autoOffsetReset: 'none' });
  await none.cluster.resolve(none.consumer.assign([{ ...place, start: 99 }]));
  const polled = none.consumer.poll(10_000);
  await none.cluster.resolve(
    assert.rejects(polled, (error) => error instanceof KafkaError && error.errorName === 'OFFSET_OUT_OF_RANGE'),
  );
});

test('an error that nothing mends is told by poll', async () => {
  const { cluster, consumer } = await started();
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  cluster.plan = (apiKey) => (apiKey === fetch.key ? 'TOPIC_AUTHORIZATION_FAILED' : null);
  const rejected = async (): Promise<void> => {
    for (;;) await consumer.poll(1000);
  };
  await cluster.resolve(assert.rejects(rejected(), /orders-0/));
});

test('batches with a wrong checksum are refused, unless the caller does not care', async () => {
  for (const checkCrcs of [true, false]) {
    const { cluster, consumer } = await started({ checkCrcs });
    write(cluster, ['a']);
    const [bytes] = cluster.partition('orders', 0).batches;
    if (bytes !== undefined) bytes[17] = (bytes[17] ?? 0) ^ 1;
    await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
    const [chunk] = await cluster.resolve(consumer.poll(1000));
    if (checkCrcs) assert.throws(() => [...(chunk?.records() ?? [])], /crc/);
    else assert.equal([...(chunk?.records() ?? [])].length, 1);
  }
});

test('read committed leaves aborted transactions and markers out, and nothing else', async () => {
  const { cluster, consumer } = await started({ isolationLevel: 'read_committed' });
  const log = cluster.partition('orders', 0);
  const transactional = (value: string, producerId: number): Buffer =>
    buildBatch({ records: [{ value: Buffer.from(value) }], isTransactional: true, producerId, producerEpoch: 0 });
  const marker = (producerId: number, type: number): Buffer =>
    buildBatch({
      records: [{ key: Buffer.of(0, 0, 0, type), value: Buffer.alloc(6) }],
      isTransactional: true,
      isControl: true,
      producerId,
      producerEpoch: 0,
    });
  const appended = [
    transactional('aborted', 1),
    transactional('kept', 2),
    marker(1, 0),
    marker(2, 1),
    transactional('next', 1),
    marker(1, 1),
  ];
  log.appendRaw(appended);
  write(cluster, ['plain']);
  log.aborted = [{ producerId: 1, firstOffset: 0 }];
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  assert.deepEqual(valuesOf(await read(cluster, consumer, 3)), ['kept', 'next', 'plain']);
  assert.equal(consumer.position(place), 7);
});

test('records may be iterated for ever, until the loop is left', async () => {
  const { cluster, consumer } = await started();
  write(cluster, ['a', 'b', 'c']);
  await cluster.resolve(consumer.assign([{ ...place, start: 'earliest' }]));
  const seen: string[] = [];
  const loop = async (): Promise<void> => {
    for await (const record of consumer) {
      seen.push(Buffer.from(record.value ?? []).toString());
      if (seen.length === 2) return;
    }
  };
  await cluster.resolve(loop());
  assert.deepEqual(seen, ['a', 'b']);
});

test('a partition that does not exist is refused at once', async () => {
  const { cluster, consumer } = await started();
  await cluster.resolve(assert.rejects(consumer.assign([{ topic: 'orders', partition: 9 }]), /no partition 9/));
  await cluster.resolve(assert.rejects(consumer.assign([{ topic: 'nowhere', partition: 0 }]), /"nowhere"/), 1000);
});
