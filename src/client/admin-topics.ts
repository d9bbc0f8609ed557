import { ZERO_UUID } from '../base/uuid.ts';
import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { metadata } from '../protocol/messages/03-metadata.ts';
import { createTopics as createTopicsApi } from '../protocol/messages/19-create-topics.ts';
import { deleteTopics as deleteTopicsApi } from '../protocol/messages/20-delete-topics.ts';
import { createPartitions as createPartitionsApi } from '../protocol/messages/37-create-partitions.ts';
import { describeTopicPartitions } from '../protocol/messages/75-describe-topic-partitions.ts';
import type { ResponseOf } from '../protocol/schema.ts';
import type { Client } from './client.ts';
import { ClientError } from './client-error.ts';
import { type PartitionFacts, topicError, type TopicFacts, topicFacts } from './cluster-metadata.ts';

export interface NewTopic {
  readonly name: string;
  /** The cluster's default if absent. */
  readonly partitions?: number;
  readonly replicationFactor?: number;
  /** Broker ids of each partition, instead of the two numbers. */
  readonly assignments?: readonly (readonly number[])[];
  readonly configs?: Readonly<Record<string, string>>;
}

export interface CreatedTopic {
  readonly name: string;
  readonly id: string;
  readonly partitions: number;
  readonly replicationFactor: number;
}

/** One partition with what only DescribeTopicPartitions tells (KIP-966); null where the broker does not. */
export interface PartitionDescription extends PartitionFacts {
  readonly eligibleLeaderReplicas: readonly number[] | null;
  readonly lastKnownElr: readonly number[] | null;
}

export interface TopicDescription extends Omit<TopicFacts, 'partitions'> {
  readonly partitions: readonly PartitionDescription[];
}

/** The broker's or the cluster's default. */
const DEFAULT = -1;

/** Throws KafkaError unless the code is 0. */
export function throwIfError(code: number, message: string | null | undefined): void {
  if (code === 0) return;
  const name = errorNameOf(code);
  throw message === null || message === undefined || message === '' ? new KafkaError(name) : new KafkaError(name, message);
}

/** Creates one topic; with `validateOnly` tells what would be created. */
export async function createTopic(
  client: Client,
  topic: NewTopic,
  options: { readonly validateOnly?: boolean } = {},
): Promise<CreatedTopic> {
  return await client.retrying(async () => {
    const answer = await client.sendToAny(createTopicsApi, {
      topics: [
        {
          name: topic.name,
          numPartitions: topic.assignments === undefined ? (topic.partitions ?? DEFAULT) : DEFAULT,
          replicationFactor: topic.assignments === undefined ? (topic.replicationFactor ?? DEFAULT) : DEFAULT,
          assignments: (topic.assignments ?? []).map((brokerIds, partitionIndex) => ({ partitionIndex, brokerIds })),
          configs: Object.entries(topic.configs ?? {}).map(([name, value]) => ({ name, value })),
        },
      ],
      timeoutMs: client.settings.requestTimeoutMs,
      validateOnly: options.validateOnly ?? false,
    });
    const [result] = answer.topics;
    if (result === undefined) throw new ClientError('bad-answer', 'The broker did not answer for the topic');
    throwIfError(result.errorCode, result.errorMessage);
    const { topicId: id, numPartitions: partitions, replicationFactor } = result;
    return { name: topic.name, id, partitions, replicationFactor };
  });
}

/** Deletes topics by name; throws the first error. */
export async function deleteTopics(client: Client, names: readonly string[]): Promise<void> {
  await client.retrying(async () => {
    const answer = await client.sendToAny(deleteTopicsApi, {
      topics: names.map((name) => ({ name, topicId: ZERO_UUID })),
      topicNames: names,
      timeoutMs: client.settings.requestTimeoutMs,
    });
    for (const { errorCode, errorMessage } of answer.responses) throwIfError(errorCode, errorMessage);
  });
}

