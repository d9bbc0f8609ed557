import { PersistentMap } from '../../base/persistent-map.ts';
import type { MetadataRecord } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';
import type { PartitionRegistration, TopicRecordOptions } from './partition-registration.ts';
import { partitionRecord } from './partition-registration.ts';

export interface TopicImage {
  readonly name: string;
  readonly id: string;
  /** By partition index; without holes. */
  readonly partitions: readonly PartitionRegistration[];
}

/** All topics, under both of their names. */
export interface TopicsImage {
  readonly byId: PersistentMap<string, TopicImage>;
  readonly byName: PersistentMap<string, TopicImage>;
}

export const EMPTY_TOPICS: TopicsImage = { byId: PersistentMap.ofStrings(), byName: PersistentMap.ofStrings() };

export function* topicRecords(image: TopicsImage, options: TopicRecordOptions): Generator<MetadataRecord> {
  for (const topic of image.byId.values()) {
    yield metadataRecord('TopicRecord', 0, { name: topic.name, topicId: topic.id });
    for (const [index, partition] of topic.partitions.entries()) yield partitionRecord(topic.id, index, partition, options);
  }
}
