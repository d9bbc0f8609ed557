import { unreachable } from '../../base/assert.ts';
import type { FewAtOnce } from '../../base/few-at-once.ts';
import type { MetadataDelta } from '../../metadata/metadata-delta.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import type { BrokerConfig } from '../../config/broker-configs.ts';
import type { GroupConfig } from '../../config/group-configs.ts';
import type { CoordinatorShard, ReplayContext, ShardContext } from '../runtime/coordinator-shard.ts';
import { type ClassicProtocol, noClassicMembers } from './classic-protocol.ts';
import { ClassicGroups } from './classic/classic-groups.ts';
import { ConsumerGroups } from './consumer/consumer-groups.ts';
import type { GroupRecord } from './group-record.ts';
import { GroupRegistry } from './group-registry.ts';
import type { GroupShardContext } from './group-shard-context.ts';
import { Offsets } from './offsets/offsets.ts';

export interface GroupCoordinatorShardOptions {
  readonly config: () => BrokerConfig;
  readonly groupConfig: (groupId: string) => GroupConfig;
  readonly searches: FewAtOnce;
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
    this.classic = new ClassicGroups(context);
    this.consumer = new ConsumerGroups(context, this.classic);
    this.offsets = new Offsets(context, (groupId) => this.classic.newGroup(groupId));
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

  /** Who answers members of the classic protocol. Groups of another kind that have no members make room for a classic one, but for share groups. */
  classicProtocol(groupId: string): ClassicProtocol {
    const group = this.groups.get(groupId);
    if (group === undefined) return this.classic;
    switch (group.type) {
      case 'classic':
        return this.classic;
      case 'consumer':
        return group.isEmpty() ? this.classic : this.consumer.classicMembers;
      case 'streams':
        return group.isEmpty() ? this.classic : noClassicMembers;
      case 'share':
        return noClassicMembers;
      default:
        return unreachable(group.type);
    }
  }

  loaded(image: MetadataImage): void {
    this.classic.loaded();
    this.consumer.loaded(image);
    this.offsets.loaded();
  }

  unloaded(): void {
    this.classic.unloaded();
    this.consumer.unloaded();
  }

  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    this.consumer.metadataChanged(delta, image);
    this.offsets.metadataChanged(delta);
  }
}
