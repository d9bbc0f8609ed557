import { brokerGroupConfigs } from './broker/group-configs.ts';
import { brokerLogConfigs } from './broker/log-configs.ts';
import { networkConfigs } from './broker/network-configs.ts';
import { nodeConfigs } from './broker/node-configs.ts';
import { quorumConfigs } from './broker/quorum-configs.ts';
import { remoteLogConfigs } from './broker/remote-log-configs.ts';
import { replicationConfigs } from './broker/replication-configs.ts';
import { saslConfigs } from './broker/sasl-configs.ts';
import { securityConfigs } from './broker/security-configs.ts';
import { shareConfigs } from './broker/share-configs.ts';
import { transactionConfigs } from './broker/transaction-configs.ts';
import { defineConfigs, type Values } from './define-configs.ts';

/** Every config of a node, as in server.properties. */
export const brokerConfigs = defineConfigs('broker', {
  ...nodeConfigs,
  ...remoteLogConfigs,
  ...shareConfigs,
  ...brokerGroupConfigs,
  ...transactionConfigs,
  ...saslConfigs,
  ...securityConfigs,
  ...quorumConfigs,
  ...brokerLogConfigs,
  ...networkConfigs,
  ...replicationConfigs,
});

export type BrokerConfig = Values<typeof brokerConfigs>;
