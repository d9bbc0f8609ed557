/**
 * Transactions on one node, side by side with Apache Kafka 4.4.0: small ones one after the other, by one producer and by many at once, into one partition, into ten,
 * and with offsets of a group; and what ProducerPerformance sends in transactions. Needs Java and the peer script:
 * `npm run build && node bench/transactions.ts`.
 *
 *     node bench/transactions.ts [--entry dist/cli/main.js] [--rounds 2] [--port 27480] [--seconds 5] [--records 500000]
 *         [--without-kafka] [--without-java] [--node-option --cpu-prof]…
 */
import { parseArgs } from 'node:util';
import { silentLogger } from '../src/base/logger.ts';
import { createTopic } from '../src/client/admin-topics.ts';
import { Client } from '../src/client/client.ts';
import { Producer } from '../src/client/producer.ts';
import { systemEnvironment } from '../src/platform/system-environment.ts';
import { cpuSeconds, type MeasuredBroker, peer, startKafka, startOttla } from './brokers.ts';
import { type Round, rowsOf, tableOf } from './report.ts';
import type { Figure } from './workloads.ts';
import { pause } from './pause.ts';

const { values: options } = parseArgs({
  options: {
    entry: { type: 'string', default: 'dist/cli/main.js' },
    rounds: { type: 'string', default: '2' },
    port: { type: 'string', default: '27480' },
    seconds: { type: 'string', default: '5' },
    records: { type: 'string', default: '500000' },
    'without-kafka': { type: 'boolean', default: false },
    'without-java': { type: 'boolean', default: false },
    'node-option': { type: 'string', multiple: true, default: [] },
  },
});

const PRODUCERS = 16;
const PARTITIONS = 10;
const TOPIC = 'payments';
const VALUE = Buffer.alloc(100, 'v');
const seconds = Number(options.seconds);
const settings = [
  'offsets.topic.replication.factor=1',
  'transaction.state.log.replication.factor=1',
  'transaction.state.log.min.isr=1',
];

interface Shape {
  readonly name: string;
  readonly producers: number;
  readonly partitions: number;
  readonly hasOffsets: boolean;
}

const shapes: readonly Shape[] = [
  { name: 'into 1 partition', producers: 1, partitions: 1, hasOffsets: false },
  { name: `into ${PARTITIONS} partitions`, producers: 1, partitions: PARTITIONS, hasOffsets: false },
  { name: 'into 1 partition with offsets', producers: 1, partitions: 1, hasOffsets: true },
  { name: `into 1 partition, ${PRODUCERS} producers`, producers: PRODUCERS, partitions: 1, hasOffsets: false },
  {
    name: `into ${PARTITIONS} partitions, ${PRODUCERS} producers`,
    producers: PRODUCERS,
    partitions: PARTITIONS,
    hasOffsets: false,
  },
];

/** A broker in Java is slow until it has compiled what it does. */
const WARM_UP: Shape = { name: 'warm', producers: PRODUCERS, partitions: PARTITIONS, hasOffsets: true };

/** One small transaction: a record into each partition. */
async function transact(producer: Producer, shape: Shape, offset: number): Promise<void> {
  producer.beginTransaction();
  const sent: Promise<unknown>[] = [];
  for (let partition = 0; partition < shape.partitions; partition++)
    sent.push(producer.send({ topic: TOPIC, partition, value: VALUE }));
  await Promise.all(sent);
  if (shape.hasOffsets) {
    const identity = { memberId: '', epoch: -1, instanceId: null };
    await producer.sendOffsetsToTransaction([{ topic: TOPIC, partition: 0, offset }], { groupId: 'copiers', identity });
  }
  await producer.commitTransaction();
}

/** As many transactions as come to their end in the time, after a second of warming up. */
async function rateOf(broker: MeasuredBroker, shape: Shape): Promise<Figure[]> {
  const clients: Client[] = [];
  const run = { count: 0, isOver: false };
  const work = async (index: number): Promise<void> => {
    const client = new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${broker.port}` });
    clients.push(client);
    const producer = new Producer(client, { transactionalId: `${shape.name}-${index}`, lingerMs: 0 });
    await client.connect();
    await producer.prepare(TOPIC);
    await producer.initTransactions();
    for (; !run.isOver; run.count++) await transact(producer, shape, run.count);
    await producer.close();
  };
  const working = Promise.all(Array.from({ length: shape.producers }, (_, index) => work(index)));
  await pause(1000);
  const [before, cpu, begun] = [run.count, cpuSeconds(broker.pid), performance.now()];
  await pause(seconds * 1000);
  const [done, cpuUsed, took] = [run.count - before, cpuSeconds(broker.pid) - cpu, (performance.now() - begun) / 1000];
  run.isOver = true;
  await working;
  for (const client of clients) client.close();
  return [
    { name: `transactions ${shape.name}`, unit: 'a second', better: 'more', value: done / took },
    { name: `transactions ${shape.name}, broker CPU`, unit: 's per thousand', better: 'less', value: (cpuUsed / done) * 1000 },
  ];
}

/** What Kafka's own tool sends in transactions of so long. */
function performanceOf(broker: MeasuredBroker, durationMs: number): Figure[] {
  const cpu = cpuSeconds(broker.pid);
  const where = ['--bootstrap-server', `127.0.0.1:${broker.port}`, '--topic', TOPIC];
  const what = ['--num-records', options.records, '--record-size', '100', '--throughput', '-1'];
  const how = ['--transactional-id', `perf-${durationMs}`, '--transaction-duration-ms', String(durationMs)];
  const report = peer(['tool', 'ProducerPerformance', ...where, ...what, ...how]);
  const rate = Number(/([\d.]+) records\/sec[^\n]*99th/.exec(report)?.[1] ?? Number.NaN);
  const name = `produce 100 B in transactions of ${durationMs} ms`;
  return [
    { name, unit: 'records/s', better: 'more', value: rate },
    {
      name: `${name}, broker CPU`,
      unit: 's per million',
      better: 'less',
      value: ((cpuSeconds(broker.pid) - cpu) / Number(options.records)) * 1e6,
    },
  ];
}

async function measured(broker: MeasuredBroker): Promise<Figure[]> {
  try {
    const client = new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${broker.port}` });
    await client.connect();
    await createTopic(client, { name: TOPIC, partitions: PARTITIONS });
    client.close();
    const figures: Figure[] = [];
    await rateOf(broker, WARM_UP);
    for (const shape of shapes) figures.push(...(await rateOf(broker, shape)));
    if (!options['without-java']) for (const durationMs of [50, 1000]) figures.push(...performanceOf(broker, durationMs));
    return figures;
  } finally {
    await broker.stop();
  }
}

const firstPort = Number(options.port);
const rounds: Round[] = [];
for (let round = 0; round < Number(options.rounds); round++) {
  // Whoever comes second finds the machine warm or tired: they take turns.
  const start = { entry: options.entry, settings, nodeOptions: options['node-option'] };
  const ottla = async (): Promise<Figure[]> => measured(await startOttla(firstPort + 2 * round, start));
  const kafka = async (): Promise<Figure[]> =>
    options['without-kafka'] ? [] : measured(await startKafka(firstPort + 2 * round + 1, { settings }));
  const kafkaFirst = round % 2 === 1 ? await kafka() : null;
  const ottlaFigures = await ottla();
  rounds.push({ ottla: ottlaFigures, kafka: kafkaFirst ?? (await kafka()) });
  console.error(`round ${round + 1} of ${options.rounds} done`);
}
console.log(tableOf(rowsOf(rounds)));
