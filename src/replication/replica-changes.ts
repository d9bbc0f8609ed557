import type { Environment } from '../base/environment.ts';
import { CONFIG_RESOURCE_TYPES } from '../metadata/image/configs-image.ts';
import { isReservedDirectory } from '../base/uuid.ts';
import { directoryOf, UNASSIGNED_DIRECTORY } from '../metadata/image/partition-registration.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import type { LocalDelete, LocalPartition } from '../metadata/image/topics-delta.ts';
import type { MetadataDelta } from '../metadata/metadata-delta.ts';
import type { LogConfig } from '../storage/log-configs.ts';
import type { LogManager } from '../storage/log-manager.ts';
import type { PartitionLog } from '../storage/partition-log.ts';
import { StorageError } from '../storage/storage-error.ts';
import { Partition, type PartitionContext } from './partition.ts';
import type { ReplicaRegistry } from './replica-registry.ts';

export interface ChosenDirectory {
  readonly topicId: string;
  readonly partition: number;
  readonly directoryId: string;
}

export interface ReplicaChangesOptions {
  readonly environment: Pick<Environment, 'logger'>;
  readonly brokerId: number;
  readonly logManager: LogManager;
  readonly registry: ReplicaRegistry;
  readonly partitionContext: PartitionContext;
  readonly logConfig: (topic: string) => LogConfig;
  readonly changed: (partition: Partition) => void;
  readonly directoryChosen: (replica: ChosenDirectory) => void;
  /** No replica of a topic is left here. */
  readonly topicGone: (topic: string) => void;
  readonly storageFailed: (error: StorageError) => void;
}

/** Turns what the controller decided into replicas that lead, follow or go. */
export class ReplicaChanges {
  readonly #options: ReplicaChangesOptions;
  #newRoles = { leader: 0, follower: 0 };

  constructor(options: ReplicaChangesOptions) {
    this.#options = options;
  }

