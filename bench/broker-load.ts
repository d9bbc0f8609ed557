/**
 * The processor time that a broker in a process of its own needs for a million records, under a load that costs the sender next to nothing: the same batch
 * again and again, and fetches whose records nobody looks at. So what is measured is the broker and not the client.
 *
 *     node bench/broker-load.ts [--entry dist/cli/main.js | --kafka] [--rounds 3] [--port 27080] [--node-option --cpu-prof]…
 */
import { parseArgs } from 'node:util';
import { RequestSender } from '../src/network/request-sender.ts';
import { nodeNetwork } from '../src/platform/node-network.ts';
import { systemClock } from '../src/platform/system-clock.ts';
import { produce } from '../src/protocol/messages/00-produce.ts';
import { fetch } from '../src/protocol/messages/01-fetch.ts';
import { metadata } from '../src/protocol/messages/03-metadata.ts';
import { createTopics } from '../src/protocol/messages/19-create-topics.ts';
import { batchesOf } from '../src/protocol/records/batches.ts';
import { buildBatch } from '../src/protocol/records/record-batch-builder.ts';
import { ZERO_UUID } from '../src/base/uuid.ts';
import { cpuSeconds, type MeasuredBroker, residentMegabytes, startKafka, startOttla } from './brokers.ts';

const { values: options } = parseArgs({
  options: {
    entry: { type: 'string', default: 'dist/cli/main.js' },
    kafka: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    port: { type: 'string', default: '27080' },
    'node-option': { type: 'string', multiple: true, default: [] },
  },
});

const REQUESTS_IN_FLIGHT = 5;
const RECORD_OVERHEAD_BYTES = 8;

interface Load {
  readonly name: string;
  readonly topic: string;
  readonly recordBytes: number;
  readonly batchBytes: number;
  readonly records: number;
}

const loads: readonly Load[] = [
  { name: 'warm', topic: 'warm', recordBytes: 100, batchBytes: 131_072, records: 1_000_000 },
  { name: '100 B in batches of 128 KiB', topic: 'hundred', recordBytes: 100, batchBytes: 131_072, records: 6_000_000 },
  { name: '1 KB in batches of 128 KiB', topic: 'thousand', recordBytes: 1024, batchBytes: 131_072, records: 1_000_000 },
  { name: '100 B in batches of 16 KiB', topic: 'small', recordBytes: 100, batchBytes: 16_384, records: 3_000_000 },
  { name: '100 B one by one', topic: 'single', recordBytes: 100, batchBytes: 200, records: 100_000 },
];

const connect = (port: number): Promise<RequestSender> =>
  RequestSender.connect(
    { host: '127.0.0.1', port },
    { network: nodeNetwork, clock: systemClock, clientId: 'load', requestTimeoutMs: 60_000, connectTimeoutMs: 5000 },
  );

