import { randomUuid } from '../base/uuid.ts';
import { type ConfigEntry, configSourceIds } from '../config/config-entry.ts';
import { checkTopicName } from '../config/topic-name.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { createTopics } from '../protocol/messages/19-create-topics.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import { ZERO_UUID } from '../base/uuid.ts';
import type { ControllerResult } from './controller-result.ts';
import { MIN_INSYNC_REPLICAS } from './configuration-control.ts';
import { type ControllerView, isElrEnabled } from './controller-view.ts';
import { errorFields } from './error-fields.ts';
import {
  activeReplicas,
  checkAssignment,
  newPartitionRecord,
  noActiveReplica,
  placeAutomatically,
} from './replica-assignment.ts';

type Request = RequestOf<typeof createTopics>;
type Topic = Request['topics'][number];
type Response = ResponseInput<typeof createTopics>;
type TopicResult = Response['topics'][number];

const DEFAULT = -1;
/** In one request. */
export const PARTITIONS_MAX = 10_000;
/** The log of the controllers themselves. */
const METADATA_TOPIC = '__cluster_metadata';

/** Creates topics; each succeeds or fails by itself, and those that succeed are written together. */
export function createTopicsControl(view: ControllerView, request: Request): ControllerResult<Response> {
  const names = new NewNames(view);
  const records: MetadataRecord[] = [];
  const byName = Map.groupBy(request.topics, ({ name }) => name);
  const topics = [...byName].map(([name, [topic, ...others]]): TopicResult => {
    try {
      if (topic === undefined || others.length > 0) throw new KafkaError('INVALID_REQUEST', 'Duplicate topic name.');
      names.claim(name);
      const created = createTopic(view, topic);
      records.push(...created.records);
      return created.result;
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      return { name, topicId: ZERO_UUID, ...errorFields(error), topicConfigErrorCode: 0, configs: [] };
    }
  });
  return { records: request.validateOnly ? [] : records, response: { topics }, isAtomic: true };
}

/** Throws POLICY_VIOLATION for too many in one request. */
export function checkPartitionsToCreate(view: ControllerView, { topics }: Request): void {
  const byName = Map.groupBy(topics, ({ name }) => name);
  if (partitionsAskedFor(view, [...byName.values()]) > PARTITIONS_MAX) throw tooManyPartitions();
}