  /**
   * What there is to do, in order; all of it is done before the next delta's. Deletions come first: a topic may have been made again under the same name.
   */
  stepsOf(delta: MetadataDelta): readonly (() => void)[] {
    const local = delta.topics?.localChanges(this.#options.brokerId);
    const { deletes = [], leaders = [], followers = [] } = local ?? {};
    const { configs } = delta;
    return [
      ...deletes.map((change) => () => this.#delete(change)),
      ...leaders.map((change) => () => this.#become('leader', change)),
      ...followers.map((change) => () => this.#become('follower', change)),
      () => this.#logRoles(),
      () => this.#tellOfGone(new Set(deletes.map(({ topic }) => topic))),
      ...(configs === null ? [] : [() => this.#applyConfigs([...configs.changes.values()])]),
    ];
  }

  /** A line for all: a node that starts or stops has thousands. */
  #logRoles(): void {
    const { leader, follower } = this.#newRoles;
    this.#newRoles = { leader: 0, follower: 0 };
    if (leader + follower > 0) this.#options.environment.logger.info('Replicas have new roles', { leader, follower });
  }

  #tellOfGone(topics: ReadonlySet<string>): void {
    const { registry, topicGone } = this.#options;
    for (const topic of topics) if ([...registry.partitionsOf(topic)].length === 0) topicGone(topic);
  }

  /** Puts aside what lies in the log directories and belongs to no replica of this broker: at start, when the first image is known. */
  putAsideStrays(image: MetadataImage): void {
    const { logManager, brokerId } = this.#options;
    for (const { topicPartition, topicId } of logManager.logs) {
      const topic = image.topics.byName.get(topicPartition.topic);
      const isOurs = topic?.partitions[topicPartition.partition]?.replicas.includes(brokerId) === true;
      // A log that lost its id is taken for the topic of its name: better than to throw its records away.
      const isSame = topicId === null || topicId === topic?.id;
      if (!isOurs || !isSame) logManager.markStray(topicPartition);
    }
  }

  #delete({ topic, topicId, partition: index }: LocalDelete): void {
    const partition = this.#options.registry.get(topicId, index);
    if (partition === undefined) return;
    this.#options.registry.remove(partition);
    partition.remove();
    this.#options.changed(partition);
    this.#options.logManager.deleteLog({ topic, partition: index });
  }

  #become(role: 'leader' | 'follower', change: LocalPartition): void {
    const { registry, partitionContext, environment } = this.#options;
    const { topic, topicId, partition: index, registration } = change;
    let partition = registry.get(topicId, index);
    if (partition === undefined) {
      partition = new Partition(partitionContext, { topic, topicId, index });
      registry.add(partition);
    }
    const log = this.#onStorage(() => this.#logFor(change));
    if (log === null) {
      partition.goOffline();
    } else {
      const isNews = role === 'leader' ? partition.becomeLeader(registration, log) : partition.becomeFollower(registration, log);
      if (isNews) {
        this.#newRoles[role]++;
        const { leaderEpoch, partitionEpoch } = registration;
        environment.logger.debug(`The replica is ${role} now`, { topic, partition: index, leaderEpoch, partitionEpoch });
      }
    }
    this.#options.changed(partition);
  }

  /** Null where the log lies in a directory that is offline: a new one in another directory would hide its records. */
  #logFor(change: LocalPartition): PartitionLog | null {
    const { logManager, brokerId } = this.#options;
    const { topicId, partition, registration } = change;
    const assigned = directoryOf(registration, brokerId) ?? UNASSIGNED_DIRECTORY;
    const log = this.#existingLog(change) ?? this.#newLog(change, assigned);
    if (log === null) return null;
    const directoryId = logManager.directoryIdOf(log.logDirectory);
    if (directoryId !== assigned && !isReservedDirectory(directoryId)) {
      this.#options.directoryChosen({ topicId, partition, directoryId });
    }
    return log;
  }

  #existingLog({ topic, topicId, partition }: LocalPartition): PartitionLog | null {
    const { logManager } = this.#options;
    const topicPartition = { topic, partition };
    const existing = logManager.getLog(topicPartition);
    if (existing === undefined) return null;
    if (existing.topicId === null) existing.assignTopicId(topicId);
    if (existing.topicId === topicId) return existing;
    // What lies here under the topic's name belongs to a topic that is gone.
    logManager.deleteLog(topicPartition);
    return null;
  }

  #newLog({ topic, topicId, partition }: LocalPartition, assigned: string): PartitionLog | null {
    const { logManager, logConfig } = this.#options;
    const isOnline = logManager.directories.some(({ id, isOffline }) => id === assigned && !isOffline);
    const mayBeOffline = logManager.offlinePaths.length > 0 && assigned !== UNASSIGNED_DIRECTORY;
    if (mayBeOffline && !isOnline) return null;
    const topicPartition = { topic, partition };
    return logManager.createLog({ topicPartition, topicId, config: logConfig(topic), directoryId: assigned });
  }

  /** Gives null, and takes the directory offline, when the disk fails. */
  #onStorage<Result>(operation: () => Result): Result | null {
    try {
      return operation();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#options.storageFailed(error);
      return null;
    }
  }

  #applyConfigs(changes: readonly { readonly resourceType: number; readonly resourceName: string }[]): void {
    const isBrokerChanged = changes.some(({ resourceType }) => resourceType === CONFIG_RESOURCE_TYPES.broker);
    const topics = changes.filter(({ resourceType }) => resourceType === CONFIG_RESOURCE_TYPES.topic);
    const { registry } = this.#options;
    const affected = isBrokerChanged
      ? [...registry]
      : topics.flatMap(({ resourceName }) => [...registry.partitionsOf(resourceName)]);
    for (const partition of affected) {
      partition.log?.updateConfig(this.#options.logConfig(partition.topic));
      // The minimum of replicas in sync may be another one.
      partition.maybeAdvanceHighWatermark();
    }
  }
}
