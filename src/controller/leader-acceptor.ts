import { isReservedDirectory, LOST_DIRECTORY } from '../base/uuid.ts';
import type { BrokerRegistration, ClusterImage } from '../metadata/image/cluster-image.ts';
import { directoryOf, type PartitionRegistration } from '../metadata/image/partition-registration.ts';

/** Whether a broker may hold leaderships: it is registered, not fenced and not on its way out. */
export function isActive(cluster: ClusterImage, brokerId: number): boolean {
  const broker = cluster.brokers.get(brokerId);
  return broker !== undefined && !broker.fenced && !broker.inControlledShutdown;
}

/**
 * Whether a directory holds what is in it. Those that were lost do not; of those without a name, and of brokers that never said
 * which they have, the best is assumed.
 */
export function hasOnlineDirectory(broker: BrokerRegistration, directoryId: string): boolean {
  if (directoryId === LOST_DIRECTORY) return false;
  if (isReservedDirectory(directoryId) || broker.logDirs.length === 0) return true;
  return broker.logDirs.includes(directoryId);
}

/** Whether a replica of the partition can lead it, as far as its broker and its directory go. */
export function canLead(
  cluster: ClusterImage,
  partition: PartitionRegistration,
  replica: number,
  isAcceptableBroker: (brokerId: number) => boolean = (brokerId) => isActive(cluster, brokerId),
): boolean {
  const broker = cluster.brokers.get(replica);
  const directory = directoryOf(partition, replica);
  if (broker === undefined || directory === undefined) return false;
  return isAcceptableBroker(replica) && hasOnlineDirectory(broker, directory);
}
