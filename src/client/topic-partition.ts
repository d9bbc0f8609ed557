/** A partition by its topic's name. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** What tells partitions apart in a map. No topic has a slash in its name. */
export const keyOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

/** Those of `places` that are not among `others`. */
export function without<T extends TopicPartition>(places: readonly T[], others: Iterable<TopicPartition>): T[] {
  const keys = new Set(Array.from(others, keyOf));
  return places.filter((place) => !keys.has(keyOf(place)));
}

/** Those of `places` that are among `others`, too. */
export function among<T extends TopicPartition>(places: readonly T[], others: Iterable<TopicPartition>): T[] {
  const keys = new Set(Array.from(others, keyOf));
  return places.filter((place) => keys.has(keyOf(place)));
}

/** Partition numbers in ascending order, by topic. */
export function partitionsByTopic(places: Iterable<TopicPartition>): Map<string, number[]> {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition } of places) {
    const partitions = byTopic.get(topic);
    if (partitions === undefined) byTopic.set(topic, [partition]);
    else partitions.push(partition);
  }
  for (const partitions of byTopic.values()) partitions.sort((a, b) => a - b);
  return byTopic;
}

/** Order of topic, then of partition. */
export const comparePlaces = (a: TopicPartition, b: TopicPartition): number =>
  a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1;
