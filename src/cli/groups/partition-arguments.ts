import type { Client } from '../../client/client.ts';
import { keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { usageError } from '../cli-error.ts';

/** A topic with its partitions as the command line names them: `orders:0,1`, or `orders` for all. */
export interface TopicArgument {
  readonly topic: string;
  readonly partitions: readonly number[] | null;
}

export function topicArgument(text: string): TopicArgument {
  if (!text.includes(':')) return { topic: text, partitions: null };
  const [topic = '', list, ...rest] = text.split(':');
  if (list === undefined || list === '' || rest.length > 0) {
    throw usageError(`Invalid topic arg '${text}', expected topic name and partitions`);
  }
  const partitions = list.split(',').map((piece) => {
    if (!/^\d+$/.test(piece)) throw usageError(`Invalid partition '${piece}' specified in topic arg '${text}'`);
    return Number(piece);
  });
  return { topic, partitions };
}

/** The partitions that are meant, and the errors of topics that cannot be known, whose named partitions count nevertheless. */
export async function partitionsMeant(
  client: Client,
  topics: readonly TopicArgument[],
): Promise<{ readonly places: readonly TopicPartition[]; readonly errors: ReadonlyMap<string, ErrorName> }> {
  const errors = await client.loadTopics(topics.map(({ topic }) => topic));
  const places = topics.flatMap(({ topic, partitions }) => {
    const all = client.metadata.topic(topic)?.partitions.map(({ partition }) => partition) ?? [];
    return (partitions ?? all).map((partition) => ({ topic, partition }));
  });
  return { places: [...new Map(places.map((place) => [keyOf(place), place])).values()], errors };
}

/** Throws KafkaError unless every partition exists and can be asked. */
export function ensureLed(client: Client, places: readonly TopicPartition[]): void {
  const named = (ones: readonly TopicPartition[]): string =>
    ones.map(({ topic, partition }) => `${topic}-${partition}`).join(',');
  const missing = places.filter(({ topic, partition }) => client.metadata.partition(topic, partition) === null);
  if (missing.length > 0) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', `The partitions "${named(missing)}" do not exist`);
  const leaderless = places.filter(({ topic, partition }) => (client.metadata.partition(topic, partition)?.leader ?? -1) < 0);
  if (leaderless.length > 0) throw new KafkaError('LEADER_NOT_AVAILABLE', `The partitions "${named(leaderless)}" have no leader`);
}
