import { encodeRequest } from '../../src/protocol/header.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import type { ResponseOf } from '../../src/protocol/schema.ts';
import { WireClient } from '../conformance/wire-client.ts';

const NO_ID = 'AAAAAAAAAAAAAAAAAAAAAA';
const PRODUCE_VERSION = 12;
const FETCH_VERSION = 12;
const FETCH_BYTES_MAX = 50 * 1024 * 1024;

export type FetchAnswer = ResponseOf<typeof fetch>;

/** One connection that asks for what the examples ask for. All of them use partition 0. */
export class Asking {
  readonly #wire: WireClient;

  private constructor(wire: WireClient) {
    this.#wire = wire;
  }

  static async open(port: number): Promise<Asking> {
    return new Asking(await WireClient.open(port));
  }

  async createTopic(name: string): Promise<void> {
    const topics = [{ name, numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] }];
    const answer = await this.#wire.ask(createTopics, 7, { topics, timeoutMs: 5_000, validateOnly: false });
    if (answer.topics[0]?.errorCode !== 0) throw new Error(`topic ${name} was not made: ${answer.topics[0]?.errorCode}`);
  }

  /** Gives the base offset. */
  async produce(topic: string, records: Uint8Array, acks = -1): Promise<number> {
    const answer = await this.#wire.ask(produce, PRODUCE_VERSION, produceRequest(topic, records, acks));
    const result = answer.responses[0]?.partitionResponses[0];
    if (result?.errorCode !== 0) throw new Error(`the records were refused: ${result?.errorCode}`);
    return result.baseOffset;
  }

  fetch(
    topic: string,
    wish: {
      readonly offset: number;
      readonly maxWaitMs: number;
      readonly minBytes?: number;
      readonly session?: readonly [id: number, epoch: number];
    },
  ): Promise<FetchAnswer> {
    const { offset, maxWaitMs, minBytes = 1, session: [sessionId, sessionEpoch] = [0, -1] } = wish;
    const partitions = [{ partition: 0, fetchOffset: offset, partitionMaxBytes: FETCH_BYTES_MAX }];
    return this.#wire.ask(fetch, FETCH_VERSION, {
      maxWaitMs,
      minBytes,
      maxBytes: FETCH_BYTES_MAX,
      sessionId,
      sessionEpoch,
      topics: [{ topic, topicId: NO_ID, partitions }],
      forgottenTopicsData: [],
      rackId: '',
    });
  }

  close(): void {
    this.#wire.close();
  }
}

const produceRequest = (topic: string, records: Uint8Array, acks: number) => ({
  transactionalId: null,
  acks,
  timeoutMs: 5_000,
  topicData: [{ name: topic, topicId: NO_ID, partitionData: [{ index: 0, records }] }],
});

/** The bytes of a Produce request, for a connection that takes no answer. */
export const produceFrame = (topic: string, records: Uint8Array, acks: number): Buffer =>
  encodeRequest(produce, PRODUCE_VERSION, { correlationId: 1, clientId: 'example' }, produceRequest(topic, records, acks));

export const bytesOf = (answer: FetchAnswer): number =>
  answer.responses.reduce(
    (sum, { partitions }) => sum + partitions.reduce((bytes, { records }) => bytes + (records?.length ?? 0), 0),
    0,
  );
