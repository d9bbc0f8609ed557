import type { AclsImage } from './image/acls-image.ts';
import { aclRecords, EMPTY_ACLS } from './image/acls-image.ts';
import type { ClientQuotasImage } from './image/client-quotas-image.ts';
import { clientQuotaRecords, EMPTY_CLIENT_QUOTAS } from './image/client-quotas-image.ts';
import type { ClusterImage } from './image/cluster-image.ts';
import { clusterRecords, EMPTY_CLUSTER } from './image/cluster-image.ts';
import type { ConfigsImage } from './image/configs-image.ts';
import { configRecords, EMPTY_CONFIGS } from './image/configs-image.ts';
import type { DelegationTokensImage } from './image/delegation-tokens-image.ts';
import { delegationTokenRecords, EMPTY_DELEGATION_TOKENS } from './image/delegation-tokens-image.ts';
import type { FeaturesImage } from './image/features-image.ts';
import { EMPTY_FEATURES, featureLevel, featureRecords, metadataVersionOf } from './image/features-image.ts';
import type { ProducerIdsImage } from './image/producer-ids-image.ts';
import { EMPTY_PRODUCER_IDS, producerIdsRecords } from './image/producer-ids-image.ts';
import type { ScramImage } from './image/scram-image.ts';
import { EMPTY_SCRAM, scramRecords } from './image/scram-image.ts';
import type { TopicsImage } from './image/topics-image.ts';
import { EMPTY_TOPICS, topicRecords } from './image/topics-image.ts';
import type { MetadataRecord } from './metadata-record.ts';
import { ELR_VERSION_FEATURE } from './supported-features.ts';

/** Up to where in the metadata log an image reaches. */
export interface MetadataProvenance {
  /** The last offset that is contained; -1 for none. */
  readonly offset: number;
  readonly epoch: number;
  /** When the last contained batch was appended. */
  readonly timestamp: number;
}

/**
 * Everything the cluster agreed on, at one offset of the metadata log. Immutable: a reader may keep it as long as it likes, and
 * two readers of the same image see the same cluster.
 */
export interface MetadataImage {
  readonly provenance: MetadataProvenance;
  readonly features: FeaturesImage;
  readonly cluster: ClusterImage;
  readonly topics: TopicsImage;
  readonly configs: ConfigsImage;
  readonly clientQuotas: ClientQuotasImage;
  readonly producerIds: ProducerIdsImage;
  readonly acls: AclsImage;
  readonly scram: ScramImage;
  readonly delegationTokens: DelegationTokensImage;
}

export const EMPTY_METADATA_IMAGE: MetadataImage = {
  provenance: { offset: -1, epoch: -1, timestamp: -1 },
  features: EMPTY_FEATURES,
  cluster: EMPTY_CLUSTER,
  topics: EMPTY_TOPICS,
  configs: EMPTY_CONFIGS,
  clientQuotas: EMPTY_CLIENT_QUOTAS,
  producerIds: EMPTY_PRODUCER_IDS,
  acls: EMPTY_ACLS,
  scram: EMPTY_SCRAM,
  delegationTokens: EMPTY_DELEGATION_TOKENS,
};

/** The records that make this image out of an empty one: what a snapshot holds. */
export function* recordsOfImage(image: MetadataImage): Generator<MetadataRecord> {
  const metadataVersion = metadataVersionOf(image.features);
  const isElrEnabled = featureLevel(image.features, ELR_VERSION_FEATURE) > 0;
  yield* featureRecords(image.features);
  yield* clusterRecords(image.cluster, metadataVersion);
  yield* topicRecords(image.topics, { metadataVersion, isElrEnabled });
  yield* configRecords(image.configs);
  yield* clientQuotaRecords(image.clientQuotas);
  yield* producerIdsRecords(image.producerIds);
  yield* aclRecords(image.acls);
  yield* scramRecords(image.scram);
  yield* delegationTokenRecords(image.delegationTokens);
}
