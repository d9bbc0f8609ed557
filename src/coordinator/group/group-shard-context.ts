import type { FewAtOnce } from '../../base/few-at-once.ts';
import type { BrokerConfig } from '../../config/broker-configs.ts';
import type { GroupConfig } from '../../config/group-configs.ts';
import type { ShardContext } from '../runtime/coordinator-shard.ts';
import type { GroupRecord } from './group-record.ts';
import type { GroupRegistry } from './group-registry.ts';

/** What the parts of a group coordinator's shard share. */
export interface GroupShardContext extends ShardContext<GroupRecord> {
  readonly groups: GroupRegistry;
  /** As it is set now: `group.initial.rebalance.delay.ms`, `offsets.retention.minutes` … */
  readonly config: () => BrokerConfig;
  /** What is set for one group, over what is set for all. */
  readonly groupConfig: (groupId: string) => GroupConfig;
  /** Of all shards: searches for the topics of regular expressions. Each takes turns, and so has everybody else wait for one of each of them. */
  readonly searches: FewAtOnce;
}
