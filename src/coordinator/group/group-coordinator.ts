import type { Environment } from '../../base/environment.ts';
import { FewAtOnce } from '../../base/few-at-once.ts';
import type { TimerQueue } from '../../base/timer-queue.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { MetadataDelta } from '../../metadata/metadata-delta.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { CoordinatorRuntime } from '../runtime/coordinator-runtime.ts';
import { ID_LENGTH_MAX } from '../runtime/id-length.ts';
import type { CoordinatorLoader, PartitionWriter } from '../runtime/partition-writer.ts';
import { partitionOfId } from '../../base/bytes/murmur2.ts';
import { GroupCoordinatorShard } from './group-coordinator-shard.ts';
import { type GroupRecord, groupRecordSerde } from './group-record.ts';

/** Searches for the topics of regular expressions that take turns at a time. */
const SEARCHES_MAX = 2;

export const GROUP_TOPIC = '__consumer_offsets';

export interface GroupCoordinatorOptions {
  readonly timers: TimerQueue;
  readonly configs: ConfigStore;
  readonly metadata: () => MetadataImage;
  readonly writer: PartitionWriter;
  readonly loader: CoordinatorLoader;
}

/** The group coordinator of this broker: serves the groups whose partition of __consumer_offsets it leads. */
export class GroupCoordinator {
  readonly runtime: CoordinatorRuntime<GroupCoordinatorShard, GroupRecord>;
  readonly #options: GroupCoordinatorOptions;

  constructor(environment: Environment, options: GroupCoordinatorOptions) {
    this.#options = options;
    const { configs, timers, metadata, writer, loader } = options;
    const config = () => configs.broker();
    const searches = new FewAtOnce(SEARCHES_MAX);
    this.runtime = new CoordinatorRuntime(environment, {
      name: 'group coordinator',
      timers,
      serde: groupRecordSerde,
      writer,
      loader,
      metadata,
      lingerMs: () => config()['group.coordinator.append.linger.ms'],
      writeTimeoutMs: () => config()['offsets.commit.timeout.ms'],
      makeShard: (context) =>
        new GroupCoordinatorShard(context, { config, groupConfig: (groupId) => configs.group(groupId), searches }),
    });
  }

  /** The partition of __consumer_offsets that keeps a group: as many as the topic has, or will have. Throws INVALID_GROUP_ID for one that nobody may have. */
  partitionOf(groupId: string): number {
    if (groupId.length > ID_LENGTH_MAX) throw new KafkaError('INVALID_GROUP_ID');
    const existing = this.#options.metadata().topics.byName.get(GROUP_TOPIC)?.partitions.length;
    return partitionOfId(groupId, existing ?? this.#options.configs.broker()['offsets.topic.num.partitions']);
  }

  /** This broker leads a partition of __consumer_offsets. */
  becomeLeader(partition: number, leaderEpoch: number): Promise<void> {
    return this.runtime.becomeLeader(partition, leaderEpoch);
  }

  /** It does no longer. */
  resign(partition: number): void {
    this.runtime.resign(partition);
  }

  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    this.runtime.metadataChanged(delta, image);
  }

  close(): void {
    this.runtime.close();
  }
}
