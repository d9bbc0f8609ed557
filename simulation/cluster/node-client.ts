import { ZERO_UUID } from '../../src/base/uuid.ts';
import type { RequestSender } from '../../src/network/request-sender.ts';
import { errorNameOf, KafkaError } from '../../src/protocol/errors.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { deleteTopics } from '../../src/protocol/messages/20-delete-topics.ts';
import { deleteRecords } from '../../src/protocol/messages/21-delete-records.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { describeConfigs } from '../../src/protocol/messages/32-describe-configs.ts';
import { createPartitions } from '../../src/protocol/messages/37-create-partitions.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

export interface DescribedTopic {
  readonly id: string;
  /** Whether each partition has a leader and no error. */
  readonly isServed: boolean;
  readonly partitions: number;
}

export interface Fetched {
  readonly records: Uint8Array;
  readonly highWatermark: number;
  readonly logStartOffset: number;
}

const TIMEOUT_MS = 10_000;
const FETCH_BYTES = 1024 * 1024;
const TOPIC = 2;
const EARLIEST = -2;
const LATEST = -1;
/** A question costs about two simulated milliseconds. */
const ATTEMPTS_MAX = 500;
const SET = 0;
const DELETE = 1;

/** Asks a node over one connection, in the shortest way. Throws KafkaError for whatever is answered with an error. */
export class NodeClient {
  readonly #sender: RequestSender;

  constructor(sender: RequestSender) {
    this.#sender = sender;
  }

  /** Gives the topic's id. */
  async createTopic(name: string, partitions: number, configs: Readonly<Record<string, string>> = {}): Promise<string> {
    const topic = {
      name,
      numPartitions: partitions,
      replicationFactor: 1,
      assignments: [],
      configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
    };
    const { topics } = await this.#sender.send(createTopics, 7, { topics: [topic], timeoutMs: TIMEOUT_MS, validateOnly: false });
    return checked(topics[0]).topicId;
  }

  async deleteTopic(name: string): Promise<void> {
    const topics = [{ name, topicId: ZERO_UUID }];
    const { responses } = await this.#sender.send(deleteTopics, 6, { topics, topicNames: [], timeoutMs: TIMEOUT_MS });
    checked(responses[0]);
  }

  async growTopic(name: string, count: number): Promise<void> {
    const topics = [{ name, count, assignments: null }];
    const { results } = await this.#sender.send(createPartitions, 3, { topics, timeoutMs: TIMEOUT_MS, validateOnly: false });
    checked(results[0]);
  }

  /** Null takes the config back to its default. */
  async setTopicConfig(topic: string, name: string, value: string | null): Promise<void> {
    const configs = [{ name, configOperation: value === null ? DELETE : SET, value }];
    const resources = [{ resourceType: TOPIC, resourceName: topic, configs }];
    const { responses } = await this.#sender.send(incrementalAlterConfigs, 1, { resources, validateOnly: false });
    checked(responses[0]);
  }

  /** What was set for the topic itself, by config. */
  async topicConfigs(topic: string): Promise<ReadonlyMap<string, string | null>> {
    const resources = [{ resourceType: TOPIC, resourceName: topic, configurationKeys: null }];
    const { results } = await this.#sender.send(describeConfigs, 4, { resources });
    const own = checked(results[0]).configs.filter(({ configSource }) => configSource === 1);
    return new Map(own.map(({ name, value }) => [name, value]));
  }

  async topics(): Promise<ReadonlyMap<string, DescribedTopic>> {
    const request = { topics: null, allowAutoTopicCreation: false, includeTopicAuthorizedOperations: false };
    const { topics } = await this.#sender.send(metadata, 12, request);
    return new Map(
      topics.map((topic) => {
        const isServed = topic.partitions.every(({ errorCode, leaderId }) => errorCode === 0 && leaderId >= 0);
        const { topicId: id, partitions } = checked(topic);
        return [topic.name ?? '', { id, isServed, partitions: partitions.length }];
      }),
    );
  }

  async newProducerId(): Promise<number> {
    const request = { transactionalId: null, transactionTimeoutMs: TIMEOUT_MS };
    return checked(await this.#sender.send(initProducerId, 4, request)).producerId;
  }

  /** Gives the base offset. With acks=0 there is no answer, and −1 is given at once. */
  async produce({ topic, partition }: Place, records: Uint8Array, acks: number): Promise<number> {
    const topicData = [{ name: topic, topicId: ZERO_UUID, partitionData: [{ index: partition, records }] }];
    const request = { transactionalId: null, acks, timeoutMs: TIMEOUT_MS, topicData };
    if (acks === 0) {
      this.#sender.sendUnanswered(produce, 11, request);
      return -1;
    }
    const { responses } = await this.#sender.send(produce, 11, request);
    return checked(responses[0]?.partitionResponses[0]).baseOffset;
  }

  async deleteRecords({ topic, partition }: Place, offset: number): Promise<void> {
    const topics = [{ name: topic, partitions: [{ partitionIndex: partition, offset }] }];
    const answer = await this.#sender.send(deleteRecords, 2, { topics, timeoutMs: TIMEOUT_MS });
    checked(answer.topics[0]?.partitions[0]);
  }

  /** What consumers may read from the offset on, as far as one answer goes. */
  async fetch({ topic, partition }: Place, fetchOffset: number): Promise<Fetched> {
    const partitions = [{ partition, fetchOffset, partitionMaxBytes: FETCH_BYTES }];
    const topics = [{ topic, topicId: ZERO_UUID, partitions }];
    const request = { maxWaitMs: 0, minBytes: 1, topics, forgottenTopicsData: [], rackId: '' };
    const answer = checked(await this.#sender.send(fetch, 12, request));
    const { records, highWatermark, logStartOffset } = checked(answer.responses[0]?.partitions[0]);
    return { records: records ?? new Uint8Array(), highWatermark, logStartOffset };
  }

  /** The first offset and the one behind the last, as soon as a leader that has just started can tell them. */
  async offsets(place: Place): Promise<{ readonly start: number; readonly end: number }> {
    return { start: await this.#offsetOf(place, EARLIEST), end: await this.#offsetOf(place, LATEST) };
  }

  async #offsetOf({ topic, partition }: Place, timestamp: number): Promise<number> {
    const topics = [{ name: topic, partitions: [{ partitionIndex: partition, timestamp }] }];
    const request = { replicaId: -1, isolationLevel: 0, topics, timeoutMs: TIMEOUT_MS };
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#sender.send(listOffsets, 7, request);
      const found = answer.topics[0]?.partitions[0];
      const isEarly = errorNameOf(found?.errorCode ?? 0) === 'OFFSET_NOT_AVAILABLE';
      if (!isEarly || attempt >= ATTEMPTS_MAX) return checked(found).offset;
    }
  }

  close(): void {
    this.#sender.close();
  }
}

function checked<T extends { readonly errorCode: number }>(answer: T | undefined): T {
  if (answer === undefined) throw new KafkaError('UNKNOWN_SERVER_ERROR', 'The broker did not answer for what was asked');
  if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
  return answer;
}
