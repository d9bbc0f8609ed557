import { registerBrokerRecord } from './00-register-broker-record.ts';
import { unregisterBrokerRecord } from './01-unregister-broker-record.ts';
import { topicRecord } from './02-topic-record.ts';
import { partitionRecord } from './03-partition-record.ts';
import { configRecord } from './04-config-record.ts';
import { partitionChangeRecord } from './05-partition-change-record.ts';
import { fenceBrokerRecord } from './07-fence-broker-record.ts';
import { unfenceBrokerRecord } from './08-unfence-broker-record.ts';
import { removeTopicRecord } from './09-remove-topic-record.ts';
import { delegationTokenRecord } from './10-delegation-token-record.ts';
import { userScramCredentialRecord } from './11-user-scram-credential-record.ts';
import { featureLevelRecord } from './12-feature-level-record.ts';
import { clientQuotaRecord } from './14-client-quota-record.ts';
import { producerIdsRecord } from './15-producer-ids-record.ts';
import { brokerRegistrationChangeRecord } from './17-broker-registration-change-record.ts';
import { accessControlEntryRecord } from './18-access-control-entry-record.ts';
import { removeAccessControlEntryRecord } from './19-remove-access-control-entry-record.ts';
import { noOpRecord } from './20-no-op-record.ts';
import { zkMigrationStateRecord } from './21-zk-migration-state-record.ts';
import { removeUserScramCredentialRecord } from './22-remove-user-scram-credential-record.ts';
import { beginTransactionRecord } from './23-begin-transaction-record.ts';
import { endTransactionRecord } from './24-end-transaction-record.ts';
import { abortTransactionRecord } from './25-abort-transaction-record.ts';
import { removeDelegationTokenRecord } from './26-remove-delegation-token-record.ts';
import { registerControllerRecord } from './27-register-controller-record.ts';
import { clearElrRecord } from './28-clear-elr-record.ts';
import { unregisterControllerRecord } from './29-unregister-controller-record.ts';

/** Every record type of the metadata log, by name, in order of key. */
export const metadataRecords = {
  RegisterBrokerRecord: registerBrokerRecord,
  UnregisterBrokerRecord: unregisterBrokerRecord,
  TopicRecord: topicRecord,
  PartitionRecord: partitionRecord,
  ConfigRecord: configRecord,
  PartitionChangeRecord: partitionChangeRecord,
  FenceBrokerRecord: fenceBrokerRecord,
  UnfenceBrokerRecord: unfenceBrokerRecord,
  RemoveTopicRecord: removeTopicRecord,
  DelegationTokenRecord: delegationTokenRecord,
  UserScramCredentialRecord: userScramCredentialRecord,
  FeatureLevelRecord: featureLevelRecord,
  ClientQuotaRecord: clientQuotaRecord,
  ProducerIdsRecord: producerIdsRecord,
  BrokerRegistrationChangeRecord: brokerRegistrationChangeRecord,
  AccessControlEntryRecord: accessControlEntryRecord,
  RemoveAccessControlEntryRecord: removeAccessControlEntryRecord,
  NoOpRecord: noOpRecord,
  ZkMigrationStateRecord: zkMigrationStateRecord,
  RemoveUserScramCredentialRecord: removeUserScramCredentialRecord,
  BeginTransactionRecord: beginTransactionRecord,
  EndTransactionRecord: endTransactionRecord,
  AbortTransactionRecord: abortTransactionRecord,
  RemoveDelegationTokenRecord: removeDelegationTokenRecord,
  RegisterControllerRecord: registerControllerRecord,
  ClearElrRecord: clearElrRecord,
  UnregisterControllerRecord: unregisterControllerRecord,
} as const;
