import type { Environment } from '../base/environment.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { Texts } from '../config/effective.ts';
import type { GroupCoordinator } from '../coordinator/group/group-coordinator.ts';
import type { TransactionCoordinator } from '../coordinator/transaction/transaction-coordinator.ts';
import type { ReplicaManager } from '../replication/replica-manager.ts';
import type { Authorizer } from '../security/authorizer.ts';
import type { LogManager } from '../storage/log-manager.ts';
import type { BrokerMetadata } from './broker-metadata.ts';
import type { FetchSessionCache } from './fetch-session-cache.ts';
import type { ControllerChannel } from './forwarding.ts';
import type { LogLevels } from './log-levels.ts';
import type { TransactionVerifier } from './transaction-verifier.ts';
import type { ProducerIds } from './producer-ids.ts';

/** Whom the handlers ask. */
export interface BrokerServices {
  readonly environment: Environment;
  readonly brokerId: number;
  readonly clusterId: string;
  readonly metadata: BrokerMetadata;
  readonly replicaManager: ReplicaManager;
  readonly logManager: LogManager;
  readonly configs: ConfigStore;
  readonly controller: ControllerChannel;
  readonly authorizer: Authorizer;
  readonly fetchSessions: FetchSessionCache;
  readonly producerIds: ProducerIds;
  readonly groupCoordinator: GroupCoordinator;
  readonly transactionCoordinator: TransactionCoordinator;
  readonly transactionVerifier: TransactionVerifier;
  /** Throws a KafkaError if what is to be set for this broker (or, with an empty name, for all) names keys and certificates that cannot be used. */
  readonly checkStores?: (resourceName: string, texts: Texts, alteredNames: readonly string[]) => void;
  /** Left out: the levels of this node's log stay as they are. */
  readonly logLevels?: LogLevels;
}
