import type { Uuid } from '../../../base/uuid.ts';
import { capacityFor, JavaHashMap, JavaPartitionSet } from './java-hash-map.ts';
import type { MemberPartitions } from './partition-assignor.ts';

/**
 * What one member will have. It starts as what the member has, and is copied with the first change, since most members keep everything. The copy
 * has the order that Kafka's has: there an assignment is read from a record and its copy is changed in place.
 */
export class TargetAssignment {
  readonly #current: MemberPartitions;
  readonly #hashOf: (topicId: Uuid) => number;
  #changed: JavaHashMap<Uuid, JavaPartitionSet> | null = null;

  constructor(current: MemberPartitions, hashOf: (topicId: Uuid) => number) {
    this.#current = current;
    this.#hashOf = hashOf;
  }

  /** What the member has, in the order of Kafka's hash tables. */
  entries(): readonly (readonly [Uuid, readonly number[]])[] {
    return [...this.#stored().entries()].map(([topicId, partitions]) => [topicId, partitions.values()]);
  }

  /** `subscriberShare` is how many partitions of the topic a member is expected to get, if the assignor says so: it decides the order. */
  add(topicId: Uuid, partition: number, subscriberShare?: number): void {
    const capacity = subscriberShare === undefined ? undefined : capacityFor(subscriberShare);
    this.#copy()
      .getOrMake(topicId, () => new JavaPartitionSet(capacity))
      .add(partition);
  }

  delete(topicId: Uuid, partition: number): void {
    const changed = this.#copy();
    const partitions = changed.get(topicId);
    partitions?.delete(partition);
    if (partitions?.size === 0) changed.delete(topicId);
  }

  deleteTopic(topicId: Uuid): void {
    this.#copy().delete(topicId);
  }

  /** The map it was made of, if nothing has changed. */
  partitions(): MemberPartitions {
    if (this.#changed === null) return this.#current;
    return new Map([...this.#changed.entries()].map(([topicId, partitions]) => [topicId, partitions.values()]));
  }

  /** As Kafka reads the record of an assignment. */
  #stored(): JavaHashMap<Uuid, JavaPartitionSet> {
    const stored = new JavaHashMap<Uuid, JavaPartitionSet>(this.#hashOf);
    for (const [topicId, partitions] of this.#current) stored.set(topicId, JavaPartitionSet.of(partitions));
    return stored;
  }

  #copy(): JavaHashMap<Uuid, JavaPartitionSet> {
    if (this.#changed !== null) return this.#changed;
    this.#changed = new JavaHashMap<Uuid, JavaPartitionSet>(this.#hashOf, this.#current.size);
    for (const [topicId, partitions] of this.#stored().entries()) {
      this.#changed.set(topicId, JavaPartitionSet.of(partitions.values()));
    }
    return this.#changed;
  }
}
