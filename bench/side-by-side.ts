/**
 * Measures Ottla's built package and Apache Kafka 4.4.0 with the same programs, one after the other in one run, and prints the
 * ratios. Needs Java, the peer script (KAFKA_PEER) and kcat: `npm run build && npm run bench`.
 */
import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { cpuSeconds, hasPeer, type MeasuredBroker, peer, residentMegabytes, startKafka, startOttla } from './brokers.ts';

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  readonly value: number;
}

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    skip: { type: 'string', default: '' },
    entry: { type: 'string', default: 'dist/cli/main.js' },
    json: { type: 'boolean', default: false },
  },
});
const records = Number(options.records);
const wanted = (name: string): boolean =>
  (options.only === '' || options.only.split(',').includes(name)) && !options.skip.split(',').includes(name);

const producerProperties = (broker: MeasuredBroker): string[] => [
  '--bootstrap-server',
  `127.0.0.1:${broker.port}`,
  '--command-property',
  'acks=all',
  'linger.ms=5',
  'batch.size=131072',
];

function produce(broker: MeasuredBroker, topic: string, count: number, recordSize: number): Figure[] {
  const args = ['--topic', topic, '--num-records', String(count), '--record-size', String(recordSize), '--throughput', '-1'];
  const before = cpuSeconds(broker.pid);
  const printed = peer(['tool', 'ProducerPerformance', ...args, ...producerProperties(broker)]);
  const cpu = cpuSeconds(broker.pid) - before;
  const rate = Number(/([\d.]+) records\/sec \([\d.]+ MB\/sec\)[^\n]*ms 99\.9th/.exec(printed)?.[1] ?? Number.NaN);
  const name = `produce ${recordSize} B`;
  return [
    { name, unit: 'records/s', better: 'more', value: rate },
    { name: `${name}, broker CPU`, unit: 's per million records', better: 'less', value: (cpu / count) * 1e6 },
  ];
}

function consume(broker: MeasuredBroker, topic: string, count: number, recordSize: number): Figure[] {
  const before = cpuSeconds(broker.pid);
  const begun = performance.now();
  const args = [
    '-b',
    `127.0.0.1:${broker.port}`,
    '-C',
    '-t',
    topic,
    '-p',
    '0',
    '-o',
    'beginning',
    '-c',
    String(count),
    '-q',
    '-f',
    '.',
  ];
  const run = spawnSync('kcat', [...args, '-X', 'fetch.message.max.bytes=10485760', '-X', 'queued.max.messages.kbytes=262144'], {
    maxBuffer: 1 << 30,
  });
  const seconds = (performance.now() - begun) / 1000;
  const cpu = cpuSeconds(broker.pid) - before;
  if (run.status !== 0 || run.stdout.length !== count)
    throw new Error(`kcat read ${run.stdout.length} of ${count}: ${run.stderr.toString()}`);
  const name = `consume ${recordSize} B`;
  return [
    { name, unit: 'MB/s', better: 'more', value: (count * recordSize) / 1e6 / seconds },
    { name: `${name}, broker CPU`, unit: 's per million records', better: 'less', value: (cpu / count) * 1e6 },
  ];
}

function latency(broker: MeasuredBroker): Figure[] {
  const printed = peer(['tool', 'EndToEndLatency', `127.0.0.1:${broker.port}`, 'latency', '10000', 'all', '100']);
  const average = Number(/Avg latency: ([\d.]+) ms/.exec(printed)?.[1] ?? Number.NaN);
  const [, p50, p99] = /50th = (\d+), 99th = (\d+)/.exec(printed) ?? [];
  return [
    { name: 'end-to-end latency, average', unit: 'ms', better: 'less', value: average },
    { name: 'end-to-end latency, p50', unit: 'ms', better: 'less', value: Number(p50) },
    { name: 'end-to-end latency, p99', unit: 'ms', better: 'less', value: Number(p99) },
  ];
}

async function idleConnections(broker: MeasuredBroker): Promise<Figure[]> {
  const before = residentMegabytes(broker.pid);
  const sockets: Socket[] = [];
  for (let i = 0; i < 1000; i++) {
    sockets.push(
      await new Promise<Socket>((done, failed) => {
        const socket = connect({ port: broker.port, host: '127.0.0.1' }, () => done(socket));
        socket.once('error', failed);
      }),
    );
  }
  await new Promise((done) => setTimeout(done, 1000));
  const grown = residentMegabytes(broker.pid) - before;
  for (const socket of sockets) socket.destroy();
  return [{ name: '1,000 idle connections', unit: 'MB more', better: 'less', value: grown }];
}

async function measure(start: () => Promise<MeasuredBroker>): Promise<Figure[]> {
  const broker = await start();
  const figures: Figure[] = [{ name: 'start to first answer', unit: 'ms', better: 'less', value: broker.startMs }];
  try {
    await new Promise((done) => setTimeout(done, 5000));
    figures.push({ name: 'idle memory', unit: 'MB', better: 'less', value: residentMegabytes(broker.pid) });
    if (wanted('connections')) figures.push(...(await idleConnections(broker)));
    if (wanted('produce')) {
      produce(broker, 'warm', Math.min(records, 500_000), 100);
      figures.push(...produce(broker, 'hundred', records, 100));
      figures.push(...produce(broker, 'thousand', Math.ceil(records / 4), 1000));
    }
    if (wanted('consume')) {
      if (!wanted('produce')) produce(broker, 'thousand', Math.ceil(records / 4), 1000);
      consume(broker, 'thousand', Math.ceil(records / 4), 1000);
      figures.push(...consume(broker, 'thousand', Math.ceil(records / 4), 1000));
      if (wanted('produce')) figures.push(...consume(broker, 'hundred', records, 100));
    }
    if (wanted('latency')) figures.push(...latency(broker));
    figures.push({ name: 'memory after the load', unit: 'MB', better: 'less', value: residentMegabytes(broker.pid) });
  } finally {
    await broker.stop();
  }
  return figures;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

if (!hasPeer()) throw new Error('Set KAFKA_PEER to the script that starts Apache Kafka for comparison.');
const rounds: { ottla: Figure[]; kafka: Figure[] }[] = [];
for (let round = 0; round < Number(options.rounds); round++) {
  const ottla = await measure(() => startOttla(27092 + round, { entry: options.entry }));
  const kafka = await measure(() => startKafka(27192 + round));
  rounds.push({ ottla, kafka });
  console.error(`round ${round + 1} of ${options.rounds} done`);
}

const rows = (rounds[0]?.ottla ?? []).map((figure, index) => {
  const ottla = median(rounds.map((round) => round.ottla[index]?.value ?? Number.NaN));
  const kafka = median(rounds.map((round) => round.kafka[index]?.value ?? Number.NaN));
  return { name: figure.name, unit: figure.unit, better: figure.better, ottla, kafka, ratio: ottla / kafka };
});
if (options.json) console.log(JSON.stringify(rows, null, 1));
else {
  console.log(
    `| figure (median of ${rounds.length}) | unit | Ottla | Apache Kafka 4.4.0 | ratio | better |\n|---|---|---:|---:|---:|---|`,
  );
  for (const row of rows) {
    console.log(
      `| ${row.name} | ${row.unit} | ${row.ottla.toFixed(2)} | ${row.kafka.toFixed(2)} | ${row.ratio.toFixed(2)} | ${row.better} |`,
    );
  }
}
