import { assert } from '../../base/assert.ts';
import type { MetadataRecordValues } from '../metadata-record.ts';
import type { PartitionRegistration } from './partition-registration.ts';
import { changedPartition, partitionFromRecord } from './partition-registration.ts';
import type { TopicImage, TopicsImage } from './topics-image.ts';

/** What changed in one topic, new or old. */
export class TopicDelta {
  readonly name: string;
  readonly id: string;
  /** The topic before; null if it is new. */
  readonly before: TopicImage | null;
  /** By partition index: new ones and changed ones. */
  readonly changedPartitions = new Map<number, PartitionRegistration>();

  constructor(name: string, id: string, before: TopicImage | null) {
    this.name = name;
    this.id = id;
    this.before = before;
  }

  partition(index: number): PartitionRegistration | undefined {
    return this.changedPartitions.get(index) ?? this.before?.partitions[index];
  }

  apply(): TopicImage {
    const partitions = [...(this.before?.partitions ?? [])];
    for (const [index, partition] of this.changedPartitions) partitions[index] = partition;
    return { name: this.name, id: this.id, partitions };
  }
}

/** What the partitions of one broker must do after a change. */
export interface LocalChanges {
  /** Replicas that this broker no longer holds: `topicDeleted` tells whether the whole topic went. */
  readonly deletes: readonly LocalDelete[];
  /** Partitions that this broker leads, and that are new to it or changed. */
  readonly leaders: readonly LocalPartition[];
  /** Partitions that this broker follows, and that are new to it or changed. */
  readonly followers: readonly LocalPartition[];
}

export interface LocalDelete {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly topicDeleted: boolean;
}

export interface LocalPartition {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly registration: PartitionRegistration;
  /** The registration before; undefined if the partition is new. */
  readonly before: PartitionRegistration | undefined;
}

/** What changed in the topics. */
export class TopicsDelta {
  readonly image: TopicsImage;
  /** By topic id: created and changed topics. */
  readonly changedTopics = new Map<string, TopicDelta>();
  /** Topics that were in the image and are gone, by id. A topic created and deleted within the delta leaves no trace. */
  readonly deletedTopics = new Map<string, TopicImage>();

  constructor(image: TopicsImage) {
    this.image = image;
  }

  topicWithId(id: string): TopicDelta | TopicImage | undefined {
    return this.changedTopics.get(id) ?? (this.deletedTopics.has(id) ? undefined : this.image.byId.get(id));
  }

  replayTopic(record: MetadataRecordValues['TopicRecord']): void {
    this.deletedTopics.delete(record.topicId);
    this.changedTopics.set(record.topicId, new TopicDelta(record.name, record.topicId, null));
    const old = this.image.byId.get(record.topicId);
    // Only a snapshot says again what the image already has: what it does not repeat of the topic is gone.
    if (old !== undefined)
      this.changedTopics.set(record.topicId, new TopicDelta(record.name, record.topicId, { ...old, partitions: [] }));
  }

  replayPartition(record: MetadataRecordValues['PartitionRecord']): void {
    this.#topic(record.topicId).changedPartitions.set(record.partitionId, partitionFromRecord(record));
  }

  replayPartitionChange(record: MetadataRecordValues['PartitionChangeRecord']): void {
    const topic = this.#topic(record.topicId);
    const partition = topic.partition(record.partitionId);
    assert(partition !== undefined, 'a partition change record is about a partition that exists');
    topic.changedPartitions.set(record.partitionId, changedPartition(partition, record));
  }

  /** The topic that went; its configs go with it. */
  replayRemoveTopic(record: MetadataRecordValues['RemoveTopicRecord']): string {
    const topic = this.topicWithId(record.topicId);
    assert(topic !== undefined, 'a remove topic record is about a topic that exists');
    this.changedTopics.delete(record.topicId);
    const before = this.image.byId.get(record.topicId);
    if (before !== undefined) this.deletedTopics.set(record.topicId, before);
    return topic.name;
  }

