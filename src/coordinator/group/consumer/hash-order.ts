import { javaHashCode } from '../../../base/bytes/murmur2.ts';
import type { Uuid } from '../../../base/uuid.ts';
import { capacityFor, hashOfUuid, JavaHashMap, javaSetOrder } from '../assignors/java-hash-map.ts';
import { timelineHashOrder } from '../assignors/timeline-hash-order.ts';

/** Kafka keeps everything in hash tables, and writes, tells and assigns in the order in which those give it back. Here things are put into that order. */

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

/** `joined` replace those that are there, and come before those of the same bin where there are none. `copied`: as above. */
export function topicsInOrder<V>(
  topics: Iterable<readonly [Uuid, V]>,
  { joined = [], copied = 0 }: { readonly joined?: Iterable<readonly [Uuid, V]>; readonly copied?: number } = {},
): ReadonlyMap<Uuid, V> {
  const table = new JavaHashMap<Uuid, V>(hashOfUuid, copied === 0 ? undefined : capacityFor(copied));
  for (const [topicId, value] of topics) table.set(topicId, value);
  for (const [topicId, value] of joined) if (table.getOrMake(topicId, () => value) !== value) table.set(topicId, value);
  return new Map(table.entries());
}

/** Names of topics, each once. */
export function namesInOrder(names: ReadonlySet<string>): readonly string[] {
  return javaSetOrder(names, names.size, javaHashCode);
}

/** Each once. */
export function topicIdsInOrder(topicIds: readonly Uuid[]): readonly Uuid[] {
  return javaSetOrder(topicIds, topicIds.length, hashOfUuid);
}

/** In the order of Kafka's table of members, given in the order in which they came. `largestSize`: the most that there have been at a time. */
export function membersInOrder<M extends { readonly memberId: string }>(members: Iterable<M>, largestSize: number): M[] {
  const byId = new Map(Array.from(members, (member) => [member.memberId, member]));
  return timelineHashOrder([...byId.keys()], largestSize).flatMap((memberId) => byId.get(memberId) ?? []);
}
