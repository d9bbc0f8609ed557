import type { Environment } from '../base/environment.ts';
import type { Endpoint } from '../base/network.ts';
import { ZERO_UUID } from '../base/uuid.ts';
import { type ErrorName, errorNameOf, KafkaError } from '../protocol/errors.ts';
import { metadata } from '../protocol/messages/03-metadata.ts';
import type { ResponseOf } from '../protocol/schema.ts';
import { ClientError } from './client-error.ts';
import type { ClientSettings } from './client-options.ts';
import type { Connections } from './connections.ts';

export interface Broker extends Endpoint {
  readonly id: number;
  readonly rack: string | null;
}

export interface PartitionFacts {
  readonly partition: number;
  /** Node id; −1 while there is no leader. */
  readonly leader: number;
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly offlineReplicas: readonly number[];
  readonly error: ErrorName;
}

export interface TopicFacts {
  readonly name: string;
  /** ZERO_UUID where the broker is too old to tell. */
  readonly id: string;
  readonly isInternal: boolean;
  /** In order of partition. */
  readonly partitions: readonly PartitionFacts[];
}

/**
 * What the client knows about the cluster: brokers, and leaders of the topics somebody asked about. It is asked for again when it is too
 * old or when a broker's answer shows that it is wrong; several who ask at once share one request.
 */
export class ClusterMetadata {
  readonly #environment: Environment;
  readonly #settings: ClientSettings;
  readonly #connections: Connections;
  readonly #topics = new Map<string, TopicFacts>();
  readonly #nameById = new Map<string, string>();
  readonly #wanted = new Set<string>();
  #brokers = new Map<number, Broker>();
  #refreshing: Promise<void> | null = null;
  #refreshedAt = -Infinity;
  clusterId: string | null = null;
  controllerId = -1;
  /** Whether asking about a topic that does not exist may create it, where the broker allows that. */
  allowAutoCreation = false;

  constructor(environment: Environment, settings: ClientSettings, connections: Connections) {
    this.#environment = environment;
    this.#settings = settings;
    this.#connections = connections;
  }

