import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partitionOfKey } from '../../src/base/bytes/murmur2.ts';
import { ClientError } from '../../src/client/client-error.ts';
import { Producer } from '../../src/client/producer.ts';
import type { ProducerOptions } from '../../src/client/producer-options.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { FakeCluster, type Fault } from './fake-cluster.ts';

async function started(options: ProducerOptions = {}, partitions = 1) {
  const cluster = await FakeCluster.start();
  cluster.addTopic('orders', partitions);
  const client = cluster.client();
  return { cluster, client, producer: new Producer(client, options) };
}

const produces = (cluster: FakeCluster): number => cluster.seen.filter(({ apiKey }) => apiKey === produce.key).length;

test('a record is delivered to its place, with its time', async () => {
  const { cluster, producer } = await started();
  const first = await cluster.resolve(producer.send({ topic: 'orders', value: 'a', timestamp: 42 }));
  assert.deepEqual(first, { topic: 'orders', partition: 0, offset: 0, timestamp: 42 });
  const second = await cluster.resolve(producer.send({ topic: 'orders', value: 'b' }));
  assert.equal(second.offset, 1);
  assert.deepEqual(cluster.partition('orders', 0).values, ['a', 'b']);
});

test('records of one moment share a batch, and lingering is not waited for when a batch is full', async () => {
  const { cluster, producer } = await started({ lingerMs: 1000, batchSize: 500 });
  await cluster.resolve(producer.prepare('orders'));
  const start = cluster.scheduler.time;
  const sent = Array.from({ length: 10 }, (_, index) => producer.send({ topic: 'orders', value: `${index}`.padStart(100, '.') }));
  await cluster.resolve(Promise.all(sent.slice(0, 8)));
  assert.ok(cluster.scheduler.time - start < 500, 'full batches go at once');
  await cluster.resolve(Promise.all(sent));
  assert.ok(cluster.scheduler.time - start >= 1000, 'the last, half empty one lingers');
  assert.deepEqual(
    cluster.partition('orders', 0).batches.map((bytes) => new RecordBatch(bytes).recordsCount),
    [4, 4, 2],
  );
});

test('records keep their order although their topic is not known when they are sent', async () => {
  const { cluster, producer } = await started();
  cluster.addTopic('other', 1);
  const names = Array.from({ length: 40 }, (_, index) => `${index}`);
  const sent = names.flatMap((value) => [producer.send({ topic: 'orders', value }), producer.send({ topic: 'other', value })]);
  await cluster.resolve(Promise.all(sent));
  assert.deepEqual(cluster.partition('orders', 0).values, names);
  assert.deepEqual(cluster.partition('other', 0).values, names);
});

test('flush sends what lingers', async () => {
  const { cluster, producer } = await started({ lingerMs: 60_000 });
  const sent = producer.send({ topic: 'orders', value: 'a' });
  await cluster.scheduler.run(100);
  assert.equal(produces(cluster), 0);
  await cluster.resolve(producer.flush(), 1000);
  assert.equal((await cluster.resolve(sent)).offset, 0);
});

test('a key decides its partition as it does in every Kafka client', async () => {
  const { cluster, producer } = await started({}, 12);
  for (const key of ['', 'a', 'abc', 'ключ', 'key-17']) {
    const { partition } = await cluster.resolve(producer.send({ topic: 'orders', key, value: 'x' }));
    assert.equal(partition, partitionOfKey(Buffer.from(key), 12), key);
  }
  const chosen = await cluster.resolve(producer.send({ topic: 'orders', key: 'abc', value: 'x', partition: 7 }));
  assert.equal(chosen.partition, 7);
});

test('records without a key stay with a partition for about a batch and reach all partitions evenly', async () => {
  const { cluster, producer } = await started({ batchSize: 2000, lingerMs: 5 }, 4);
  await cluster.resolve(producer.prepare('orders'));
  for (let index = 0; index < 4000; index++) producer.enqueue({ topic: 'orders', value: 'x'.repeat(90) });
  await cluster.resolve(producer.flush());
  const partitions = cluster.topics.get('orders')?.partitions ?? [];
  const counts = partitions.map((partition) => partition.values.length);
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    4000,
  );
  for (const count of counts) assert.ok(count > 600 && count < 1400, `uneven: ${counts.join()}`);
  const batches = partitions.flatMap((partition) => partition.batches);
  assert.ok(batches.length < 4000 / 15, 'batches are full');
});

