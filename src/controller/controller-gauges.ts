import type { Metrics } from '../base/metrics.ts';
import type { PartitionRegistration } from '../metadata/image/partition-registration.ts';
import { NO_LEADER } from '../metadata/image/partition-registration.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { isActive } from './leader-acceptor.ts';

/** What the gauges are read from. */
export interface GaugedController {
  readonly isActive: boolean;
  readonly image: MetadataImage;
  readonly committedOffset: number;
}

/** The numbers about the cluster that a controller shows, by Kafka's names. Counted when somebody looks. */
export function registerControllerGauges(metrics: Metrics, controller: GaugedController): void {
  const gauge = (name: string, read: () => number): void =>
    metrics.gauge(`kafka.controller:type=KafkaController,name=${name}`, read);
  const brokers = (isCounted: (brokerId: number) => boolean) => (): number =>
    [...controller.image.cluster.brokers.keys()].filter(isCounted).length;
  gauge('ActiveControllerCount', () => (controller.isActive ? 1 : 0));
  gauge(
    'ActiveBrokerCount',
    brokers((id) => isActive(controller.image.cluster, id)),
  );
  gauge(
    'FencedBrokerCount',
    brokers((id) => controller.image.cluster.brokers.get(id)?.fenced === true),
  );
  gauge(
    'ControlledShutdownBrokerCount',
    brokers((id) => isInControlledShutdown(controller.image, id)),
  );
  gauge('GlobalTopicCount', () => controller.image.topics.byId.size);
  gauge('GlobalPartitionCount', () => countPartitions(controller.image, () => true));
  gauge('OfflinePartitionsCount', () => countPartitions(controller.image, ({ leader }) => leader === NO_LEADER));
  gauge('PreferredReplicaImbalanceCount', () =>
    countPartitions(controller.image, ({ leader, replicas }) => leader !== replicas[0]),
  );
  gauge('LastAppliedRecordOffset', () => controller.image.provenance.offset);
  gauge('LastAppliedRecordTimestamp', () => controller.image.provenance.timestamp);
  gauge('LastCommittedRecordOffset', () => controller.committedOffset);
}

function isInControlledShutdown({ cluster }: MetadataImage, brokerId: number): boolean {
  const broker = cluster.brokers.get(brokerId);
  return broker !== undefined && !broker.fenced && broker.inControlledShutdown;
}

function countPartitions({ topics }: MetadataImage, isCounted: (partition: PartitionRegistration) => boolean): number {
  let count = 0;
  for (const { partitions } of topics.byId.values()) for (const partition of partitions) if (isCounted(partition)) count++;
  return count;
}