  get brokers(): readonly Broker[] {
    return [...this.#brokers.values()].sort((a, b) => a.id - b.id);
  }

  broker(id: number): Broker | null {
    return this.#brokers.get(id) ?? null;
  }

  /** Brokers, or the bootstrap servers while none is known. */
  get endpoints(): readonly Endpoint[] {
    return this.#brokers.size === 0 ? this.#settings.bootstrap : [...this.brokers, ...this.#settings.bootstrap];
  }

  topic(name: string): TopicFacts | null {
    return this.#topics.get(name) ?? null;
  }

  nameOf(topicId: string): string | null {
    return this.#nameById.get(topicId) ?? null;
  }

  partition(topic: string, partition: number): PartitionFacts | null {
    return this.#topics.get(topic)?.partitions[partition] ?? null;
  }

  get isStale(): boolean {
    return this.#environment.clock.monotonic() - this.#refreshedAt > this.#settings.metadataMaxAgeMs;
  }

  /** Knows the topic from now on. Throws KafkaError if the broker says there is none. */
  async load(name: string): Promise<TopicFacts> {
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    this.#wanted.add(name);
    for (let attempt = 0; ; attempt++) {
      const errors = await this.#fetch([...this.#wanted]);
      const facts = this.#topics.get(name);
      if (facts !== undefined) return facts;
      const error = errors.get(name) ?? 'UNKNOWN_TOPIC_OR_PARTITION';
      const mayAppear = error === 'LEADER_NOT_AVAILABLE' || (this.allowAutoCreation && error === 'UNKNOWN_TOPIC_OR_PARTITION');
      if (!mayAppear || attempt >= AUTO_CREATION_ATTEMPTS) {
        this.#wanted.delete(name);
        throw topicError(name, error);
      }
      await new Promise<void>((resolve) => this.#environment.clock.schedule(this.#settings.retryBackoffMs, resolve));
    }
  }

  /** Knows these topics from now on, asking once for all; gives the errors of those that it cannot know. */
  async loadAll(names: Iterable<string>): Promise<ReadonlyMap<string, ErrorName>> {
    const unknown = [...new Set(names)].filter((name) => !this.#topics.has(name));
    if (unknown.length === 0) return new Map();
    for (const name of unknown) this.#wanted.add(name);
    const errors = await this.#fetch([...this.#wanted]);
    const missing = unknown.filter((name) => !this.#topics.has(name));
    for (const name of missing) this.#wanted.delete(name);
    return new Map(missing.map((name) => [name, errors.get(name) ?? 'UNKNOWN_TOPIC_OR_PARTITION']));
  }

  /** Asks again about every topic that is wanted. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#fetch([...this.#wanted])
      .then(() => undefined)
      .finally(() => {
        this.#refreshing = null;
      });
    await this.#refreshing;
  }

  /** Takes over what a Produce or Fetch answer says about a leader, if it is newer. */
  leaderChanged(
    topic: string,
    partition: number,
    leader: { leaderId: number; leaderEpoch: number },
    nodes: readonly Broker[],
  ): boolean {
    const facts = this.#topics.get(topic);
    const old = facts?.partitions[partition];
    if (facts === undefined || old === undefined || leader.leaderId < 0 || leader.leaderEpoch <= old.leaderEpoch) return false;
    for (const node of nodes) this.#brokers.set(node.id, node);
    if (!this.#brokers.has(leader.leaderId)) return false;
    const partitions = facts.partitions.with(partition, { ...old, leader: leader.leaderId, leaderEpoch: leader.leaderEpoch });
    this.#topics.set(topic, { ...facts, partitions });
    return true;
  }

  async #fetch(names: readonly string[]): Promise<ReadonlyMap<string, ErrorName>> {
    const connection = await this.#connections.any(this.endpoints);
    const answer = await connection.request(metadata, {
      topics: names.map((name) => ({ name, topicId: ZERO_UUID })),
      allowAutoTopicCreation: this.allowAutoCreation,
      includeTopicAuthorizedOperations: false,
    });
    if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
    return this.#apply(answer);
  }

  #apply(answer: ResponseOf<typeof metadata>): ReadonlyMap<string, ErrorName> {
    if (answer.brokers.length === 0) throw new ClientError('unreachable', 'The cluster has no broker that takes requests yet');
    this.#brokers = new Map(answer.brokers.map(({ nodeId, host, port, rack }) => [nodeId, { id: nodeId, host, port, rack }]));
    this.clusterId = answer.clusterId;
    this.controllerId = answer.controllerId;
    this.#refreshedAt = this.#environment.clock.monotonic();
    const errors = new Map<string, ErrorName>();
    for (const topic of answer.topics) {
      const name = topic.name ?? '';
      const error = errorNameOf(topic.errorCode);
      if (error === 'NONE') this.#learn(topicFacts(topic));
      else {
        errors.set(name, error);
        if (error === 'UNKNOWN_TOPIC_OR_PARTITION') this.#forget(name);
      }
    }
    return errors;
  }

  #learn(facts: TopicFacts): void {
    const known = this.#topics.get(facts.name);
    this.#nameById.set(facts.id, facts.name);
    if (known === undefined || known.id !== facts.id) {
      this.#topics.set(facts.name, facts);
      return;
    }
    // A broker that lags behind must not take us back to an older leader.
    const partitions = facts.partitions.map((partition) => {
      const old = known.partitions[partition.partition];
      return old !== undefined && old.leaderEpoch > partition.leaderEpoch ? old : partition;
    });
    this.#topics.set(facts.name, { ...facts, partitions });
  }

  #forget(name: string): void {
    const facts = this.#topics.get(name);
    if (facts !== undefined) this.#nameById.delete(facts.id);
    this.#topics.delete(name);
  }
}

/** What a broker says of a topic that was asked for by name, with that name in it. */
export const topicError = (name: string, error: ErrorName): KafkaError =>
  error === 'UNKNOWN_TOPIC_OR_PARTITION'
    ? new KafkaError(error, `Topic "${name}" does not exist`)
    : new KafkaError(error, `Topic "${name}": ${new KafkaError(error).message}`);

/** How often a topic that is being created is asked about before giving up. */
const AUTO_CREATION_ATTEMPTS = 50;

type AnsweredTopic = ResponseOf<typeof metadata>['topics'][number];

/** One topic of a Metadata answer. */
export function topicFacts(topic: AnsweredTopic): TopicFacts {
  const partitions = topic.partitions.map((partition) => ({
    partition: partition.partitionIndex,
    leader: partition.leaderId,
    leaderEpoch: partition.leaderEpoch,
    replicas: partition.replicaNodes,
    isr: partition.isrNodes,
    offlineReplicas: partition.offlineReplicas,
    error: errorNameOf(partition.errorCode),
  }));
  partitions.sort((a, b) => a.partition - b.partition);
  return { name: topic.name ?? '', id: topic.topicId, isInternal: topic.isInternal, partitions };
}
