import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import { ZERO_UUID } from '../../../base/uuid.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';
import type { GroupRegistry } from '../group-registry.ts';
import { type CommittedOffset, offsetTombstone } from './committed-offset.ts';
import type { OffsetDeleteRequest, TopicOutcomes } from './offset-requests.ts';
import type { OffsetStore } from './offset-store.ts';
import { entriesOf } from './partition-table.ts';

const SUBSCRIBED = codeOf('GROUP_SUBSCRIBED_TO_TOPIC');

/** Deletes offsets that nobody uses. Throws GROUP_ID_NOT_FOUND, or NON_EMPTY_GROUP for a group whose topics nobody knows. */
export function deleteOffsets(
  groups: GroupRegistry,
  store: OffsetStore,
  { groupId, topics }: OffsetDeleteRequest,
): CoordinatorResult<GroupRecord, readonly TopicOutcomes[]> {
  const group = groups.get(groupId);
  if (group === undefined) throw new KafkaError('GROUP_ID_NOT_FOUND');
  group.validateOffsetDelete();
  const records: GroupRecord[] = [];
  const response = topics.map(({ name, partitions }) => {
    const isSubscribed = group.isSubscribedTo(name);
    for (const { partitionIndex } of isSubscribed ? [] : partitions) {
      const isThere =
        store.committed.get(groupId, name, partitionIndex) !== undefined || store.open.has(groupId, name, partitionIndex);
      if (isThere) records.push(offsetTombstone({ group: groupId, topic: name, partition: partitionIndex }));
    }
    const errorCode = isSubscribed ? SUBSCRIBED : 0;
    return { name, topicId: ZERO_UUID, partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })) };
  });
  return { records, response };
}

/** The records that remove all offsets of a group. */
export function tombstonesOfGroup(store: OffsetStore, group: string): GroupRecord[] {
  const records: GroupRecord[] = [];
  for (const [topic, partition] of entriesOf(store.committed.ofGroup(group)))
    records.push(offsetTombstone({ group, topic, partition }));
  for (const [topic, partition] of entriesOf(store.open.ofGroup(group))) {
    if (store.committed.get(group, topic, partition) === undefined) records.push(offsetTombstone({ group, topic, partition }));
  }
  return records;
}

/** A topic that is gone. */
export interface DeletedTopic {
  readonly name: string;
  readonly id: string;
}

/** The records that remove the offsets of topics that are gone; not those of a topic that has the same name since then. */
export function tombstonesOfTopics(store: OffsetStore, topics: readonly DeletedTopic[]): GroupRecord[] {
  const idsByName = new Map(topics.map(({ name, id }) => [name, id]));
  const records: GroupRecord[] = [];
  const isOf = (id: string | undefined, { topicId }: CommittedOffset): boolean =>
    id !== undefined && (topicId === ZERO_UUID || topicId === id);
  for (const [group, byTopic] of store.committed.groups()) {
    for (const [topic, id] of idsByName) {
      for (const [partition, offset] of byTopic.get(topic) ?? [])
        if (isOf(id, offset)) records.push(offsetTombstone({ group, topic, partition }));
    }
  }
  for (const [group, topic, partition, offset] of store.open.offsets()) {
    if (isOf(idsByName.get(topic), offset)) records.push(offsetTombstone({ group, topic, partition }));
  }
  return records;
}
