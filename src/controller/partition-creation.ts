import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { createPartitions } from '../protocol/messages/37-create-partitions.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { ControllerResult } from './controller-result.ts';
import type { ControllerView } from './controller-view.ts';
import {
  activeReplicas,
  checkAssignment,
  newPartitionRecord,
  noActiveReplica,
  placeAutomatically,
} from './replica-assignment.ts';
import { PARTITIONS_MAX, tooManyPartitions } from './topic-creation.ts';

type Request = RequestOf<typeof createPartitions>;
type Topic = Request['topics'][number];
type Response = ResponseInput<typeof createPartitions>;

/** Adds partitions to topics; each topic succeeds or fails by itself. */
export function createPartitionsControl(view: ControllerView, request: Request): ControllerResult<Response> {
  const records: MetadataRecord[] = [];
  const byName = Map.groupBy(request.topics, ({ name }) => name);
  const results = [...byName].map(([name, [topic, ...others]]): Response['results'][number] => {
    try {
      if (topic === undefined || others.length > 0) throw new KafkaError('INVALID_REQUEST', 'Duplicate topic name.');
      const added = addPartitions(view, topic);
      records.push(...added);
      return { name, errorMessage: null };
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      const isUnknown = error.errorName === 'UNKNOWN_TOPIC_OR_PARTITION';
      return { name, errorCode: error.code, errorMessage: isUnknown ? null : error.message };
    }
  });
  return { records: request.validateOnly ? [] : records, response: { results }, isAtomic: true };
}

/** Throws POLICY_VIOLATION for too many in one request. */
export function checkPartitionsToAdd(view: ControllerView, { topics }: Request): void {
  const byName = Map.groupBy(topics, ({ name }) => name);
  if (partitionsAskedFor(view, [...byName.values()]) > PARTITIONS_MAX) throw tooManyPartitions('additional partitions');
}

/** Of the topics that exist and are named once. */
function partitionsAskedFor({ image }: ControllerView, topics: readonly (readonly Topic[])[]): number {
  const counts = topics.map(([topic, ...others]) => {
    const existing = topic === undefined ? undefined : image.topics.byName.get(topic.name)?.partitions.length;
    if (topic === undefined || others.length > 0 || existing === undefined) return 0;
    return Math.max(0, topic.count - existing);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function addPartitions(view: ControllerView, { name, count, assignments }: Topic): MetadataRecord[] {
  const topic = view.image.topics.byName.get(name);
  if (topic === undefined) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION');
  const existing = topic.partitions.length;
  if (count === existing) throw new KafkaError('INVALID_PARTITIONS', `Topic already has ${existing} partition(s).`);
  if (count < existing) {
    throw new KafkaError(
      'INVALID_PARTITIONS',
      `The topic ${name} currently has ${existing} partition(s); ${count} would not be an increase.`,
    );
  }
  const additional = count - existing;
  if (assignments !== null && assignments.length !== additional) {
    throw new KafkaError(
      'INVALID_REPLICA_ASSIGNMENT',
      `Attempted to add ${additional} additional partition(s), but only ${assignments.length} assignment(s) were specified.`,
    );
  }
  const replicationFactor = topic.partitions[0]?.replicas.length ?? 1;
  const replicas =
    assignments === null
      ? placeAutomatically(view, additional, replicationFactor)
      : assignments.map(({ brokerIds }, at) => {
          checkAssignment(view, brokerIds, replicationFactor);
          if (activeReplicas(view, brokerIds).length === 0) throw noActiveReplica(existing + at);
          return brokerIds;
        });
  return replicas.map((brokerIds, at) => newPartitionRecord(view, { topicId: topic.id, index: existing + at }, brokerIds));
}
