import type { MetadataDelta } from '../../metadata/metadata-delta.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import type { BrokerConfig } from '../../config/broker-configs.ts';
import type { GroupConfig } from '../../config/group-configs.ts';
import type { CoordinatorShard, ReplayContext, ShardContext } from '../runtime/coordinator-shard.ts';
import { ClassicGroups } from './classic/classic-groups.ts';
import { ConsumerGroups } from './consumer/consumer-groups.ts';
import type { GroupRecord } from './group-record.ts';
import { GroupRegistry } from './group-registry.ts';
import type { GroupShardContext } from './group-shard-context.ts';
import { Offsets } from './offsets/offsets.ts';
import { SimpleGroup } from './offsets/simple-group.ts';

export interface GroupCoordinatorShardOptions {
  readonly config: () => BrokerConfig;
  readonly groupConfig: (groupId: string) => GroupConfig;
}

/** The groups of one partition of __consumer_offsets. Kafka: GroupCoordinatorShard. */
export class GroupCoordinatorShard implements CoordinatorShard<GroupRecord> {
  readonly groups: GroupRegistry;
  readonly classic: ClassicGroups;
  readonly consumer: ConsumerGroups;
  readonly offsets: Offsets;

  constructor(shardContext: ShardContext<GroupRecord>, options: GroupCoordinatorShardOptions) {
    this.groups = new GroupRegistry(shardContext.timeline);
    const context: GroupShardContext = { ...shardContext, ...options, groups: this.groups };
    this.consumer = new ConsumerGroups(context);
    this.classic = new ClassicGroups(context);
    this.offsets = new Offsets(context, (groupId) => new SimpleGroup(groupId));
  }

  replay(record: GroupRecord, context: ReplayContext): void {
    switch (record.type) {
      case 'LegacyOffsetCommit':
      case 'OffsetCommit':
        this.offsets.replay(record, context);
        break;
      case 'GroupMetadata':
        this.classic.replay(record);
        break;
      default:
        this.consumer.replay(record);
    }
  }

  replayEndOfTransaction(producerId: number, _producerEpoch: number, outcome: 'commit' | 'abort'): void {
    this.offsets.replayEndOfTransaction(producerId, outcome);
  }

  loaded(): void {
    this.classic.loaded();
    this.consumer.loaded();
    this.offsets.loaded();
  }

  unloaded(): void {
    this.classic.unloaded();
    this.consumer.unloaded();
  }

  metadataChanged(delta: MetadataDelta, _image: MetadataImage): void {
    // Groups look at the image when their members ask.
    this.offsets.metadataChanged(delta);
  }
}
