import {
  type ActiveProducer,
  describeProducers,
  describeTransactions,
  listTransactions,
  type TransactionDescription,
} from '../../client/admin-transactions.ts';
import { describeTopics, listTopics } from '../../client/admin-topics.ts';
import type { Client } from '../../client/client.ts';
import { keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { KafkaError } from '../../protocol/errors.ts';

export interface HangingSearch {
  readonly broker: number | null;
  readonly topic: string | null;
  readonly partition: number | null;
  /** Younger transactions may still be ended by their coordinator. */
  readonly maxTimeoutMs: number;
}

/** An open transaction in one partition. */
export interface OpenTransaction extends TopicPartition {
  readonly producer: ActiveProducer;
  readonly startOffset: number;
}

/** Partitions asked about in one request: no broker is to be burdened by the search. */
const PARTITIONS_A_REQUEST = 500;

/** Partitions to look into: of one topic or of all, and of these the ones that have a replica on the broker. */
export async function partitionsToSearch(client: Client, { broker, topic, partition }: HangingSearch): Promise<TopicPartition[]> {
  if (topic !== null && partition !== null) return [{ topic, partition }];
  const topics = topic === null ? await listTopics(client) : await describeTopics(client, [topic]);
  return topics.flatMap(({ name, partitions }) =>
    partitions
      .filter(({ replicas }) => broker === null || replicas.includes(broker))
      .map((each) => ({ topic: name, partition: each.partition })),
  );
}

/** Transactions that have been open in their partitions for longer than a transaction may be. */
export async function longOpenTransactions(
  client: Client,
  places: readonly TopicPartition[],
  { broker, maxTimeoutMs }: HangingSearch,
): Promise<OpenTransaction[]> {
  await client.loadTopics(new Set(places.map(({ topic }) => topic)));
  const found: OpenTransaction[] = [];
  for (let first = 0; first < places.length; first += PARTITIONS_A_REQUEST) {
    const some = places.slice(first, first + PARTITIONS_A_REQUEST);
    const producers = await describeProducers(client, some, { broker: broker ?? undefined });
    const now = client.environment.clock.now();
    for (const place of some) {
      const active = producers.get(keyOf(place)) ?? [];
      if (active instanceof KafkaError) throw active;
      for (const producer of active) {
        const { startOffset, lastTimestamp } = producer;
        if (startOffset !== null && now - lastTimestamp > maxTimeoutMs) found.push({ ...place, producer, startOffset });
      }
    }
  }
  return found;
}

/** Those of the transactions that no coordinator will end: none knows the producer, or it knows of no transaction in that partition. */
export async function withoutCoordinator(client: Client, candidates: readonly OpenTransaction[]): Promise<OpenTransaction[]> {
  if (candidates.length === 0) return [];
  const producerIds = [...new Set(candidates.map(({ producer }) => producer.producerId))];
  const listings = await listTransactions(client, { producerIds });
  const idOf = new Map(listings.map(({ producerId, transactionalId }) => [producerId, transactionalId]));
  const described = await describeTransactions(client, [...idOf.values()]);
  return candidates.filter((candidate) => {
    const id = idOf.get(candidate.producer.producerId);
    const transaction = id === undefined ? undefined : described.get(id);
    if (transaction instanceof KafkaError) {
      if (transaction.errorName === 'TRANSACTIONAL_ID_NOT_FOUND') return true;
      throw transaction;
    }
    return transaction === undefined || !takesPart(transaction, candidate);
  });
}

const takesPart = ({ partitions }: TransactionDescription, place: TopicPartition): boolean =>
  partitions.some(({ topic, partition }) => topic === place.topic && partition === place.partition);
