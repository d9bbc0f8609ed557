// One JavaScript client behind a line protocol: node worker.mjs CLIENT BROKER, in the folder where the packages are installed.
// A request is a JSON line on stdin, an answer a JSON line on stdout that begins with '@': {value} or {error}.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [, , client, broker] = process.argv;
/** The packages of the folder, and not those that this repository depends on. */
const installed = createRequire(join(process.cwd(), 'package.json'));

/** Collects values until there are enough, and so long after that what should not come would have come. */
function collector({ count, extraMs, timeoutMs }) {
  const found = [];
  const { promise, resolve, reject } = withResolvers();
  const timer = setTimeout(() => reject(new Error(`${found.length} of ${count} records came`)), timeoutMs);
  const add = (record) => {
    found.push(record);
    if (found.length !== count) return;
    clearTimeout(timer);
    setTimeout(() => resolve(found), extraMs);
  };
  return { add, found: promise };
}

function withResolvers() {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
}

const nextOffset = (records) => String(Math.max(...records.map(({ offset }) => Number(offset))) + 1);

function kafkajs() {
  const { Kafka, logLevel } = installed('kafkajs');
  const kafka = new Kafka({ clientId: 'worker', brokers: [broker], logLevel: logLevel.NOTHING });
  return {
    async producer(transactionalId) {
      const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1, retry: { retries: 3 } });
      await producer.connect();
      let transaction;
      return {
        begin: async () => void (transaction = await producer.transaction()),
        send: (topic, values) => transaction.send({ topic, acks: -1, messages: values.map((value) => ({ value, partition: 0 })) }),
        sendOffsets: ({ group, topic, records }) =>
          transaction.sendOffsets({
            consumerGroupId: group,
            topics: [{ topic, partitions: [{ partition: 0, offset: nextOffset(records) }] }],
          }),
        commit: () => transaction.commit(),
        abort: () => transaction.abort(),
        close: () => producer.disconnect(),
      };
    },
    async consume({ topic, group, ...wanted }) {
      const consumer = kafka.consumer({ groupId: group, readUncommitted: false });
      const { add, found } = collector(wanted);
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachMessage: async ({ message }) => add({ value: message.value.toString(), offset: message.offset }),
      });
      return { records: await found, close: () => consumer.disconnect() };
    },
  };
}

function confluent() {
  const { KafkaJS } = installed('@confluentinc/kafka-javascript');
  const kafka = new KafkaJS.Kafka({ 'bootstrap.servers': broker, log_level: 0 });
  return {
    async producer(id) {
      const producer = kafka.producer({ 'transactional.id': id, 'enable.idempotence': true });
      await producer.connect();
      return {
        begin: () => producer.transaction(),
        send: (topic, values) => producer.send({ topic, messages: values.map((value) => ({ value, partition: 0 })) }),
        sendOffsets: ({ consumer, topic, records }) =>
          producer.sendOffsets({ consumer, topics: [{ topic, partitions: [{ partition: 0, offset: nextOffset(records) }] }] }),
        commit: () => producer.commit(),
        abort: () => producer.abort(),
        close: () => producer.disconnect(),
      };
    },
    async consume({ topic, group, ...wanted }) {
      const consumer = kafka.consumer({
        'group.id': group,
        'auto.offset.reset': 'earliest',
        'enable.auto.commit': false,
        'isolation.level': 'read_committed',
      });
      const { add, found } = collector(wanted);
      await consumer.connect();
      await consumer.subscribe({ topics: [topic] });
      await consumer.run({
        eachMessage: async ({ message }) => add({ value: message.value.toString(), offset: message.offset }),
      });
      return { records: await found, consumer, close: () => consumer.disconnect() };
    },
  };
}

function platformatic() {
  const { Producer, Consumer, MessagesStreamModes, FetchIsolationLevels } = installed('@platformatic/kafka');
  const base = { clientId: 'worker', bootstrapBrokers: [broker], retries: 3 };
  return {
    async producer(transactionalId) {
      // By itself it names producer 0, which every broker takes for an old one as soon as the id has another.
      const producer = new Producer({ ...base, transactionalId, idempotent: true, producerId: -1n, producerEpoch: -1 });
      let transaction;
      return {
        begin: async () => void (transaction = await producer.beginTransaction()),
        send: (topic, values) =>
          transaction.send({ acks: -1, messages: values.map((value) => ({ topic, partition: 0, value: Buffer.from(value) })) }),
        async sendOffsets({ consumer, records }) {
          await transaction.addConsumer(consumer);
          for (const { message } of records) await transaction.addOffset(message);
        },
        commit: () => transaction.commit(),
        abort: () => transaction.abort(),
        close: () => producer.close(),
      };
    },
    async consume({ topic, group, ...wanted }) {
      const consumer = new Consumer({ ...base, groupId: group, autocommit: false });
      const { add, found } = collector(wanted);
      const stream = await consumer.consume({
        topics: [topic],
        mode: MessagesStreamModes.COMMITTED,
        fallbackMode: 'earliest',
        autocommit: false,
        isolationLevel: FetchIsolationLevels?.READ_COMMITTED ?? 1,
      });
      stream.on('data', (message) => add({ value: message.value.toString(), offset: String(message.offset), message }));
      const close = async () => {
        await stream.close();
        await consumer.close();
      };
      return { records: await found, consumer, close };
    },
  };
}

const adapter = { kafkajs, confluent, platformatic }[client]();
const open = new Map();
const EXTRA_MS = 1000;

const operations = {
  /** One transaction from beginning to end, by a producer of its own. */
  async transact({ id, topic, values, end }) {
    const producer = await adapter.producer(id);
    await producer.begin();
    await producer.send(topic, values);
    await producer[end]();
    await producer.close();
  },
  /** A transaction that stays open. */
  async open({ id, topic, values }) {
    const producer = await adapter.producer(id);
    await producer.begin();
    await producer.send(topic, values);
    open.set(id, producer);
  },
  /** Goes on with it, and ends it. */
  async end({ id, topic, values, end }) {
    const producer = open.get(id);
    open.delete(id);
    try {
      if (values.length > 0) await producer.send(topic, values);
      await producer[end]();
    } finally {
      await Promise.resolve(producer.close()).catch(() => undefined);
    }
  },
  /** Reads, processes and writes, with the offsets of the group in the transaction. */
  async copy({ id, from, to, group, count, end, timeoutMs }) {
    const producer = await adapter.producer(id);
    const { records, consumer, close } = await adapter.consume({ topic: from, group, count, extraMs: 0, timeoutMs });
    await producer.begin();
    await producer.send(
      to,
      records.map(({ value }) => `copy of ${value}`),
    );
    await producer.sendOffsets({ consumer, group, topic: from, records });
    await producer[end]();
    await close();
    await producer.close();
  },
  /** What a reader of committed records sees. */
  async read({ topic, group, count, timeoutMs }) {
    const { records, close } = await adapter.consume({ topic, group, count, extraMs: EXTRA_MS, timeoutMs });
    await close();
    return records.map(({ value }) => value);
  },
};

const say = (answer) => process.stdout.write(`@${JSON.stringify(answer)}\n`);
process.on('unhandledRejection', () => undefined);
say({ value: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  try {
    say({ value: (await operations[request.op](request)) ?? null });
  } catch (error) {
    const causes = (error?.errors ?? []).map(({ message }) => message);
    say({ error: [error?.code, error?.message ?? error, ...causes].join(' ').slice(0, 300) });
  }
}
process.exit(0);