async function createTopic(sender: RequestSender, name: string): Promise<string> {
  const topic = { name, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
  await sender.send(createTopics, 7, { topics: [topic], timeoutMs: 10_000, validateOnly: false });
  const answer = await sender.send(metadata, 12, {
    topics: [{ topicId: ZERO_UUID, name }],
    allowAutoTopicCreation: false,
    includeTopicAuthorizedOperations: false,
  });
  return answer.topics[0]?.topicId ?? ZERO_UUID;
}

/** Sends the records and gives how many were sent. */
async function sendAll(sender: RequestSender, topicId: string, { recordBytes, batchBytes, records }: Load): Promise<number> {
  const perBatch = Math.max(1, Math.floor((batchBytes - 70) / (recordBytes + RECORD_OVERHEAD_BYTES)));
  const value = Buffer.alloc(recordBytes, 'x');
  const timestamp = systemClock.now();
  const batch = buildBatch({ records: Array.from({ length: perBatch }, () => ({ key: null, value, timestamp })) });
  const request = { acks: -1, timeoutMs: 30_000, topicData: [{ topicId, partitionData: [{ index: 0, records: batch }] }] };
  let left = Math.ceil(records / perBatch);
  const total = left * perBatch;
  const oneAfterAnother = async (): Promise<void> => {
    while (left-- > 0) {
      const { responses } = await sender.send(produce, 13, request);
      const code = responses[0]?.partitionResponses[0]?.errorCode;
      if (code !== 0) throw new Error(`Produce was answered with error ${code}`);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, oneAfterAnother));
  return total;
}

/** Reads the topic from its start until so many bytes have come. */
async function readAll(sender: RequestSender, topicId: string, maxBytes: number, bytesWanted: number): Promise<number> {
  let fetchOffset = 0;
  let bytes = 0;
  while (bytes < bytesWanted) {
    const partition = { partition: 0, fetchOffset, partitionMaxBytes: maxBytes };
    const request = { maxWaitMs: 500, minBytes: 1, maxBytes: 52_428_800, topics: [{ topicId, partitions: [partition] }] };
    const answer = (await sender.send(fetch, 13, { ...request, forgottenTopicsData: [], rackId: '' })).responses[0]
      ?.partitions[0];
    if (answer?.errorCode !== 0) throw new Error(`Fetch was answered with error ${answer?.errorCode}`);
    const { records } = answer;
    bytes += records?.byteLength ?? 0;
    if (records !== null) for (const batch of batchesOf(records)) fetchOffset = batch.nextOffset;
    if (fetchOffset >= answer.highWatermark) fetchOffset = 0;
  }
  return bytes;
}

interface Row {
  readonly name: string;
  readonly rate: string;
  readonly cpu: string;
}

async function measured(
  broker: MeasuredBroker,
  run: () => Promise<number>,
): Promise<{ count: number; seconds: number; cpu: number }> {
  const [cpu, begun] = [cpuSeconds(broker.pid), performance.now()];
  const count = await run();
  return { count, seconds: (performance.now() - begun) / 1000, cpu: cpuSeconds(broker.pid) - cpu };
}

async function produceRows(broker: MeasuredBroker, sender: RequestSender, topics: Map<string, string>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const load of loads) {
    const topicId = await createTopic(sender, load.topic);
    topics.set(load.topic, topicId);
    const { count, seconds, cpu } = await measured(broker, () => sendAll(sender, topicId, load));
    const rate = `${Math.round(count / seconds)} records/s`;
    rows.push({ name: `produce ${load.name}`, rate, cpu: `${((cpu / count) * 1e6).toFixed(3)} s per million` });
  }
  return rows;
}

async function fetchRows(broker: MeasuredBroker, sender: RequestSender, topics: Map<string, string>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [topic, maxBytes, bytesWanted] of [
    ['thousand', 1_048_576, 3e9],
    ['thousand', 10_485_760, 3e9],
    ['thousand', 65_536, 1e9],
    ['single', 10_000, 1e8],
  ] as const) {
    const topicId = topics.get(topic) ?? ZERO_UUID;
    const { count, seconds, cpu } = await measured(broker, () => readAll(sender, topicId, maxBytes, bytesWanted));
    const rate = `${Math.round(count / 1e6 / seconds)} MB/s`;
    rows.push({ name: `fetch ${topic} by ${maxBytes} bytes`, rate, cpu: `${((cpu / count) * 1e9).toFixed(3)} s per GB` });
  }
  return rows;
}

for (let round = 1; round <= Number(options.rounds); round++) {
  const port = Number(options.port);
  const broker = options.kafka
    ? await startKafka(port)
    : await startOttla(port, { entry: options.entry, nodeOptions: options['node-option'] });
  try {
    const sender = await connect(port);
    const topics = new Map<string, string>();
    const rows = [...(await produceRows(broker, sender, topics)), ...(await fetchRows(broker, sender, topics))];
    sender.close();
    console.log(`${broker.name}, round ${round}: ${residentMegabytes(broker.pid).toFixed(0)} MB resident at the end`);
    for (const { name, rate, cpu } of rows) console.log(`  ${name.padEnd(40)} ${rate.padStart(18)} ${cpu.padStart(24)}`);
  } finally {
    await broker.stop();
  }
}
