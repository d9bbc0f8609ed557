import { spawnSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { cpuSeconds, type MeasuredBroker, peer, peerReport, residentMegabytes } from './brokers.ts';
import { openConnection } from './open-connection.ts';

/** One number that was measured of a broker. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  readonly value: number;
}

/** kafka-producer-perf-test: acks=all, lingering 5 ms, batches of 128 KiB. */
export function produce(broker: MeasuredBroker, topic: string, count: number, recordSize: number): Figure[] {
  const before = cpuSeconds(broker.pid);
  const what = `--topic ${topic} --num-records ${count} --record-size ${recordSize} --throughput -1`;
  const how = '--command-property acks=all linger.ms=5 batch.size=131072';
  const printed = peer(`tool ProducerPerformance ${what} --bootstrap-server 127.0.0.1:${broker.port} ${how}`.split(' '));
  const cpu = cpuSeconds(broker.pid) - before;
  const rate = Number(/([\d.]+) records\/sec \([\d.]+ MB\/sec\)[^\n]*ms 99\.9th/.exec(printed)?.[1] ?? Number.NaN);
  const name = `produce ${recordSize} B`;
  return [
    { name, unit: 'records/s', better: 'more', value: rate },
    { name: `${name}, broker CPU`, unit: 's per million records', better: 'less', value: (cpu / count) * 1e6 },
  ];
}

/** kcat (librdkafka) from the beginning of the one partition. */
export function consume(broker: MeasuredBroker, topic: string, count: number, recordSize: number): Figure[] {
  const [before, begun] = [cpuSeconds(broker.pid), performance.now()];
  const what = `-b 127.0.0.1:${broker.port} -C -t ${topic} -p 0 -o beginning -c ${count} -q -f .`;
  const how = '-X fetch.message.max.bytes=10485760 -X queued.max.messages.kbytes=262144';
  const run = spawnSync('kcat', `${what} ${how}`.split(' '), { maxBuffer: 1 << 30 });
  const seconds = (performance.now() - begun) / 1000;
  const cpu = cpuSeconds(broker.pid) - before;
  if (run.status !== 0 || run.stdout.length !== count) {
    throw new Error(`kcat read ${run.stdout.length} of ${count}: ${run.stderr.toString()}`);
  }
  const name = `consume ${recordSize} B`;
  return [
    { name, unit: 'MB/s', better: 'more', value: (count * recordSize) / 1e6 / seconds },
    { name: `${name}, broker CPU`, unit: 's per million records', better: 'less', value: (cpu / count) * 1e6 },
  ];
}

/** Apache Kafka's EndToEndLatency (whole milliseconds), and the same trip by this package's own client, which shows what is below one. */
export function latency(broker: MeasuredBroker, entry: string): Figure[] {
  const printed = peerReport(['tool', 'EndToEndLatency', `127.0.0.1:${broker.port}`, 'latency', '10000', 'all', '100']);
  const average = Number(/Avg latency: ([\d.]+) ms/.exec(printed)?.[1] ?? Number.NaN);
  const [, p50, p99] = /50th = (\d+), 99th = (\d+)/.exec(printed) ?? [];
  const own = ownLatency(broker, entry);
  const name = 'end-to-end latency';
  const figure = (what: string, value: number): Figure => ({ name: `${name}, ${what}`, unit: 'ms', better: 'less', value });
  return [
    figure('average', average),
    figure('p50', Number(p50)),
    figure('p99', Number(p99)),
    figure('ottla bench, p50', own.p50Ms),
    figure('ottla bench, p99', own.p99Ms),
  ];
}

function ownLatency(broker: MeasuredBroker, entry: string): { readonly p50Ms: number; readonly p99Ms: number } {
  const args = `bench latency latency -b 127.0.0.1:${broker.port} --warm-up 2000 --records 10000 --json`;
  const run = spawnSync(process.execPath, [entry, ...args.split(' ')], { encoding: 'utf8' });
  const last = run.stdout.trim().split('\n').at(-1) ?? '';
  if (run.status !== 0) throw new Error(`ottla ${args} exited with ${run.status}: ${run.stderr}`);
  return JSON.parse(last) as { p50Ms: number; p99Ms: number };
}

/** What 1,000 connections cost that have asked one question and are silent since. */
export async function idleConnections(broker: MeasuredBroker): Promise<Figure[]> {
  const before = residentMegabytes(broker.pid);
  const sockets: Socket[] = [];
  for (let index = 0; index < 1000; index++) {
    const socket = await openConnection(broker.port);
    if (socket === null) throw new Error(`connection ${index} was not answered`);
    sockets.push(socket);
  }
  await new Promise((done) => setTimeout(done, 1000));
  const grown = residentMegabytes(broker.pid) - before;
  const cpu = await idleCpu(broker);
  for (const socket of sockets) socket.destroy();
  return [
    { name: '1,000 idle connections', unit: 'MB more', better: 'less', value: grown },
    { name: 'idle with 1,000 connections, broker CPU', unit: '% of a core', better: 'less', value: cpu },
  ];
}

async function idleCpu(broker: MeasuredBroker): Promise<number> {
  const seconds = 5;
  const before = cpuSeconds(broker.pid);
  await new Promise((done) => setTimeout(done, seconds * 1000));
  return ((cpuSeconds(broker.pid) - before) / seconds) * 100;
}
