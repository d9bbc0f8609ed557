/** What each kind of metadata record holds, decoded: every field present, as the schemas in `records/` give it. */
export interface MetadataRecordValues {
  RegisterBrokerRecord: {
    readonly brokerId: number;
    readonly isMigratingZkBroker: boolean;
    readonly incarnationId: string;
    readonly brokerEpoch: number;
    readonly endPoints: readonly EndPointValue[];
    readonly features: readonly FeatureRangeValue[];
    readonly rack: string | null;
    readonly fenced: boolean;
    readonly inControlledShutdown: boolean;
    readonly logDirs: readonly string[];
    readonly cordonedLogDirs: readonly string[] | null;
  };
  UnregisterBrokerRecord: { readonly brokerId: number; readonly brokerEpoch: number };
  TopicRecord: { readonly name: string; readonly topicId: string };
  PartitionRecord: {
    readonly partitionId: number;
    readonly topicId: string;
    readonly replicas: readonly number[];
    readonly isr: readonly number[];
    readonly removingReplicas: readonly number[];
    readonly addingReplicas: readonly number[];
    readonly leader: number;
    readonly leaderRecoveryState: number;
    readonly leaderEpoch: number;
    readonly partitionEpoch: number;
    readonly directories: readonly string[];
    readonly eligibleLeaderReplicas: readonly number[] | null;
    readonly lastKnownElr: readonly number[] | null;
  };
  ConfigRecord: {
    readonly resourceType: number;
    readonly resourceName: string;
    readonly name: string;
    readonly value: string | null;
  };
  PartitionChangeRecord: {
    readonly partitionId: number;
    readonly topicId: string;
    readonly isr: readonly number[] | null;
    readonly leader: number;
    readonly replicas: readonly number[] | null;
    readonly removingReplicas: readonly number[] | null;
    readonly addingReplicas: readonly number[] | null;
    readonly leaderRecoveryState: number;
    readonly directories: readonly string[] | null;
    readonly eligibleLeaderReplicas: readonly number[] | null;
    readonly lastKnownElr: readonly number[] | null;
  };
  FenceBrokerRecord: { readonly id: number; readonly epoch: number };
  UnfenceBrokerRecord: { readonly id: number; readonly epoch: number };
  RemoveTopicRecord: { readonly topicId: string };
  DelegationTokenRecord: {
    readonly owner: string;
    readonly requester: string;
    readonly renewers: readonly string[];
    readonly issueTimestamp: number;
    readonly maxTimestamp: number;
    readonly expirationTimestamp: number;
    readonly tokenId: string;
  };
  UserScramCredentialRecord: {
    readonly name: string;
    readonly mechanism: number;
    readonly salt: Uint8Array;
    readonly storedKey: Uint8Array;
    readonly serverKey: Uint8Array;
    readonly iterations: number;
  };
  FeatureLevelRecord: { readonly name: string; readonly featureLevel: number };
  ClientQuotaRecord: {
    readonly entity: readonly { readonly entityType: string; readonly entityName: string | null }[];
    readonly key: string;
    readonly value: number;
    readonly remove: boolean;
  };
  ProducerIdsRecord: { readonly brokerId: number; readonly brokerEpoch: number; readonly nextProducerId: number };
  BrokerRegistrationChangeRecord: {
    readonly brokerId: number;
    readonly brokerEpoch: number;
    readonly fenced: number;
    readonly inControlledShutdown: number;
    readonly logDirs: readonly string[];
    readonly cordonedLogDirs: readonly string[] | null;
  };
  AccessControlEntryRecord: {
    readonly id: string;
    readonly resourceType: number;
    readonly resourceName: string;
    readonly patternType: number;
    readonly principal: string;
    readonly host: string;
    readonly operation: number;
    readonly permissionType: number;
  };
  RemoveAccessControlEntryRecord: { readonly id: string };
  NoOpRecord: Readonly<Record<string, never>>;
  ZkMigrationStateRecord: { readonly zkMigrationState: number };
  RemoveUserScramCredentialRecord: { readonly name: string; readonly mechanism: number };
  BeginTransactionRecord: { readonly name: string | null };
  EndTransactionRecord: Readonly<Record<string, never>>;
  AbortTransactionRecord: { readonly reason: string | null };
  RemoveDelegationTokenRecord: { readonly tokenId: string };
  RegisterControllerRecord: {
    readonly controllerId: number;
    readonly incarnationId: string;
    readonly zkMigrationReady: boolean;
    readonly endPoints: readonly EndPointValue[];
    readonly features: readonly FeatureRangeValue[];
  };
  ClearElrRecord: { readonly topicName: string };
  UnregisterControllerRecord: { readonly controllerId: number };
}

export interface EndPointValue {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly securityProtocol: number;
}

export interface FeatureRangeValue {
  readonly name: string;
  readonly minSupportedVersion: number;
  readonly maxSupportedVersion: number;
}

export type MetadataRecordType = keyof MetadataRecordValues;

/** One record of the metadata log: its kind, the version of the schema it is written with, and its fields. */
export interface MetadataRecordOf<T extends MetadataRecordType> {
  readonly type: T;
  readonly version: number;
  readonly value: MetadataRecordValues[T];
}

export type MetadataRecord = { [T in MetadataRecordType]: MetadataRecordOf<T> }[MetadataRecordType];

/** A record from its parts. */
export function metadataRecord<T extends MetadataRecordType>(
  type: T,
  version: number,
  value: MetadataRecordValues[T],
): MetadataRecordOf<T> {
  return { type, version, value };
}
