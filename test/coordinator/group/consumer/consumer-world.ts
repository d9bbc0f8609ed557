import { TimerQueue } from '../../../../src/base/timer-queue.ts';
import { ZERO_UUID } from '../../../../src/base/uuid.ts';
import { ConfigStore } from '../../../../src/config/config-store.ts';
import { ConsumerGroup } from '../../../../src/coordinator/group/consumer/consumer-group.ts';
import { ConsumerGroupService } from '../../../../src/coordinator/group/consumer/consumer-group-service.ts';
import { GroupCoordinator } from '../../../../src/coordinator/group/group-coordinator.ts';
import { MetadataDelta } from '../../../../src/metadata/metadata-delta.ts';
import { EMPTY_METADATA_IMAGE, type MetadataImage } from '../../../../src/metadata/metadata-image.ts';
import { type MetadataRecord, metadataRecord } from '../../../../src/metadata/metadata-record.ts';
import { codeOf, KafkaError } from '../../../../src/protocol/errors.ts';
import type { consumerGroupHeartbeat } from '../../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import type { RequestOf, ResponseOf } from '../../../../src/protocol/schema.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from '../../../../simulation/simulated-environment.ts';
import { MemoryLog } from '../../runtime/counters.ts';

export const PARTITION = 0;

export type HeartbeatRequest = RequestOf<typeof consumerGroupHeartbeat>;
export type HeartbeatAnswer = ResponseOf<typeof consumerGroupHeartbeat>;

type HeartbeatOf = Partial<HeartbeatRequest> & { readonly groupId: string };

/** A group coordinator of one partition over a log in memory, a clock that is moved by hand and topics that come and go. */
export class ConsumerWorld {
  readonly environment: SimulatedEnvironment;
  readonly configs: ConfigStore;
  log = new MemoryLog();
  coordinator: GroupCoordinator;
  service: ConsumerGroupService;
  image: MetadataImage = EMPTY_METADATA_IMAGE;
  /** Topics that somebody may not know of. */
  readonly hidden = new Set<string>();
  #topicsMade = 0;

  private constructor(properties: Readonly<Record<string, string>>, seed: number) {
    this.environment = simulatedEnvironment({ seed });
    const fromFile = new Map(Object.entries({ 'offsets.topic.num.partitions': '1', ...properties }));
    this.configs = new ConfigStore({ nodeId: 1, fromFile });
    this.coordinator = this.#newCoordinator();
    this.service = this.#newService();
    this.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }));
  }

  static async start(properties: Readonly<Record<string, string>> = {}, seed = 1): Promise<ConsumerWorld> {
    const world = new ConsumerWorld(properties, seed);
    await world.resolve(world.coordinator.becomeLeader(PARTITION, 0));
    return world;
  }

  /** The coordinator ends, and another one reads what is committed. */
  async restart(): Promise<void> {
    this.coordinator.close();
    await this.run(0);
    this.coordinator = this.#newCoordinator();
    this.service = this.#newService();
    await this.resolve(this.coordinator.becomeLeader(PARTITION, 1));
  }

  run(durationMs: number): Promise<void> {
    return this.environment.clock.scheduler.run(durationMs);
  }

  resolve<T>(promise: Promise<T>): Promise<T> {
    return this.environment.clock.scheduler.resolve(promise);
  }

  /** Null for a group that is not there, or no consumer group. */
  group(groupId: string): ConsumerGroup | null {
    const group = this.coordinator.runtime.read(PARTITION, ({ groups }) => groups.get(groupId));
    return group instanceof ConsumerGroup ? group : null;
  }

  /** The offset up to which what is asked is answered from. */
  get lastCommitted(): number {
    return this.coordinator.runtime.read(PARTITION, (_shard, committedOffset) => committedOffset);
  }

  /** What a member gets that sends this; errors as their codes. */
  heartbeat(request: HeartbeatOf, version = 1): Promise<HeartbeatAnswer> {
    return this.resolve(this.send(request, version));
  }

  /** The same, while time stands still. */
  async send(request: HeartbeatOf, version = 1): Promise<HeartbeatAnswer> {
    const mayDescribe = (topic: string): boolean => !this.hidden.has(topic);
    const client = { apiVersion: version, clientId: 'c', clientHost: '/127.0.0.1', mayDescribe };
    const nothing = { throttleTimeMs: 0, errorCode: 0, errorMessage: null, memberId: null, assignment: null };
    try {
      const answer = await this.service.heartbeat(client, { ...NOTHING_TOLD, ...request });
      return { ...nothing, ...(answer as Partial<HeartbeatAnswer>) } as HeartbeatAnswer;
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      const { errorName, message: errorMessage } = error;
      return { ...nothing, errorCode: codeOf(errorName), errorMessage, memberEpoch: 0, heartbeatIntervalMs: 0 };
    }
  }

  createTopic(name: string, partitions: number): string {
    const topicId = Buffer.from(`topic-${String(this.#topicsMade++).padStart(10, '0')}`).toString('base64url');
    this.apply(metadataRecord('TopicRecord', 0, { name, topicId }), ...partitionRecords(topicId, 0, partitions));
    return topicId;
  }

  growTopic(name: string, to: number): void {
    const topic = this.image.topics.byName.get(name);
    if (topic !== undefined) this.apply(...partitionRecords(topic.id, topic.partitions.length, to));
  }

  deleteTopic(name: string): void {
    const topic = this.image.topics.byName.get(name);
    if (topic !== undefined) this.apply(metadataRecord('RemoveTopicRecord', 0, { topicId: topic.id }));
  }

  apply(...records: MetadataRecord[]): void {
    const delta = new MetadataDelta(this.image);
    for (const record of records) delta.replay(record);
    const { offset } = this.image.provenance;
    this.image = delta.apply({ offset: offset + records.length, epoch: 1, timestamp: this.environment.clock.now() });
    this.coordinator.metadataChanged(delta, this.image);
  }

  #newCoordinator(): GroupCoordinator {
    return new GroupCoordinator(this.environment, {
      timers: new TimerQueue(this.environment.clock),
      configs: this.configs,
      metadata: () => this.image,
      writer: this.log,
      loader: this.log,
    });
  }

  #newService(): ConsumerGroupService {
    return new ConsumerGroupService({ coordinator: this.coordinator, configs: this.configs, metadata: () => this.image });
  }
}

const NOTHING_TOLD: Omit<HeartbeatRequest, 'groupId'> = {
  memberId: 'm',
  memberEpoch: 0,
  instanceId: null,
  rackId: null,
  rebalanceTimeoutMs: -1,
  subscribedTopicNames: null,
  subscribedTopicRegex: null,
  serverAssignor: null,
  topicPartitions: null,
};

const partitionRecords = (topicId: string, from: number, to: number): MetadataRecord[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) =>
    metadataRecord('PartitionRecord', 1, {
      partitionId: from + index,
      topicId,
      replicas: [1],
      isr: [1],
      removingReplicas: [],
      addingReplicas: [],
      leader: 1,
      leaderEpoch: 0,
      partitionEpoch: 0,
      directories: [ZERO_UUID],
    }),
  );
