import { AclsDelta } from './image/acls-image.ts';
import { ClientQuotasDelta } from './image/client-quotas-image.ts';
import { ClusterDelta } from './image/cluster-image.ts';
import { ConfigsDelta } from './image/configs-image.ts';
import { DelegationTokensDelta } from './image/delegation-tokens-image.ts';
import { FeaturesDelta } from './image/features-image.ts';
import { ProducerIdsDelta } from './image/producer-ids-image.ts';
import { ScramDelta } from './image/scram-image.ts';
import { TopicsDelta } from './image/topics-delta.ts';
import type { MetadataImage, MetadataProvenance } from './metadata-image.ts';
import type { MetadataRecord, MetadataRecordOf, MetadataRecordType, MetadataRecordValues } from './metadata-record.ts';

/**
 * Records on top of an image, and the image that comes of them. Parts that no record touched are null, and `apply` shares them with
 * the image before; so the cost of a change is that of the change.
 */
export class MetadataDelta {
  readonly image: MetadataImage;
  features: FeaturesDelta | null = null;
  cluster: ClusterDelta | null = null;
  topics: TopicsDelta | null = null;
  configs: ConfigsDelta | null = null;
  clientQuotas: ClientQuotasDelta | null = null;
  producerIds: ProducerIdsDelta | null = null;
  acls: AclsDelta | null = null;
  scram: ScramDelta | null = null;
  delegationTokens: DelegationTokensDelta | null = null;

  constructor(image: MetadataImage) {
    this.image = image;
  }

  /** Records of transactions (begin, end, abort) and no-ops change nothing here: the loader has dealt with them. */
  replay(record: MetadataRecord): void {
    replayOne(this, record);
  }

  /** After the records of a snapshot, on top of whatever was known before: what the snapshot does not mention is gone. */
  finishSnapshot(): void {
    for (const part of PARTS) open[part](this).finishSnapshot();
  }

  apply(provenance: MetadataProvenance): MetadataImage {
    return {
      provenance,
      features: this.features?.apply() ?? this.image.features,
      cluster: this.cluster?.apply() ?? this.image.cluster,
      topics: this.topics?.apply() ?? this.image.topics,
      configs: this.configs?.apply() ?? this.image.configs,
      clientQuotas: this.clientQuotas?.apply() ?? this.image.clientQuotas,
      producerIds: this.producerIds?.apply() ?? this.image.producerIds,
      acls: this.acls?.apply() ?? this.image.acls,
      scram: this.scram?.apply() ?? this.image.scram,
      delegationTokens: this.delegationTokens?.apply() ?? this.image.delegationTokens,
    };
  }
}

/** The delta of each part, made when the first record touches it. */
const open = {
  features: (delta: MetadataDelta) => (delta.features ??= new FeaturesDelta(delta.image.features)),
  cluster: (delta: MetadataDelta) => (delta.cluster ??= new ClusterDelta(delta.image.cluster)),
  topics: (delta: MetadataDelta) => (delta.topics ??= new TopicsDelta(delta.image.topics)),
  configs: (delta: MetadataDelta) => (delta.configs ??= new ConfigsDelta(delta.image.configs)),
  clientQuotas: (delta: MetadataDelta) => (delta.clientQuotas ??= new ClientQuotasDelta(delta.image.clientQuotas)),
  producerIds: (delta: MetadataDelta) => (delta.producerIds ??= new ProducerIdsDelta(delta.image.producerIds)),
  acls: (delta: MetadataDelta) => (delta.acls ??= new AclsDelta(delta.image.acls)),
  scram: (delta: MetadataDelta) => (delta.scram ??= new ScramDelta(delta.image.scram)),
  delegationTokens: (delta: MetadataDelta) =>
    (delta.delegationTokens ??= new DelegationTokensDelta(delta.image.delegationTokens)),
};

const PARTS: readonly (keyof typeof open)[] = [
  'features',
  'cluster',
  'topics',
  'configs',
  'clientQuotas',
  'producerIds',
  'acls',
  'scram',
  'delegationTokens',
];

type Replayers = { readonly [T in MetadataRecordType]: (delta: MetadataDelta, value: MetadataRecordValues[T]) => void };

const nothing = (): void => undefined;

/** What each kind of record changes. */
const REPLAYERS: Replayers = {
  RegisterBrokerRecord: (delta, value) => open.cluster(delta).replayRegisterBroker(value),
  UnregisterBrokerRecord: (delta, value) => open.cluster(delta).replayUnregisterBroker(value),
  FenceBrokerRecord: (delta, value) => open.cluster(delta).replayFence(value.id, value.epoch, true),
  UnfenceBrokerRecord: (delta, value) => open.cluster(delta).replayFence(value.id, value.epoch, false),
  BrokerRegistrationChangeRecord: (delta, value) => open.cluster(delta).replayRegistrationChange(value),
  RegisterControllerRecord: (delta, value) => open.cluster(delta).replayRegisterController(value),
  UnregisterControllerRecord: (delta, value) => open.cluster(delta).replayUnregisterController(value),
  TopicRecord: (delta, value) => open.topics(delta).replayTopic(value),
  PartitionRecord: (delta, value) => open.topics(delta).replayPartition(value),
  PartitionChangeRecord: (delta, value) => open.topics(delta).replayPartitionChange(value),
  RemoveTopicRecord: (delta, value) => open.configs(delta).replayRemoveTopic(open.topics(delta).replayRemoveTopic(value)),
  ClearElrRecord: (delta, value) => open.topics(delta).replayClearElr(value),
  FeatureLevelRecord: (delta, value) => open.features(delta).replayFeatureLevel(value),
  ConfigRecord: (delta, value) => open.configs(delta).replayConfig(value),
  ClientQuotaRecord: (delta, value) => open.clientQuotas(delta).replayClientQuota(value),
  ProducerIdsRecord: (delta, value) => open.producerIds(delta).replayProducerIds(value),
  AccessControlEntryRecord: (delta, value) => open.acls(delta).replayAccessControlEntry(value),
  RemoveAccessControlEntryRecord: (delta, value) => open.acls(delta).replayRemoveAccessControlEntry(value),
  UserScramCredentialRecord: (delta, value) => open.scram(delta).replayUserScramCredential(value),
  RemoveUserScramCredentialRecord: (delta, value) => open.scram(delta).replayRemoveUserScramCredential(value),
  DelegationTokenRecord: (delta, value) => open.delegationTokens(delta).replayDelegationToken(value),
  RemoveDelegationTokenRecord: (delta, value) => open.delegationTokens(delta).replayRemoveDelegationToken(value),
  NoOpRecord: nothing,
  ZkMigrationStateRecord: nothing,
  BeginTransactionRecord: nothing,
  EndTransactionRecord: nothing,
  AbortTransactionRecord: nothing,
};

function replayOne<T extends MetadataRecordType>(delta: MetadataDelta, record: MetadataRecordOf<T>): void {
  REPLAYERS[record.type](delta, record.value);
}
