import type { BrokerConfig } from '../../../config/broker-configs.ts';

/** The directions in which groups may turn while they have members (`group.consumer.migration.policy`). */
export interface Migration {
  /** From classic to consumer. */
  readonly mayUpgrade: boolean;
  /** From consumer to classic. */
  readonly mayDowngrade: boolean;
}

export function migrationOf(config: BrokerConfig): Migration {
  const policy = config['group.consumer.migration.policy'].toUpperCase();
  const isBidirectional = policy === 'BIDIRECTIONAL';
  return { mayUpgrade: isBidirectional || policy === 'UPGRADE', mayDowngrade: isBidirectional || policy === 'DOWNGRADE' };
}
