/**
 * What fetches that wait cost others: 300 clients that wait for 501 partitions each, a produce meanwhile, and a stop. `--appended` measures instead how long a
 * stop takes right after each of 1,000 partitions was appended to.
 *
 *     node bench/waiting-fetches.ts [--entry dist/cli/main.js] [--fetches 300] [--partitions 501] [--appended] [--node-option=--cpu-prof]…
 */
import { parseArgs } from 'node:util';
import { ZERO_UUID } from '../src/base/uuid.ts';
import { RequestSender } from '../src/network/request-sender.ts';
import { nodeNetwork } from '../src/platform/node-network.ts';
import { systemClock } from '../src/platform/system-clock.ts';
import { produce } from '../src/protocol/messages/00-produce.ts';
import { fetch } from '../src/protocol/messages/01-fetch.ts';
import { metadata } from '../src/protocol/messages/03-metadata.ts';
import { createTopics } from '../src/protocol/messages/19-create-topics.ts';
import { initProducerId } from '../src/protocol/messages/22-init-producer-id.ts';
import { buildBatch } from '../src/protocol/records/record-batch-builder.ts';
import { cpuSeconds, startOttla } from './brokers.ts';

const { values: options } = parseArgs({
  options: {
    entry: { type: 'string', default: 'dist/cli/main.js' },
    fetches: { type: 'string', default: '300' },
    partitions: { type: 'string', default: '501' },
    appended: { type: 'boolean', default: false },
    port: { type: 'string', default: '27085' },
    'node-option': { type: 'string', multiple: true, default: [] },
  },
});
const port = Number(options.port);
const partitions = options.appended ? 1000 : Number(options.partitions);
const PRODUCES = 200;

const connect = (): Promise<RequestSender> =>
  RequestSender.connect(
    { host: '127.0.0.1', port },
    { network: nodeNetwork, clock: systemClock, clientId: 'waiting', requestTimeoutMs: 120_000, connectTimeoutMs: 5000 },
  );

async function createTopic(sender: RequestSender): Promise<string> {
  const topic = { name: 'wide', numPartitions: partitions, replicationFactor: 1, assignments: [], configs: [] };
  await sender.send(createTopics, 7, { topics: [topic], timeoutMs: 30_000, validateOnly: false });
  const topics = [{ topicId: ZERO_UUID, name: 'wide' }];
  const request = { topics, allowAutoTopicCreation: false, includeTopicAuthorizedOperations: false };
  return (await sender.send(metadata, 12, request)).topics[0]?.topicId ?? ZERO_UUID;
}

function batchOf(producerId: number, sequence: number): Buffer {
  const record = { key: null, value: Buffer.alloc(100, 'x'), timestamp: systemClock.now() };
  return buildBatch({ records: [record], ...(producerId < 0 ? {} : { producerId, producerEpoch: 0, baseSequence: sequence }) });
}

async function append(sender: RequestSender, topicId: string, indexes: readonly number[], records: Buffer): Promise<void> {
  const partitionData = indexes.map((index) => ({ index, records }));
  const answer = await sender.send(produce, 13, { acks: -1, timeoutMs: 30_000, topicData: [{ topicId, partitionData }] });
  const code = answer.responses[0]?.partitionResponses.find(({ errorCode }) => errorCode !== 0)?.errorCode;
  if (code !== undefined) throw new Error(`Produce was answered with error ${code}`);
}

async function producesMs(sender: RequestSender, topicId: string): Promise<string> {
  const times: number[] = [];
  for (let count = 0; count < PRODUCES; count++) {
    const begun = performance.now();
    await append(sender, topicId, [count % partitions], batchOf(-1, 0));
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  return `p50 ${times[PRODUCES / 2]?.toFixed(2)} ms, p99 ${times[Math.floor(PRODUCES * 0.99)]?.toFixed(2)} ms`;
}

/** A fetch that waits until it gets a megabyte, from ends that are known. */
async function wait(topicId: string, minBytes: number): Promise<{ sender: RequestSender; answered: Promise<unknown> }> {
  const sender = await connect();
  const wanted = Array.from({ length: partitions }, (_, partition) => ({
    partition,
    fetchOffset: partition < PRODUCES ? 1 : 0,
    partitionMaxBytes: 1_048_576,
  }));
  const request = { maxWaitMs: 60_000, minBytes, maxBytes: 52_428_800, topics: [{ topicId, partitions: wanted }] };
  return { sender, answered: sender.send(fetch, 16, { ...request, forgottenTopicsData: [], rackId: '' }).catch(() => null) };
}

/** Null once the process is gone. */
function cpuNow(): number | null {
  try {
    return cpuSeconds(broker.pid);
  } catch {
    return null;
  }
}

const broker = await startOttla(port, { entry: options.entry, nodeOptions: options['node-option'] });
const sender = await connect();
const topicId = await createTopic(sender);
const waiting: Awaited<ReturnType<typeof wait>>[] = [];
if (options.appended) {
  const { producerId } = await sender.send(initProducerId, 5, {
    transactionalId: null,
    transactionTimeoutMs: 60_000,
    producerId: -1,
    producerEpoch: -1,
  });
  const all = Array.from({ length: partitions }, (_, index) => index);
  for (let round = 0; round < 3; round++) await append(sender, topicId, all, batchOf(producerId, round));
} else {
  console.log(`produce, nobody waits:       ${await producesMs(sender, topicId)}`);
  const fetches = Number(options.fetches);
  for (let count = 0; count < fetches; count++) waiting.push(await wait(topicId, 1_000_000));
  await append(sender, topicId, [0], batchOf(-1, 0));
  console.log(`produce, ${fetches} fetches wait:   ${await producesMs(sender, topicId)}`);
}
sender.close();
const [begun, cpuBefore] = [performance.now(), cpuSeconds(broker.pid)];
let cpu = cpuBefore;
const watch = setInterval(() => (cpu = cpuNow() ?? cpu), 10);
await broker.exit();
clearInterval(watch);
console.log(`stop: ${(performance.now() - begun).toFixed(0)} ms, ${(cpu - cpuBefore).toFixed(2)} s of CPU`);
for (const { sender: waiter } of waiting) waiter.close();
await broker.stop();
