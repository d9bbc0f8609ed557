import type { Millis } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { NodeEndpoint } from '../metadata/image/cluster-image.ts';
import { featureLevel, metadataVersionOf } from '../metadata/image/features-image.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { ELR_VERSION_FEATURE } from '../metadata/supported-features.ts';
import type { QuorumDescription } from '../raft/describe-quorum.ts';
import type { BrokerSessions } from './broker-sessions.ts';
import type { ControllerConfigs } from './controller-configs.ts';
import type { PartitionRules } from './partition-change.ts';

/** What a controller is told when it is made. Names in comments are Kafka's configs. */
export interface ControllerSettings {
  readonly nodeId: number;
  readonly clusterId: string;
  /** Where brokers and other controllers find this one; empty for a quorum of one inside a single process. */
  readonly endpoints: readonly NodeEndpoint[];
  /** Tells this process from those that ran as the same node before it. */
  readonly incarnationId: string;
  /** num.partitions, default.replication.factor. */
  readonly defaultPartitions: number;
  readonly defaultReplicationFactor: number;
  /** min.insync.replicas: becomes the cluster's when eligible leader replicas come into use. */
  readonly defaultMinInsyncReplicas: number;
  /** broker.session.timeout.ms. */
  readonly sessionTimeoutMs: Millis;
  /** metadata.max.idle.interval.ms; 0 for never. */
  readonly maxIdleIntervalMs: Millis;
  /** delete.topic.enable. */
  readonly isTopicDeletionEnabled: boolean;
}

/**
 * What the controls decide from. The image holds everything that was decided so far, committed or not: the next decision must see the
 * last one. Nothing in here is changed by a control.
 */
export interface ControllerView {
  readonly image: MetadataImage;
  readonly settings: ControllerSettings;
  readonly configs: ControllerConfigs;
  readonly sessions: BrokerSessions;
  readonly random: Random;
  /** What this controller, as the leader of the metadata quorum, knows about it. */
  readonly quorum: QuorumDescription | null;
  /** The offset that the next record gets. */
  readonly nextOffset: number;
  /** The offset of the record by which a broker registered last. */
  registrationOffset(brokerId: number): number;
}

export const isElrEnabled = ({ image }: ControllerView): boolean => featureLevel(image.features, ELR_VERSION_FEATURE) > 0;

export function partitionRules(view: ControllerView, topicName: string): PartitionRules {
  return {
    metadataVersion: metadataVersionOf(view.image.features),
    isElrEnabled: isElrEnabled(view),
    minInsyncReplicas: view.configs.minInsyncReplicas(view.image.configs, topicName),
  };
}
