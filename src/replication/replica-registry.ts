import { assert } from '../base/assert.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { Partition } from './partition.ts';

/** The partitions of one topic that this broker has a replica of, by their index. */
interface TopicReplicas {
  readonly topic: string;
  readonly topicId: string;
  readonly partitions: (Partition | undefined)[];
}

/** All replicas of this broker, found by the topic's name or id without making a key of it. */
export class ReplicaRegistry {
  readonly #image: () => MetadataImage;
  readonly #byName = new Map<string, TopicReplicas>();
  readonly #byId = new Map<string, TopicReplicas>();
  #count = 0;

  constructor(image: () => MetadataImage) {
    this.#image = image;
  }

  get count(): number {
    return this.#count;
  }

  *[Symbol.iterator](): Generator<Partition> {
    for (const { partitions } of this.#byId.values())
      for (const partition of partitions) if (partition !== undefined) yield partition;
  }

  get(topicId: string, index: number): Partition | undefined {
    return this.#byId.get(topicId)?.partitions[index];
  }

  getByName(topic: string, index: number): Partition | undefined {
    return this.#byName.get(topic)?.partitions[index];
  }

  partitionsOf(topic: string): Iterable<Partition> {
    return (this.#byName.get(topic)?.partitions ?? []).filter((partition) => partition !== undefined);
  }

  add(partition: Partition): void {
    const { topic, topicId, index } = partition;
    let replicas = this.#byId.get(topicId);
    if (replicas === undefined) {
      replicas = { topic, topicId, partitions: [] };
      this.#byId.set(topicId, replicas);
      this.#byName.set(topic, replicas);
    }
    assert(replicas.partitions[index] === undefined, 'a replica is added once');
    replicas.partitions[index] = partition;
    this.#count++;
  }

  remove(partition: Partition): void {
    const replicas = this.#byId.get(partition.topicId);
    if (replicas?.partitions[partition.index] !== partition) return;
    replicas.partitions[partition.index] = undefined;
    this.#count--;
    if (replicas.partitions.some((other) => other !== undefined)) return;
    this.#byId.delete(replicas.topicId);
    // The name may belong to a new topic already.
    if (this.#byName.get(replicas.topic) === replicas) this.#byName.delete(replicas.topic);
  }

  /** The replica of a topic called by its name. Throws what a client is told that asks the wrong broker, or for what does not exist. */
  byName(topic: string, index: number): Partition {
    const partition = this.#byName.get(topic)?.partitions[index];
    if (partition !== undefined) return partition;
    const exists = this.#image().topics.byName.get(topic)?.partitions[index] !== undefined;
    throw new KafkaError(exists ? 'NOT_LEADER_OR_FOLLOWER' : 'UNKNOWN_TOPIC_OR_PARTITION');
  }

  /** The same of a topic called by its id. `name` is what it was called when it was known, or empty. */
  byId(topicId: string, index: number, name = ''): Partition {
    const partition = this.#byId.get(topicId)?.partitions[index];
    if (partition !== undefined) return partition;
    const topic = this.#image().topics.byId.get(topicId);
    if (topic === undefined)
      throw new KafkaError(this.#image().topics.byName.has(name) ? 'INCONSISTENT_TOPIC_ID' : 'UNKNOWN_TOPIC_ID');
    if (topic.partitions[index] === undefined) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION');
    const other = this.#byName.get(topic.name);
    // The cluster knows of a topic of this name with another id than the replica here has.
    throw new KafkaError(other !== undefined && other.topicId !== topicId ? 'INCONSISTENT_TOPIC_ID' : 'NOT_LEADER_OR_FOLLOWER');
  }
}
