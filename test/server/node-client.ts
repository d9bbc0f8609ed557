import { ZERO_UUID } from '../../src/base/uuid.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { Api, RequestInput, ResponseOf } from '../../src/protocol/schema.ts';

/** Whoever can ask a node. */
export interface Asker {
  ask<const A extends Api>(api: A, version: number, request: RequestInput<A>): Promise<ResponseOf<A>>;
}

/** Makes a topic and gives its id. */
export async function makeTopic(client: Asker, name: string, numPartitions = 1): Promise<string> {
  const request = { topics: [{ name, numPartitions, replicationFactor: 1, assignments: [], configs: [] }], timeoutMs: 10_000 };
  const [topic] = (await client.ask(createTopics, 7, request)).topics;
  if (topic?.errorCode !== 0) throw new Error(`${name} was not made: ${topic?.errorCode} ${topic?.errorMessage}`);
  return topic.topicId;
}

export const batchOf = (texts: readonly string[]): Buffer =>
  buildBatch({ records: texts.map((text) => ({ timestamp: 1_790_000_000_000, value: Buffer.from(text) })) });

/** Appends to a partition with acks=all and gives the error code. */
export async function append(client: Asker, topicId: string, texts: readonly string[], index = 0): Promise<number> {
  const partitionData = [{ index, records: batchOf(texts) }];
  const request = { transactionalId: null, acks: -1, timeoutMs: 10_000, topicData: [{ topicId, partitionData }] };
  const { responses } = await client.ask(produce, 13, request);
  return responses[0]?.partitionResponses[0]?.errorCode ?? -1;
}

/** Makes a topic of one partition, appends to it, and gives its id. */
export async function produceText(client: Asker, name: string, texts: readonly string[]): Promise<string> {
  const topicId = await makeTopic(client, name);
  const errorCode = await append(client, topicId, texts);
  if (errorCode !== 0) throw new Error(`${name} takes no records: ${errorCode}`);
  return topicId;
}

/** The answer to a Fetch of a partition from its start. */
export async function fetchFrom(client: Asker, topicId: string, { partition = 0, fetchOffset = 0, maxWaitMs = 0 } = {}) {
  const partitions = [{ partition, fetchOffset, partitionMaxBytes: 2 ** 20 }];
  const topics = [{ topicId, partitions }];
  const request = { maxWaitMs, minBytes: 1, topics, forgottenTopicsData: [], rackId: '' };
  const answer = await client.ask(fetch, 16, request);
  const told = answer.responses[0]?.partitions[0];
  if (answer.errorCode !== 0 || told === undefined) throw new Error(`no answer for the partition: ${answer.errorCode}`);
  return told;
}

/** The values in a partition, from its start. */
export async function readTexts(client: Asker, topicId: string, partition = 0): Promise<string[]> {
  const { errorCode, records } = await fetchFrom(client, topicId, { partition });
  if (errorCode !== 0) throw new Error(`nothing to read: ${errorCode}`);
  const texts: string[] = [];
  for (const batch of batchesOf(records ?? new Uint8Array(0))) {
    for (const { value } of recordsOf(batch)) texts.push(Buffer.from(value ?? []).toString());
  }
  return texts;
}

export const NO_TOPIC = ZERO_UUID;
