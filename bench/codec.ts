import { decode, encode } from '../src/protocol/codec.ts';
import { decodeRequestHeader, encodeRequest, encodeResponse } from '../src/protocol/header.ts';
import { produce } from '../src/protocol/messages/00-produce.ts';
import { fetch } from '../src/protocol/messages/01-fetch.ts';
import { metadata } from '../src/protocol/messages/03-metadata.ts';
import { apiVersions } from '../src/protocol/messages/18-api-versions.ts';
import { apis } from '../src/protocol/messages/index.ts';
import type { Api, RequestInput, ResponseInput } from '../src/protocol/schema.ts';

/** Nanoseconds that messages of the hot paths take to decode and to encode. `node bench/codec.ts` */

const TOPIC = 'tHbgGnFVT1iOBBFcrqfPrA';
const ROUNDS = 5;
const ROUND_MS = 200;

function measure(name: string, bytes: number, work: () => unknown): void {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let runs = 0;
    while (performance.now() - start < ROUND_MS) {
      for (let run = 0; run < 100; run++) work();
      runs += 100;
    }
    best = Math.min(best, ((performance.now() - start) * 1e6) / runs);
  }
  console.log(`${name.padEnd(64)} ${String(bytes).padStart(8)} B ${best.toFixed(0).padStart(8)} ns`);
}

function request<A extends Api>(name: string, api: A, input: RequestInput<A>): void {
  const version = api.maxVersion;
  const header = { correlationId: 7, clientId: 'bench' };
  const frame = encodeRequest(api, version, header, input).subarray(4);
  measure(`decode ${name} request v${version}, with header`, frame.length, () => {
    const { bodyOffset } = decodeRequestHeader(frame);
    return decode(api.request, version, frame.subarray(bodyOffset));
  });
  measure(`encode ${name} request v${version}, with header`, frame.length, () => encodeRequest(api, version, header, input));
}

function response<A extends Api>(name: string, api: A, input: ResponseInput<A>): void {
  const version = api.maxVersion;
  const bytes = encode(api.response, version, input);
  measure(`decode ${name} response v${version}`, bytes.length, () => decode(api.response, version, bytes));
  measure(`encode ${name} response v${version}, with header`, bytes.length, () => encodeResponse(api, version, 7, input));
}

const batch = Buffer.alloc(1000, 1);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const topicData = (partitions: number) => [
  { name: '', topicId: TOPIC, partitionData: numbers(partitions).map((index) => ({ index, records: batch })) },
];
request('Produce (1 partition)', produce, { acks: -1, timeoutMs: 30_000, topicData: topicData(1) });
request('Produce (20 partitions)', produce, { acks: -1, timeoutMs: 30_000, topicData: topicData(20) });
response('Produce (1 partition)', produce, {
  responses: [{ name: '', topicId: TOPIC, partitionResponses: [{ index: 0, baseOffset: 123_456_789, recordErrors: [] }] }],
});

const partitions = numbers(20).map((partition) => ({
  partition,
  fetchOffset: 5_000_000_000 + partition,
  partitionMaxBytes: 1_048_576,
}));
request('Fetch (20 partitions)', fetch, {
  maxWaitMs: 500,
  minBytes: 1,
  topics: [{ topicId: TOPIC, partitions }],
  forgottenTopicsData: [],
  rackId: '',
});
response('Fetch (20 partitions, batches in memory)', fetch, {
  responses: [
    {
      topic: '',
      topicId: TOPIC,
      partitions: numbers(20).map((partitionIndex) => ({
        partitionIndex,
        highWatermark: 5_000_000_123,
        lastStableOffset: 5_000_000_123,
        logStartOffset: 0,
        abortedTransactions: null,
        records: batch,
      })),
    },
  ],
});

response('Metadata (100 topics of 3 partitions)', metadata, {
  brokers: numbers(3).map((nodeId) => ({ nodeId, host: `broker-${nodeId}.example`, port: 9092 })),
  clusterId: 'cluster',
  controllerId: 1,
  topics: numbers(100).map((topic) => ({
    name: `topic-${topic}`,
    topicId: TOPIC,
    partitions: numbers(3).map((partitionIndex) => ({
      partitionIndex,
      leaderId: 1,
      leaderEpoch: 4,
      replicaNodes: [1, 2, 3],
      isrNodes: [1, 2, 3],
      offlineReplicas: [],
    })),
  })),
});
response('ApiVersions', apiVersions, {
  apiKeys: apis.map(({ key, minVersion, maxVersion }) => ({ apiKey: key, minVersion, maxVersion })),
});
