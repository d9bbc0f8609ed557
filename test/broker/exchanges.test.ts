import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { decode } from '../../src/protocol/codec.ts';
import { decodeRequestHeader, decodeResponse } from '../../src/protocol/header.ts';
import { apiByKey } from '../../src/protocol/messages/index.ts';
import type { Api } from '../../src/protocol/schema.ts';
import { BROKER_ID, TestBroker } from './test-broker.ts';

/** The first line: what the recorded broker held before the first exchange. */
interface Recorded {
  readonly topics: readonly {
    readonly name: string;
    readonly id: string;
    readonly partitions: number;
    readonly configs: Record<string, string>;
  }[];
  /** The exchange before which the recorded broker was started anew, and the leader epoch of its partitions from then on. */
  readonly phase2: number;
  readonly leaderEpoch: number;
}

interface Exchange {
  readonly label: string;
  readonly time: number;
  readonly request: string;
  readonly outcome: 'answered' | 'silent' | 'closed';
  readonly answer?: string;
}

const [first = '', ...lines] = gunzipSync(readFileSync(new URL('../golden/broker/exchanges.jsonl.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n');
const recorded: Recorded = JSON.parse(first);
const exchanges = lines.map((line): Exchange => JSON.parse(line));

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Fields that tell who answers, not what; and texts that are ours where Kafka's are its own. */
const accidents: ReadonlySet<string> = new Set(['clusterId', 'host', 'port', 'sessionId', 'producerId', 'errorMessage']);
/** What orders entries where Kafka's order is that of a hash table. */
const orderedBy = ['name', 'topic', 'index', 'partitionIndex', 'partition'] as const;

const masked = (value: unknown, name = ''): Json => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return sorted(value.map((entry) => masked(entry)));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, masked(inner, field)]));
  }
  if (accidents.has(name)) return typeof value === 'number' ? value > 0 : value === null || value === '';
  // The time of the broker; that of a repeated batch is the batch's.
  if (name === 'logAppendTimeMs' && Number(value) > recorded2026) return 'now';
  // The bounds move with the clock, which runs on while a request is on its way.
  if (name === 'batchIndexErrorMessage' && typeof value === 'string') return value.replace(/within .*/, 'within');
  return value as Json;
};
const recorded2026 = 1_796_001_500_000;

const keyOf = (entry: Json): string => {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return '';
  const fields = entry as { readonly [name: string]: Json };
  const values = orderedBy.map((field) => fields[field]).filter((value) => value !== undefined);
  const topicId = fields['topicId'];
  return [...values, ...(topicId === undefined ? [] : [topicId])]
    .map((value) => JSON.stringify(value).padStart(10, '0'))
    .join('/');
};
const sorted = (entries: readonly Json[]): readonly Json[] =>
  entries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));

describe('Exchanges recorded from Apache Kafka 4.4.0', () => {
  it('are answered alike, one after another', async (t) => {
    assert.equal(exchanges.length, 503);
    const broker = await TestBroker.start({ properties: { 'num.partitions': '4' } });
    for (const { name, id, partitions, configs } of recorded.topics) {
      broker.createTopic(name, { partitions, configs, topicId: Buffer.from(id, 'hex').toString('base64url') });
    }
    const sessions = new Map<number, number>();
    for (const [index, exchange] of exchanges.entries()) {
      if (index === recorded.phase2) electAgain(broker);
      await t.test(exchange.label, () => replay(broker, exchange, sessions));
    }
  });
});

const replay = async (broker: TestBroker, exchange: Exchange, sessions: Map<number, number>): Promise<void> => {
  const { clock } = broker.environment;
  clock.jump(exchange.time - clock.now());
  const frame = Buffer.from(exchange.request, 'hex');
  const header = decodeRequestHeader(frame);
  const api = apiByKey(header.apiKey) as Api;
  const request = decode(api.request, header.apiVersion, frame.subarray(header.bodyOffset)) as { sessionId?: number };
  if (request.sessionId !== undefined) request.sessionId = sessions.get(request.sessionId) ?? request.sessionId;
  const sent = broker.send(api, header.apiVersion, request, { clientId: header.clientId });
  const ours = await clock.scheduler.resolve(sent, 10_000);
  if (exchange.answer === undefined) {
    assert.equal(ours, exchange.outcome === 'closed' ? 'closed' : 'no response');
    return;
  }
  const { response } = decodeResponse(api, header.apiVersion, Buffer.from(exchange.answer, 'hex'));
  rememberSession(sessions, response, ours);
  assert.deepEqual(masked(ours), masked(response));
};

const rememberSession = (sessions: Map<number, number>, theirs: unknown, ours: unknown): void => {
  const ids = [theirs, ours].map((answer) => (answer as { sessionId?: number }).sessionId ?? 0);
  if ((ids[0] ?? 0) > 0) sessions.set(ids[0] ?? 0, ids[1] ?? 0);
};

/** The recorded broker was stopped and started: its partitions have a later leader epoch. */
const electAgain = (broker: TestBroker): void => {
  for (let epoch = 0; epoch < recorded.leaderEpoch; epoch++) {
    for (const topic of broker.metadata.image.topics.byId.values()) {
      for (const partitionId of topic.partitions.keys()) {
        broker.apply(metadataRecord('PartitionChangeRecord', 1, { partitionId, topicId: topic.id, leader: BROKER_ID }));
      }
    }
  }
};
