import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeResponse } from '../../../src/protocol/header.ts';
import { apiByKey } from '../../../src/protocol/messages/index.ts';
import type { TwoBrokers } from '../two-brokers.ts';
import type { Outcome } from './broker-side.ts';
import type { Asked, Exchange } from './exchange.ts';
import type { Values } from './fit.ts';
import type { TopicsNow, World } from './world.ts';

/** The first line: the node that was asked, and when. */
export interface RecordedNode {
  readonly startedMs: number;
  readonly clusterId: string;
  readonly properties: Readonly<Record<string, string>>;
  /** Where it listened, its controller, and its log directory. */
  readonly addresses: readonly string[];
}

interface Line {
  readonly key: number;
  readonly version: number;
  readonly request: Values;
  readonly outcome: Outcome['kind'];
  readonly answer?: string;
  readonly topics?: TopicsNow;
}

/** One request and what Kafka did with it. */
export interface RecordedExchange extends Asked {
  readonly kafka: Outcome;
  /** The topics that there are afterwards, where that may have changed. */
  readonly topics?: TopicsNow;
}

/** Requests and Kafka's answers as they are kept for a test that has no Kafka. */
export class Recording {
  readonly #lines: string[];

  constructor({ kafka, texts }: TwoBrokers, { nowMs: startedMs, clusterId }: World) {
    const addresses = texts.map(([theirs]) => theirs);
    const node: RecordedNode = { startedMs, clusterId, properties: Object.fromEntries(kafka.properties), addresses };
    this.#lines = [JSON.stringify(node)];
  }

  add({ api, version, request, kafka, topics }: Exchange): void {
    const answer = kafka.kind === 'answered' ? { answer: kafka.frame.toString('hex') } : {};
    const line: Line = { key: api.key, version, request, outcome: kafka.kind, ...answer, ...(topics && { topics }) };
    this.#lines.push(JSON.stringify(line));
  }

  write(path: string): void {
    writeFileSync(path, gzipSync(`${this.#lines.join('\n')}\n`, { level: 9 }));
  }
}

export function readRecording(url: URL): { readonly node: RecordedNode; readonly exchanges: readonly RecordedExchange[] } {
  const [first = '', ...lines] = gunzipSync(readFileSync(url)).toString().trim().split('\n');
  return { node: JSON.parse(first) as RecordedNode, exchanges: lines.map((line) => exchangeOf(JSON.parse(line) as Line)) };
}

function exchangeOf({ key, version, request, outcome, answer, topics }: Line): RecordedExchange {
  const api = apiByKey(key);
  if (api === undefined) throw new Error(`there is no API ${key}`);
  const asked = { api, version, request, ...(topics && { topics }) };
  if (outcome !== 'answered') return { ...asked, kafka: { kind: outcome } };
  const frame = Buffer.from(answer ?? '', 'hex');
  return { ...asked, kafka: { kind: outcome, frame, response: decodeResponse(api, version, frame).response } };
}
