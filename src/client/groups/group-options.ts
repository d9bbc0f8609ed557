import type { ConsumerOptions } from '../consumer-options.ts';
import type { ClassicAssignorName } from './assignors/index.ts';

/** What a member of a group can be told; names and defaults are those of Kafka's consumer. */
export interface GroupOptions extends ConsumerOptions {
  readonly groupId: string;
  /** classic: the members assign; consumer: the coordinator does (KIP-848). */
  readonly protocol?: 'classic' | 'consumer';
  /** Makes a static member, whose partitions wait for it through a restart (KIP-345). */
  readonly groupInstanceId?: string | null;
  /** Classic only; with the consumer protocol the broker says. */
  readonly sessionTimeoutMs?: number;
  readonly heartbeatIntervalMs?: number;
  /** A member that does not poll for so long leaves; also how long others wait for it in a rebalance. */
  readonly maxPollIntervalMs?: number;
  /** Classic only, in order of preference. */
  readonly assignors?: readonly ClassicAssignorName[];
  /** Consumer protocol only: uniform or range; the broker's first if null. */
  readonly remoteAssignor?: string | null;
  readonly enableAutoCommit?: boolean;
  readonly autoCommitIntervalMs?: number;
}

export type GroupSettings = Required<Omit<GroupOptions, keyof ConsumerOptions>> & { readonly clientRack: string };

const groupDefaults = {
  protocol: 'classic',
  groupInstanceId: null,
  sessionTimeoutMs: 45_000,
  heartbeatIntervalMs: 3000,
  maxPollIntervalMs: 300_000,
  assignors: ['range', 'cooperative-sticky'],
  remoteAssignor: null,
  enableAutoCommit: true,
  autoCommitIntervalMs: 5000,
  clientRack: '',
} as const satisfies Omit<GroupSettings, 'groupId'>;

/** Fills in the defaults; an option given as undefined counts as not given. */
export function groupSettings(options: GroupOptions): GroupSettings {
  const known = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...groupDefaults, groupId: options.groupId, ...known };
}