/** Grows a topic to `count` partitions in all. */
export async function createPartitions(
  client: Client,
  topic: string,
  count: number,
  assignments: readonly (readonly number[])[] | null = null,
): Promise<void> {
  await client.retrying(async () => {
    const answer = await client.sendToAny(createPartitionsApi, {
      topics: [{ name: topic, count, assignments: assignments?.map((brokerIds) => ({ brokerIds })) ?? null }],
      timeoutMs: client.settings.requestTimeoutMs,
      validateOnly: false,
    });
    for (const { errorCode, errorMessage } of answer.results) throwIfError(errorCode, errorMessage);
  });
}

/** All topics, in order of name. */
export async function listTopics(client: Client): Promise<TopicFacts[]> {
  return await client.retrying(async () => {
    const answer = await client.sendToAny(metadata, {
      topics: null,
      allowAutoTopicCreation: false,
      includeTopicAuthorizedOperations: false,
    });
    throwIfError(answer.errorCode, null);
    const topics = answer.topics.filter((topic) => topic.errorCode === 0).map(topicFacts);
    return topics.sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** Partitions asked for in one DescribeTopicPartitions request; the broker sends no more than 2000. */
const PARTITIONS_A_REQUEST = 2000;

/** Describes topics by name, in that order. Throws KafkaError for a topic that does not exist. */
export async function describeTopics(client: Client, names: readonly string[]): Promise<TopicDescription[]> {
  if (names.length === 0) return [];
  return await client.retrying(async () => {
    const connection = await client.connections.any(client.metadata.endpoints);
    const knowsPartitions = connection.features.versions.has(describeTopicPartitions.key);
    const described = knowsPartitions ? await describeByPartitions(client, names) : await describeByMetadata(client, names);
    return names.map((name) => {
      const topic = described.get(name);
      if (topic === undefined) throw topicError(name, 'UNKNOWN_TOPIC_OR_PARTITION');
      return topic;
    });
  });
}

type DescribeCursor = { readonly topicName: string; readonly partitionIndex: number } | null;

async function describeByPartitions(client: Client, names: readonly string[]): Promise<Map<string, TopicDescription>> {
  const described = new Map<string, TopicDescription>();
  let cursor: DescribeCursor = null;
  const sorted = names.toSorted();
  do {
    const from: DescribeCursor = cursor;
    const answer: ResponseOf<typeof describeTopicPartitions> = await client.sendToAny(describeTopicPartitions, {
      topics: sorted.filter((name) => from === null || name >= from.topicName).map((name) => ({ name })),
      responsePartitionLimit: PARTITIONS_A_REQUEST,
      cursor: from,
    });
    for (const topic of answer.topics) {
      const name = topic.name ?? '';
      const error = errorNameOf(topic.errorCode);
      if (error !== 'NONE') throw topicError(name, error);
      const partitions = topic.partitions.map((partition, index) => ({
        ...(topicFacts({ ...topic, name }).partitions[index] as PartitionFacts),
        eligibleLeaderReplicas: partition.eligibleLeaderReplicas,
        lastKnownElr: partition.lastKnownElr,
      }));
      const before = described.get(name)?.partitions ?? [];
      described.set(name, { name, id: topic.topicId, isInternal: topic.isInternal, partitions: [...before, ...partitions] });
    }
    cursor = answer.nextCursor;
  } while (cursor !== null);
  return described;
}

async function describeByMetadata(client: Client, names: readonly string[]): Promise<Map<string, TopicDescription>> {
  const answer = await client.sendToAny(metadata, {
    topics: names.map((name) => ({ name, topicId: ZERO_UUID })),
    allowAutoTopicCreation: false,
    includeTopicAuthorizedOperations: false,
  });
  const described = new Map<string, TopicDescription>();
  for (const topic of answer.topics) {
    const name = topic.name ?? '';
    const error = errorNameOf(topic.errorCode);
    if (error !== 'NONE') throw topicError(name, error);
    const facts = topicFacts(topic);
    const partitions = facts.partitions.map((partition) => ({ ...partition, eligibleLeaderReplicas: null, lastKnownElr: null }));
    described.set(name, { ...facts, partitions });
  }
  return described;
}