test('the batches of an idempotent producer are numbered without gaps, in each partition from 0', async () => {
  const { cluster, producer } = await started({ lingerMs: 0 }, 2);
  for (let index = 0; index < 6; index++)
    await cluster.resolve(producer.send({ topic: 'orders', value: `${index}`, partition: index % 2 }));
  for (const partition of [0, 1]) {
    const batches = cluster.partition('orders', partition).batches.map((bytes) => new RecordBatch(bytes));
    assert.deepEqual(
      batches.map((batch) => [batch.producerId, batch.producerEpoch, batch.baseSequence]),
      [
        [1000, 0, 0],
        [1000, 0, 1],
        [1000, 0, 2],
      ],
    );
  }
});

test('a batch whose answer was lost is sent again and stands in the log once', async () => {
  const { cluster, producer } = await started();
  const faults: (Fault | null)[] = ['lost', 'refused', null];
  cluster.plan = (apiKey) => (apiKey === produce.key ? (faults.shift() ?? null) : null);
  const delivered = await cluster.resolve(producer.send({ topic: 'orders', value: 'once' }));
  assert.equal(delivered.offset, 0);
  assert.deepEqual(cluster.partition('orders', 0).values, ['once']);
  assert.equal(produces(cluster), 3);
});

test('a leader that moved is followed at once, with what the refusal tells', async () => {
  const cluster = await FakeCluster.start({ nodes: [1, 2] });
  cluster.addTopic('orders', 1);
  const producer = new Producer(cluster.client(), { lingerMs: 0 });
  await cluster.resolve(producer.send({ topic: 'orders', value: 'a' }));
  cluster.partition('orders', 0).moveTo(2);
  const start = cluster.scheduler.time;
  await cluster.resolve(producer.send({ topic: 'orders', value: 'b' }));
  assert.deepEqual(cluster.partition('orders', 0).values, ['a', 'b']);
  assert.ok(cluster.scheduler.time - start < 500);
});

test('a broker that does not answer is given up, and the records go through another connection', async () => {
  const { cluster, producer } = await started({ requestTimeoutMs: 1000 });
  let silent = 1;
  cluster.plan = (apiKey) => (apiKey === produce.key && silent-- > 0 ? 'silent' : null);
  const start = cluster.scheduler.time;
  await cluster.resolve(producer.send({ topic: 'orders', value: 'a' }));
  assert.ok(cluster.scheduler.time - start >= 1000);
  assert.deepEqual(cluster.partition('orders', 0).values, ['a']);
});

test('what cannot be delivered in its time fails, and the producer goes on with a new identity', async () => {
  const { cluster, producer } = await started({ deliveryTimeoutMs: 2000, requestTimeoutMs: 500, lingerMs: 0 });
  await cluster.resolve(producer.send({ topic: 'orders', value: 'a' }));
  cluster.plan = (apiKey) => (apiKey === produce.key ? 'silent' : null);
  const failed = producer.send({ topic: 'orders', value: 'b' });
  await cluster.resolve(assert.rejects(failed, (error) => error instanceof ClientError && error.failure === 'timeout'));
  cluster.plan = () => null;
  await cluster.resolve(producer.send({ topic: 'orders', value: 'c' }));
  assert.deepEqual(cluster.partition('orders', 0).values, ['a', 'c']);
  assert.equal(cluster.seen.filter(({ apiKey }) => apiKey === initProducerId.key).length, 2);
});

test('a producer that the broker has forgotten numbers its batches anew', async () => {
  const { cluster, producer } = await started({ lingerMs: 0 });
  await cluster.resolve(producer.send({ topic: 'orders', value: 'a' }));
  cluster.partition('orders', 0).forgetProducers();
  await cluster.resolve(producer.send({ topic: 'orders', value: 'b' }));
  assert.deepEqual(cluster.partition('orders', 0).values, ['a', 'b']);
});

test('an error that no retry mends fails the record with what the broker says', async () => {
  const { cluster, producer } = await started();
  cluster.plan = (apiKey) => (apiKey === produce.key ? 'TOPIC_AUTHORIZATION_FAILED' : null);
  const failed = producer.send({ topic: 'orders', value: 'a' });
  await cluster.resolve(
    assert.rejects(failed, (error) => error instanceof KafkaError && error.errorName === 'TOPIC_AUTHORIZATION_FAILED'),
  );
  assert.equal(produces(cluster), 1);
});

