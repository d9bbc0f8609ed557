import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeWithRest } from '../../src/protocol/codec.ts';
import { decodeRequestHeader, decodeResponse, encodeRequest } from '../../src/protocol/header.ts';
import { joinGroup } from '../../src/protocol/messages/11-join-group.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { apiByKey } from '../../src/protocol/messages/index.ts';
import type { Api, RequestInput } from '../../src/protocol/schema.ts';
import { readGoldenLines } from '../golden-lines.ts';
import { groupsAreServed } from '../peer/differential/groups-are-served.ts';
import { mapFields, type Values } from '../peer/differential/fit.ts';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { RawConnection } from './raw-connection.ts';
import { WireClient } from './wire-client.ts';

interface Frame {
  readonly client: string;
  readonly c: number;
  readonly dir?: '>' | '<';
  readonly apiKey: number;
  readonly version: number;
  readonly correlationId: number;
  readonly hex: string;
}

/** OffsetCommit, OffsetFetch, JoinGroup, Heartbeat, LeaveGroup, SyncGroup. */
const APIS: ReadonlySet<number> = new Set([8, 9, 11, 12, 13, 14]);
const CLIENTS = ['java-classic-two-members', 'java-console-consumer-classic', 'kafka-python', 'kafkajs', 'kcat', 'platformatic'];

const frames = (readGoldenLines('vectors/conversations.jsonl.gz') as Frame[]).filter(({ dir }) => dir !== undefined);

/** What a client said to its group, and what it was answered, in order; a request that comes with its answer's place. */
class Replay {
  readonly #port: number;
  readonly #connections = new Map<number, RawConnection>();
  readonly #asked = new Map<string, { readonly api: Api; readonly version: number }>();
  /** Ids that Kafka has made, and what they are here. */
  readonly #ids = new Map<string, string>();
  answers = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async ask(frame: Frame): Promise<void> {
    const { api, header, value } = requestOf(frame);
    const ours = mapFields(value, (_name, field) => (typeof field === 'string' ? (this.#ids.get(field) ?? field) : field));
    const connection = this.#connections.get(frame.c) ?? (await RawConnection.open(this.#port));
    this.#connections.set(frame.c, connection);
    this.#asked.set(keyOf(frame), { api, version: frame.version });
    connection.write(encodeRequest(api, frame.version, header, ours as RequestInput<Api>));
  }

  async hear(frame: Frame): Promise<void> {
    const bytes = Buffer.from(frame.hex, 'hex');
    const asked = this.#asked.get(keyOf({ ...frame, correlationId: bytes.readInt32BE(0) }));
    if (asked === undefined) return;
    const { api, version } = asked;
    const answer = await this.#connections.get(frame.c)?.frame(10_000);
    assert.ok(answer, `${api.name} v${version} is answered`);
    const theirs = decodeResponse(api, version, bytes).response as Values;
    const ours = decodeResponse(api, version, answer).response as Values;
    if (typeof theirs['memberId'] === 'string') this.#ids.set(theirs['memberId'], String(ours['memberId']));
    assert.deepEqual(
      this.#comparable(ours),
      this.#comparable(this.#translated(theirs)),
      `${frame.client}: ${api.name} v${version}`,
    );
    this.answers++;
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.destroy();
  }

  #translated(answer: Values): Values {
    return mapFields(answer, (_name, field) => (typeof field === 'string' ? (this.#ids.get(field) ?? field) : field)) as Values;
  }

  /** With members in order. */
  #comparable(answer: Values): unknown {
    return mapFields(answer, (name, field) => {
      if (name !== 'members' || !Array.isArray(field)) return field;
      return [...(field as { memberId: string }[])].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
    });
  }
}

describe('what recorded clients said to their groups', () => {
  let node: TestNode;

  before(async () => {
    node = await startTestNode({ properties: { 'group.initial.rebalance.delay.ms': '0' } });
    await groupsAreServed(node.port);
    await makeTopics(node.port);
  });
  after(() => node.stop());

  for (const client of CLIENTS) {
    it(`is answered as Apache Kafka 4.4.0 did: ${client}`, async () => {
      const replay = new Replay(node.port);
      try {
        const said = frames.filter((frame) => frame.client === client);
        const classic = new Set(said.filter(isJoin).flatMap(groupsOf));
        for (const frame of said) {
          if (frame.dir === '<') await replay.hear(frame);
          else if (APIS.has(frame.apiKey) && groupsOf(frame).every((groupId) => classic.has(groupId))) await replay.ask(frame);
        }
      } finally {
        replay.close();
      }
      assert.ok(replay.answers > 4, `${replay.answers} answers`);
    });
  }
});

const isJoin = ({ dir, apiKey }: Frame): boolean => dir === '>' && apiKey === joinGroup.key;

const groupsOf = (frame: Frame): string[] => {
  const { groupId, groups = [] } = requestOf(frame).value as { groupId?: string; groups?: readonly { groupId: string }[] };
  return groupId === undefined || groupId === '' ? groups.map((group) => group.groupId) : [groupId];
};

/** Those that offsets are committed of. */
async function makeTopics(port: number): Promise<void> {
  const names = frames
    .filter(({ dir, apiKey, client }) => dir === '>' && apiKey === 8 && CLIENTS.includes(client))
    .flatMap((frame) => (requestOf(frame).value as { topics: { name: string }[] }).topics.map(({ name }) => name));
  const topics = [...new Set(names)].map((name) => ({
    name,
    numPartitions: 4,
    replicationFactor: 1,
    assignments: [],
    configs: [],
  }));
  const client = await WireClient.open(port);
  const answer = await client.ask(createTopics, 7, { topics, timeoutMs: 10_000, validateOnly: false });
  client.close();
  assert.deepEqual(new Set(answer.topics.map(({ errorCode }) => errorCode)), new Set([0]));
}

function requestOf({ apiKey, version, hex }: Frame) {
  const api = apiByKey(apiKey) ?? assert.fail(`api ${apiKey}`);
  const bytes = Buffer.from(hex, 'hex');
  const header = decodeRequestHeader(bytes);
  return { api, header, value: decodeWithRest(api.request, version, bytes.subarray(header.bodyOffset)).value as Values };
}

const keyOf = ({ c, correlationId }: Pick<Frame, 'c' | 'correlationId'>): string => `${c} ${correlationId}`;
