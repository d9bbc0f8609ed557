/**
 * Measures Ottla's built package and Apache Kafka 4.4.0 with the same programs, in turn on one machine, and prints the ratios. Needs Java, the peer
 * script (KAFKA_PEER) and kcat: `npm run build && npm run bench`. With `--write` the page bench/RESULTS.md is written anew.
 */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasPeer, type MeasuredBroker, residentMegabytes, startKafka, startOttla } from './brokers.ts';
import { pageOf, type Round, rowsOf, tableOf } from './report.ts';
import { consume, type Figure, idleConnections, latency, produce } from './workloads.ts';

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    skip: { type: 'string', default: '' },
    entry: { type: 'string', default: 'dist/cli/main.js' },
    port: { type: 'string', default: '27092' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const records = Number(options.records);
const largeRecords = Math.ceil(records / 4);
const entry = resolve(options.entry);
const wanted = (name: string): boolean =>
  (options.only === '' || options.only.split(',').includes(name)) && !options.skip.split(',').includes(name);

async function measure(broker: MeasuredBroker): Promise<Figure[]> {
  const figures: Figure[] = [{ name: 'start to first answer', unit: 'ms', better: 'less', value: broker.startMs }];
  await new Promise((done) => setTimeout(done, 5000));
  figures.push({ name: 'idle memory', unit: 'MB', better: 'less', value: residentMegabytes(broker.pid) });
  if (wanted('connections')) figures.push(...(await idleConnections(broker)));
  if (wanted('produce')) {
    produce(broker, 'warm', Math.min(records, 500_000), 100);
    figures.push(...produce(broker, 'hundred', records, 100));
    figures.push(...produce(broker, 'thousand', largeRecords, 1000));
  }
  if (wanted('consume')) {
    if (!wanted('produce')) produce(broker, 'thousand', largeRecords, 1000);
    consume(broker, 'thousand', largeRecords, 1000);
    figures.push(...consume(broker, 'thousand', largeRecords, 1000));
    if (wanted('produce')) figures.push(...consume(broker, 'hundred', records, 100));
  }
  if (wanted('latency')) figures.push(...latency(broker, entry));
  figures.push({ name: 'memory after the load', unit: 'MB', better: 'less', value: residentMegabytes(broker.pid) });
  return figures;
}

async function measured(start: () => Promise<MeasuredBroker>): Promise<Figure[]> {
  const broker = await start();
  try {
    return await measure(broker);
  } finally {
    await broker.stop();
  }
}

if (!hasPeer()) throw new Error('Set KAFKA_PEER to the script that starts Apache Kafka for comparison.');
const begun = new Date();
const rounds: Round[] = [];
const firstPort = Number(options.port);
for (let round = 0; round < Number(options.rounds); round++) {
  // Whoever comes second finds the machine warm or tired: they take turns.
  const ottla = () => measured(() => startOttla(firstPort + 2 * round, { entry }));
  const kafka = () => measured(() => startKafka(firstPort + 2 * round + 1));
  if (round % 2 === 0) rounds.push({ ottla: await ottla(), kafka: await kafka() });
  else {
    const kafkaFigures = await kafka();
    rounds.push({ ottla: await ottla(), kafka: kafkaFigures });
  }
  console.error(`round ${round + 1} of ${options.rounds} done`);
}

const rows = rowsOf(rounds);
console.log(options.json ? JSON.stringify({ rows, rounds }, null, 1) : tableOf(rows));
if (options.write) {
  writeFileSync('bench/RESULTS.md', pageOf(rows, { rounds: rounds.length, records, begun, ended: new Date() }));
}