test('a batch that the broker finds too large is halved until it fits; one record too large fails alone', async () => {
  const { cluster, producer } = await started({ lingerMs: 10 });
  cluster.partition('orders', 0).maxBatchBytes = 400;
  const values = Array.from({ length: 16 }, (_, index) => `${index}`.padStart(80, '.'));
  const sent = values.map((value) => producer.send({ topic: 'orders', value }));
  const offsets = (await cluster.resolve(Promise.all(sent))).map(({ offset }) => offset);
  assert.deepEqual(
    offsets,
    values.map((_, index) => index),
  );
  assert.deepEqual(cluster.partition('orders', 0).values, values);
  const large = producer.send({ topic: 'orders', value: 'x'.repeat(500) });
  await cluster.resolve(assert.rejects(large, (error) => error instanceof KafkaError && error.errorName === 'MESSAGE_TOO_LARGE'));
});

test('a record larger than a request is refused before anything is sent', async () => {
  const { cluster, producer } = await started({ maxRequestSize: 1000 });
  await cluster.resolve(producer.prepare('orders'));
  assert.throws(() => producer.enqueue({ topic: 'orders', value: 'x'.repeat(2000) }), ClientError);
});

test('without acknowledgements a record counts as sent when it was written, and no sequence is used', async () => {
  const { cluster, producer } = await started({ acks: 0 });
  const delivery = await cluster.resolve(producer.send({ topic: 'orders', value: 'a' }));
  assert.equal(delivery.offset, -1);
  await cluster.scheduler.run(100);
  const [batch] = cluster.partition('orders', 0).batches;
  assert.ok(batch !== undefined && !new RecordBatch(batch).hasProducerId);
});

test('send waits for memory, and gives up after max.block.ms', async () => {
  const { cluster, producer } = await started({
    bufferMemory: 2000,
    batchSize: 1000,
    maxBlockMs: 3000,
    requestTimeoutMs: 60_000,
  });
  await cluster.resolve(producer.prepare('orders'));
  cluster.plan = (apiKey) => (apiKey === produce.key ? 'silent' : null);
  const first = [0, 1].map(() => producer.send({ topic: 'orders', value: 'x'.repeat(900) }));
  const late = producer.send({ topic: 'orders', value: 'y' });
  await cluster.resolve(assert.rejects(late, (error) => error instanceof ClientError && error.failure === 'buffer-full'));
  producer.abort();
  await cluster.resolve(Promise.allSettled(first));
});

test('a topic that does not exist is told by its name', async () => {
  const { cluster, producer } = await started({ maxBlockMs: 1000 });
  await cluster.resolve(assert.rejects(producer.send({ topic: 'nowhere', value: 'x' }), /"nowhere"/));
});

test('brokers that know no topic ids are spoken to by name', async () => {
  const { cluster, producer } = await started();
  cluster.maxVersions.set(produce.key, 9);
  await cluster.resolve(producer.send({ topic: 'orders', value: 'a' }));
  assert.equal(cluster.seen.find(({ apiKey }) => apiKey === produce.key)?.version, 9);
});

test('under any mixture of faults every acknowledged record stands in its log once and in order', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const cluster = await FakeCluster.start({ seed, nodes: [1, 2, 3], isFragmenting: seed % 2 === 0 });
    cluster.addTopic('orders', 3);
    const chance = new SimulatedRandom(seed);
    const faults: readonly (Fault | null)[] = ['lost', 'refused', 'NOT_LEADER_OR_FOLLOWER', 'NOT_ENOUGH_REPLICAS', 'silent'];
    cluster.plan = (apiKey) =>
      apiKey === produce.key && chance.integer(4) === 0 ? (faults[chance.integer(faults.length)] ?? null) : null;
    const producer = new Producer(cluster.client({ retryBackoffMs: 10 }), { lingerMs: 1, batchSize: 300, requestTimeoutMs: 500 });
    await cluster.resolve(producer.prepare('orders'));
    const sent: Promise<unknown>[] = [];
    for (let index = 0; index < 200; index++) {
      sent.push(producer.send({ topic: 'orders', value: `${index}`, partition: index % 3 }));
      if (chance.integer(10) === 0) cluster.partition('orders', chance.integer(3)).moveTo(1 + chance.integer(3));
      if (chance.integer(3) === 0) await cluster.scheduler.run(chance.integer(20));
    }
    await cluster.resolve(Promise.all(sent));
    for (const partition of [0, 1, 2]) {
      const expected = Array.from({ length: 200 }, (_, index) => index)
        .filter((index) => index % 3 === partition)
        .map(String);
      assert.deepEqual(cluster.partition('orders', partition).values, expected, `seed ${seed}, partition ${partition}`);
    }
  }
});
