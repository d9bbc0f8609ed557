import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeWithRest } from '../../../../src/protocol/codec.ts';
import { decodeRequestHeader, decodeResponse } from '../../../../src/protocol/header.ts';
import { metadata } from '../../../../src/protocol/messages/03-metadata.ts';
import { consumerGroupHeartbeat } from '../../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { apiByKey } from '../../../../src/protocol/messages/index.ts';
import { readGoldenLines } from '../../../golden-lines.ts';
import { plain, type Step } from './talk/conversation.ts';
import { OurSide } from './talk/our-side.ts';
import { replayConversation } from './talk/replay-conversation.ts';

interface Frame {
  readonly client: string;
  readonly c: number;
  readonly dir?: '>' | '<';
  /** Milliseconds since the conversation began. */
  readonly t: number;
  readonly apiKey: number;
  readonly version: number;
  readonly correlationId: number;
  readonly hex: string;
}

interface Asking {
  readonly groupId?: string;
  readonly groups?: readonly { readonly groupId: string }[];
}

/** OffsetCommit, OffsetFetch, ConsumerGroupHeartbeat. */
const APIS: ReadonlySet<number> = new Set([8, 9, 68]);
const CLIENTS = ['java-consumer-two-members', 'java-console-consumer-848', 'platformatic'];

/** Of the broker that was recorded. */
const PROPERTIES = {
  'group.consumer.heartbeat.interval.ms': '1000',
  'group.consumer.min.heartbeat.interval.ms': '1000',
};

const frames = (readGoldenLines('vectors/conversations.jsonl.gz') as Frame[]).filter(({ dir }) => dir !== undefined);

describe('What recorded consumers said by the consumer protocol', () => {
  for (const client of CLIENTS) {
    it(`is answered as Apache Kafka 4.4.0 did: ${client}`, async () => {
      const steps = stepsOf(frames.filter((frame) => frame.client === client));
      const heartbeats = steps.filter((step) => step.do === 'ask' && step.key === consumerGroupHeartbeat.key);
      assert.ok(heartbeats.length >= 3, `${heartbeats.length} heartbeats`);
      assert.deepEqual(await replayConversation(await OurSide.start(PROPERTIES), steps), []);
    });
  }
});

/** The topics that the client was told of, and what it asked of its consumer groups, in the time that it took. */
function stepsOf(said: readonly Frame[]): Step[] {
  const steps: Step[] = topicsOf(said);
  const asked = said
    .filter(({ dir, apiKey }) => dir === '>' && APIS.has(apiKey))
    .map((frame) => ({ frame, request: requestOf(frame) }));
  const groups = new Set(
    asked.filter(({ frame }) => frame.apiKey === consumerGroupHeartbeat.key).flatMap(({ request }) => groupsOf(request)),
  );
  let time = 0;
  for (const { frame, request } of asked) {
    const answer = answerTo(frame, said);
    if (answer === null || !groupsOf(request).every((groupId) => groups.has(groupId))) continue;
    if (frame.t > time) steps.push({ do: 'wait', ms: frame.t - time });
    time = Math.max(time, frame.t);
    const { apiKey: key, version } = frame;
    steps.push({ do: 'ask', key, version, as: String(frame.c), request: plain(request), answer: plain(answer) });
  }
  return steps;
}

function topicsOf(said: readonly Frame[]): Step[] {
  const topics = new Map<string, Step>();
  for (const frame of said.filter(({ dir, apiKey }) => dir === '>' && apiKey === metadata.key)) {
    const answer = answerTo(frame, said) as { topics: { name: string; topicId: string; partitions: unknown[] }[] } | null;
    for (const { name, topicId: id, partitions } of answer?.topics ?? [])
      if (partitions.length > 0) topics.set(name, { do: 'topic', name, partitions: partitions.length, id });
  }
  topics.delete('__consumer_offsets');
  return [...topics.values()];
}

function answerTo({ apiKey, version, c, correlationId }: Frame, said: readonly Frame[]): unknown {
  const answer = said.find(
    (frame) => frame.dir === '<' && frame.c === c && frame.apiKey === apiKey && frame.correlationId === correlationId,
  );
  return answer === undefined ? null : decodeResponse(apiOf(apiKey), version, Buffer.from(answer.hex, 'hex')).response;
}

function requestOf({ apiKey, version, hex }: Frame): Asking {
  const bytes = Buffer.from(hex, 'hex');
  const { bodyOffset } = decodeRequestHeader(bytes);
  return decodeWithRest(apiOf(apiKey).request, version, bytes.subarray(bodyOffset)).value;
}

const apiOf = (key: number) => apiByKey(key) ?? assert.fail(`api ${key}`);

const groupsOf = ({ groupId, groups = [] }: Asking): readonly string[] =>
  groupId === undefined || groupId === '' ? groups.map((group) => group.groupId) : [groupId];
