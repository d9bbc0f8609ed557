import { ZERO_UUID } from '../base/uuid.ts';
import { produce } from '../protocol/messages/00-produce.ts';
import type { RequestInput, ResponseOf } from '../protocol/schema.ts';
import type { ClusterMetadata } from './cluster-metadata.ts';
import type { ProducerBatch } from './producer-batch.ts';

/** The last version that names topics; later ones need their ids. */
const LAST_VERSION_WITH_NAMES = 12;

/** The last version for clients that add partitions to their transaction by themselves; later ones leave it to the broker (KIP-890). */
const LAST_VERSION_OF_ADDING_CLIENTS = 11;

export type ProduceAnswer = ResponseOf<typeof produce>;
export type PartitionAnswer = ProduceAnswer['responses'][number]['partitionResponses'][number];

export interface ProduceRequestParts {
  readonly input: RequestInput<typeof produce>;
  readonly maxVersion: number;
}

/** One request with a batch for each of several partitions. */
export function produceRequest(
  batches: readonly ProducerBatch[],
  metadata: ClusterMetadata,
  options: {
    readonly acks: number;
    readonly timeoutMs: number;
    readonly transactions?: { readonly transactionalId: string; readonly brokersAdd: boolean } | null;
  },
): ProduceRequestParts {
  const byTopic = Map.groupBy(batches, (batch) => batch.topic);
  const { transactions = null } = options;
  let maxVersion = transactions?.brokersAdd === false ? LAST_VERSION_OF_ADDING_CLIENTS : produce.maxVersion;
  const topicData = [...byTopic].map(([name, ofTopic]) => {
    const topicId = metadata.topic(name)?.id ?? ZERO_UUID;
    if (topicId === ZERO_UUID) maxVersion = Math.min(maxVersion, LAST_VERSION_WITH_NAMES);
    return { name, topicId, partitionData: ofTopic.map((batch) => ({ index: batch.partition, records: batch.sealed })) };
  });
  return {
    input: {
      transactionalId: transactions?.transactionalId ?? null,
      acks: options.acks,
      timeoutMs: options.timeoutMs,
      topicData,
    },
    maxVersion,
  };
}

/** What the broker says about each batch; null where it says nothing. */
export function answersOf(
  answer: ProduceAnswer,
  batches: readonly ProducerBatch[],
  metadata: ClusterMetadata,
): ReadonlyMap<ProducerBatch, PartitionAnswer | null> {
  const found = new Map<string, PartitionAnswer>();
  for (const topic of answer.responses) {
    const name = topic.name === '' ? metadata.nameOf(topic.topicId) : topic.name;
    for (const partition of topic.partitionResponses) found.set(`${name}/${partition.index}`, partition);
  }
  return new Map(batches.map((batch) => [batch, found.get(`${batch.topic}/${batch.partition}`) ?? null]));
}