  /** Forgets the eligible leader replicas of one topic, or of all when the name is empty. */
  replayClearElr(record: MetadataRecordValues['ClearElrRecord']): void {
    if (record.topicName !== '') {
      const id = this.#idOf(record.topicName);
      if (id !== undefined) this.#clearElr(id);
      return;
    }
    for (const id of this.changedTopics.keys()) this.#clearElr(id);
    for (const topic of this.image.byId.values()) {
      if (!this.changedTopics.has(topic.id) && !this.deletedTopics.has(topic.id) && topic.partitions.some(hasElr))
        this.#clearElr(topic.id);
    }
  }

  finishSnapshot(): void {
    for (const topic of this.image.byId.values()) if (!this.changedTopics.has(topic.id)) this.deletedTopics.set(topic.id, topic);
  }

  apply(): TopicsImage {
    let { byId, byName } = this.image;
    for (const topic of this.deletedTopics.values()) {
      byId = byId.delete(topic.id);
      // The name may have been taken by a new topic already.
      if (byName.get(topic.name)?.id === topic.id) byName = byName.delete(topic.name);
    }
    for (const delta of this.changedTopics.values()) {
      const topic = delta.apply();
      byId = byId.set(topic.id, topic);
      byName = byName.set(topic.name, topic);
    }
    return { byId, byName };
  }

  /** What a broker must do about its own replicas. */
  localChanges(brokerId: number): LocalChanges {
    const deletes: LocalDelete[] = [];
    const leaders: LocalPartition[] = [];
    const followers: LocalPartition[] = [];
    for (const { name: topic, id: topicId, partitions } of this.deletedTopics.values()) {
      for (const [partition, { replicas }] of partitions.entries()) {
        if (replicas.includes(brokerId)) deletes.push({ topic, topicId, partition, topicDeleted: true });
      }
    }
    for (const { name: topic, id: topicId, before: topicBefore, changedPartitions } of this.changedTopics.values()) {
      for (const [partition, registration] of changedPartitions) {
        const before = topicBefore?.partitions[partition];
        if (!registration.replicas.includes(brokerId)) {
          if (before?.replicas.includes(brokerId) === true) deletes.push({ topic, topicId, partition, topicDeleted: false });
          continue;
        }
        const list = registration.leader === brokerId ? leaders : followers;
        list.push({ topic, topicId, partition, registration, before });
      }
    }
    return { deletes, leaders, followers };
  }

  #idOf(topicName: string): string | undefined {
    for (const delta of this.changedTopics.values()) if (delta.name === topicName) return delta.id;
    const topic = this.image.byName.get(topicName);
    return topic === undefined || this.deletedTopics.has(topic.id) ? undefined : topic.id;
  }

  #clearElr(topicId: string): void {
    const topic = this.#topic(topicId);
    const count = Math.max(
      topic.before?.partitions.length ?? 0,
      ...[...topic.changedPartitions.keys()].map((index) => index + 1),
    );
    for (let index = 0; index < count; index++) {
      const partition = topic.partition(index);
      if (partition === undefined || !hasElr(partition)) continue;
      const partitionEpoch = partition.partitionEpoch + 1;
      topic.changedPartitions.set(index, { ...partition, elr: [], lastKnownElr: [], partitionEpoch });
    }
  }

  #topic(id: string): TopicDelta {
    const changed = this.changedTopics.get(id);
    if (changed !== undefined) return changed;
    const before = this.deletedTopics.has(id) ? undefined : this.image.byId.get(id);
    assert(before !== undefined, 'a partition record is about a topic that exists');
    const delta = new TopicDelta(before.name, id, before);
    this.changedTopics.set(id, delta);
    return delta;
  }
}

const hasElr = ({ elr, lastKnownElr }: PartitionRegistration): boolean => elr.length > 0 || lastKnownElr.length > 0;
