import type { Logger } from '../../../base/logger.ts';
import type { PartitionAssignor } from '../assignors/partition-assignor.ts';
import type { ClassicGroups } from '../classic/classic-groups.ts';
import type { GroupClient } from '../classic-protocol.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import type { ConsumerGroupTimers } from './consumer-group-timers.ts';
import type { MetadataHashes } from './metadata-hashes.ts';
import type { RegularExpressions } from './regular-expressions.ts';

/** What the parts of the consumer groups of one shard share. */
export interface ConsumerGroupContext extends GroupShardContext {
  readonly classic: ClassicGroups;
  readonly log: Logger;
  readonly timers: ConsumerGroupTimers;
  readonly hashes: MetadataHashes;
  readonly regularExpressions: RegularExpressions;
  /** By name, in the order in which they are configured: the first is the default. */
  readonly assignors: () => ReadonlyMap<string, PartitionAssignor>;
}

/** Who asks. */
export interface ConsumerClient extends GroupClient {
  /** Whether it may know of the topic: a regular expression does not find others. */
  readonly mayDescribe: (topic: string) => boolean;
}
