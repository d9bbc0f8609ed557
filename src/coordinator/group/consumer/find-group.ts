import { Timeline } from '../../../base/timeline-map.ts';
import { KafkaError } from '../../../protocol/errors.ts';
import { ClassicGroup } from '../classic/classic-group.ts';
import type { Group } from '../group.ts';
import type { GroupRecord } from '../group-record.ts';
import { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import { upgradedGroup } from './upgrade.ts';

/**
 * The group that somebody joins. One that does not exist yet is an empty one, which comes to be when its records are replayed. A classic group becomes a consumer
 * group, by `records`. Throws GROUP_ID_NOT_FOUND for a group that does not.
 */
export function groupToJoin(context: ConsumerGroupContext, groupId: string, records: GroupRecord[]): ConsumerGroup {
  const group = context.groups.get(groupId);
  if (group === undefined) return new ConsumerGroup(groupId, new Timeline());
  if (group instanceof ConsumerGroup) return group;
  if (!(group instanceof ClassicGroup)) throw notOfConsumers(groupId);
  if (!group.isEmpty()) return upgradedGroup(context, group, records);
  records.push(...group.tombstones());
  return new ConsumerGroup(groupId, new Timeline());
}

/** The group of somebody who says that he is a member. Throws GROUP_ID_NOT_FOUND. */
export function groupOfMember(context: ConsumerGroupContext, groupId: string): ConsumerGroup {
  const group = context.groups.get(groupId);
  if (group === undefined) throw new KafkaError('GROUP_ID_NOT_FOUND', `Consumer group ${groupId} not found.`);
  return asConsumerGroup(group);
}

/** Throws GROUP_ID_NOT_FOUND. */
export function knownConsumerGroup(context: ConsumerGroupContext, groupId: string): ConsumerGroup {
  return asConsumerGroup(context.groups.get(groupId), groupId);
}

/** Throws GROUP_ID_NOT_FOUND. */
export function asConsumerGroup(group: Group | undefined, groupId = group?.groupId ?? ''): ConsumerGroup {
  if (group === undefined) throw new KafkaError('GROUP_ID_NOT_FOUND', `Group ${groupId} not found.`);
  if (group instanceof ConsumerGroup) return group;
  throw notOfConsumers(groupId);
}

const notOfConsumers = (groupId: string): KafkaError =>
  new KafkaError('GROUP_ID_NOT_FOUND', `Group ${groupId} is not a consumer group.`);
