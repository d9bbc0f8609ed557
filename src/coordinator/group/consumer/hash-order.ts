import type { Uuid } from '../../../base/uuid.ts';
import { capacityFor, hashOfUuid, JavaHashMap } from '../assignors/java-hash-map.ts';

/** Kafka keeps partitions in hash tables, and writes and tells them in the order in which those give them back. Here they are put into that order. */

const itself = (partition: number): number => partition;

/** Of one topic. `copied`: how many partitions the table was made for, where it is a copy of another one. */
export function partitionsInOrder<V>(
  partitions: Iterable<readonly [number, V]>,
  { copied = 0 }: { readonly copied?: number } = {},
): ReadonlyMap<number, V> {
  const table = new JavaHashMap<number, V>(itself, copied === 0 ? undefined : capacityFor(copied));
  for (const [partition, value] of partitions) table.set(partition, value);
  return new Map(table.entries());
}

export function topicsInOrder<V>(topics: Iterable<readonly [Uuid, V]>): ReadonlyMap<Uuid, V> {
  const table = new JavaHashMap<Uuid, V>(hashOfUuid);
  for (const [topicId, value] of topics) table.set(topicId, value);
  return new Map(table.entries());
}