/** Of the topics that are named once, whether they can be created or not. */
function partitionsAskedFor(view: ControllerView, topics: readonly (readonly Topic[])[]): number {
  const counts = topics.map(([topic, ...others]) => {
    if (topic === undefined || others.length > 0) return 0;
    if (topic.assignments.length > 0) return topic.assignments.length;
    return topic.numPartitions === DEFAULT ? view.settings.defaultPartitions : Math.max(0, topic.numPartitions);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

export const tooManyPartitions = (what = 'partitions'): KafkaError =>
  new KafkaError('POLICY_VIOLATION', `Excessively large number of ${what} per request.`);

/** The names that are taken. */
class NewNames {
  readonly #view: ControllerView;
  /** Made when the first name needs it. */
  #byCollisionKey: Map<string, string> | null = null;

  constructor(view: ControllerView) {
    this.#view = view;
  }

  /** Throws INVALID_TOPIC_EXCEPTION or TOPIC_ALREADY_EXISTS. */
  claim(name: string): void {
    checkTopicName(name);
    if (name === METADATA_TOPIC) {
      throw new KafkaError('INVALID_REQUEST', `Creation of internal topic ${METADATA_TOPIC} is prohibited.`);
    }
    const { byName } = this.#view.image.topics;
    if (byName.has(name)) throw new KafkaError('TOPIC_ALREADY_EXISTS', `Topic '${name}' already exists.`);
    const colliding = this.#colliding(name);
    if (colliding !== null) {
      throw new KafkaError('INVALID_TOPIC_EXCEPTION', `Topic '${name}' collides with existing topic: ${colliding}`);
    }
  }

  /** Names that differ only in dots and underscores have the same metrics. */
  #colliding(name: string): string | null {
    if (!hasCollisionCharacter(name)) return null;
    if (this.#byCollisionKey === null) {
      this.#byCollisionKey = new Map();
      for (const known of this.#view.image.topics.byName.keys()) {
        if (hasCollisionCharacter(known)) this.#byCollisionKey.set(collisionKey(known), known);
      }
    }
    return this.#byCollisionKey.get(collisionKey(name)) ?? null;
  }
}

const hasCollisionCharacter = (name: string): boolean => name.includes('.') || name.includes('_');
const collisionKey = (name: string): string => name.replaceAll('.', '_');

interface Created {
  readonly records: readonly MetadataRecord[];
  readonly result: TopicResult;
}

function createTopic(view: ControllerView, topic: Topic): Created {
  const { name } = topic;
  const overrides = checkedConfigs(view, topic);
  const replicas = replicasOf(view, topic);
  const topicId = randomUuid(view.random);
  const records: MetadataRecord[] = [metadataRecord('TopicRecord', 0, { name, topicId })];
  for (const [key, value] of overrides) {
    records.push(metadataRecord('ConfigRecord', 0, { resourceType: 2, resourceName: name, name: key, value }));
  }
  if (isElrEnabled(view) && overrides.has(MIN_INSYNC_REPLICAS)) {
    records.push(metadataRecord('ClearElrRecord', 0, { topicName: name }));
  }
  for (const [index, brokerIds] of replicas.entries()) {
    records.push(newPartitionRecord(view, { topicId, index }, brokerIds));
  }
  const entries = view.configs.describeTopic(view.image.configs, overrides);
  const result: TopicResult = {
    name,
    topicId,
    errorMessage: null,
    topicConfigErrorCode: 0,
    numPartitions: replicas.length,
    replicationFactor: replicas[0]?.length ?? 0,
    configs: entries.map((entry) => configResult(entry, overrides)),
  };
  return { records, result };
}

/** Throws INVALID_CONFIG. */
function checkedConfigs(view: ControllerView, { name, configs }: Topic): Map<string, string> {
  const texts = new Map<string, string>();
  const withoutValue: string[] = [];
  for (const { name: key, value } of configs) {
    if (value === null) withoutValue.push(key);
    else texts.set(key, value);
  }
  if (withoutValue.length > 0) {
    throw new KafkaError('INVALID_CONFIG', `Null value not supported for topic configs: ${withoutValue.join(',')}`);
  }
  if (texts.size > 0) view.configs.check(view.image.configs, { type: 'topic', name }, texts);
  return texts;
}

/** What was set for the topic, or for brokers, is told as it was written. */
function configResult(entry: ConfigEntry, overrides: ReadonlyMap<string, string>): NonNullable<TopicResult['configs']>[number] {
  const { name, readOnly, source, sensitive, synonyms } = entry;
  const value = overrides.get(name) ?? synonyms[0]?.value ?? entry.value;
  return {
    name,
    value: sensitive ? null : value,
    readOnly,
    configSource: configSourceIds[source],
    isSensitive: sensitive,
  };
}

/** The replicas of each partition, as assigned or placed. */
function replicasOf(view: ControllerView, topic: Topic): readonly (readonly number[])[] {
  const { numPartitions, replicationFactor } = topic;
  if (topic.assignments.length > 0) return assignedReplicas(view, topic);
  if (replicationFactor < DEFAULT || replicationFactor === 0) {
    throw new KafkaError(
      'INVALID_REPLICATION_FACTOR',
      'Replication factor must be larger than 0, or -1 to use the default value.',
    );
  }
  if (numPartitions < DEFAULT || numPartitions === 0) {
    throw new KafkaError('INVALID_PARTITIONS', 'Number of partitions was set to an invalid non-positive value.');
  }
  const { defaultPartitions, defaultReplicationFactor } = view.settings;
  const partitions = numPartitions === DEFAULT ? defaultPartitions : numPartitions;
  const factor = replicationFactor === DEFAULT ? defaultReplicationFactor : replicationFactor;
  try {
    return placeAutomatically(view, partitions, factor);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    throw new KafkaError(error.errorName, `Unable to replicate the partition ${factor} time(s): ${error.message}`);
  }
}

function assignedReplicas(view: ControllerView, topic: Topic): readonly (readonly number[])[] {
  const refused = (message: string): KafkaError => new KafkaError('INVALID_REQUEST', message);
  if (topic.replicationFactor !== DEFAULT) {
    throw refused('A manual partition assignment was specified, but replication factor was not set to -1.');
  }
  if (topic.numPartitions !== DEFAULT) {
    throw refused('A manual partition assignment was specified, but numPartitions was not set to -1.');
  }
  const replicas = new Map<number, readonly number[]>();
  let replicationFactor: number | null = null;
  for (const { partitionIndex, brokerIds } of topic.assignments) {
    if (replicas.has(partitionIndex)) {
      throw new KafkaError(
        'INVALID_REPLICA_ASSIGNMENT',
        `Found multiple manual partition assignments for partition ${partitionIndex}`,
      );
    }
    checkAssignment(view, brokerIds, replicationFactor);
    replicationFactor = brokerIds.length;
    if (activeReplicas(view, brokerIds).length === 0) throw noActiveReplica(partitionIndex);
    replicas.set(partitionIndex, brokerIds);
  }
  return Array.from({ length: replicas.size }, (_, index) => {
    const brokerIds = replicas.get(index);
    if (brokerIds !== undefined) return brokerIds;
    throw new KafkaError('INVALID_REPLICA_ASSIGNMENT', 'partitions should be a consecutive 0-based integer sequence');
  });
}
