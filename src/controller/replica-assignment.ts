import { UNASSIGNED_DIRECTORY } from '../base/uuid.ts';
import { MIGRATING_DIRECTORY } from '../base/uuid.ts';
import type { BrokerRegistration } from '../metadata/image/cluster-image.ts';
import { metadataVersionOf } from '../metadata/image/features-image.ts';
import { type PartitionRegistration, partitionRecord } from '../metadata/image/partition-registration.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { KafkaError } from '../protocol/errors.ts';
import { type ControllerView, isElrEnabled } from './controller-view.ts';
import { isActive } from './leader-acceptor.ts';
import { placeReplicas, type UsableBroker } from './replica-placer.ts';

const invalid = (message: string): KafkaError => new KafkaError('INVALID_REPLICA_ASSIGNMENT', message);

/** Checks what somebody assigned by hand. `replicationFactor` is that of the other partitions. Throws INVALID_REPLICA_ASSIGNMENT. */
export function checkAssignment({ image }: ControllerView, brokerIds: readonly number[], replicationFactor: number | null): void {
  if (brokerIds.length === 0) throw invalid('The manual partition assignment includes an empty replica list.');
  const ordered = [...brokerIds].sort((a, b) => a - b);
  for (const [at, brokerId] of ordered.entries()) {
    if (!image.cluster.brokers.has(brokerId)) {
      throw invalid(`The manual partition assignment includes broker ${brokerId}, but no such broker is registered.`);
    }
    if (brokerId === ordered[at - 1]) {
      throw invalid(`The manual partition assignment includes the broker ${brokerId} more than once.`);
    }
  }
  if (replicationFactor !== null && brokerIds.length !== replicationFactor) {
    throw invalid(
      `The manual partition assignment includes a partition with ${brokerIds.length} replica(s), but this is not ` +
        `consistent with previous partitions, which have ${replicationFactor} replica(s).`,
    );
  }
}

/** Who of the replicas can be in sync at the start. */
export const activeReplicas = ({ image }: ControllerView, brokerIds: readonly number[]): number[] =>
  brokerIds.filter((brokerId) => isActive(image.cluster, brokerId));

export const noActiveReplica = (partition: number): KafkaError =>
  invalid(
    `All brokers specified in the manual partition assignment for partition ${partition} are fenced or in controlled shutdown.`,
  );

/** Replicas for new partitions, with at least one active broker in each. Throws INVALID_REPLICATION_FACTOR. */
export function placeAutomatically(view: ControllerView, partitions: number, replicationFactor: number): number[][] {
  const placed = placeReplicas(usableBrokers(view), { partitions, replicationFactor, random: view.random });
  if (placed.some((brokerIds) => activeReplicas(view, brokerIds).length === 0)) {
    throw new KafkaError('INVALID_REPLICATION_FACTOR', 'All brokers are currently fenced or in controlled shutdown.');
  }
  return placed;
}

/** Brokers in controlled shutdown can take replicas, for they come back; those without a directory that takes any cannot. */
function usableBrokers({ image }: ControllerView): UsableBroker[] {
  return [...image.cluster.brokers.values()].filter(
    ({ logDirs, cordonedLogDirs }) =>
      logDirs.length === 0 || cordonedLogDirs === null || logDirs.some((id) => !cordonedLogDirs.includes(id)),
  );
}

/** A partition at its birth: the first active replica leads. */
export function newPartition(view: ControllerView, brokerIds: readonly number[]): PartitionRegistration {
  const isr = activeReplicas(view, brokerIds);
  const { brokers } = view.image.cluster;
  return {
    replicas: brokerIds,
    directories: brokerIds.map((brokerId) => defaultDirectory(brokers.get(brokerId))),
    isr,
    removingReplicas: [],
    addingReplicas: [],
    elr: [],
    lastKnownElr: [],
    leader: isr[0] ?? -1,
    leaderRecoveryState: 'recovered',
    leaderEpoch: 0,
    partitionEpoch: 0,
  };
}

/** A broker with one directory puts everything there; one with several will say where it put the replica. */
function defaultDirectory(broker: BrokerRegistration | undefined): string {
  const [first, ...others] = broker?.logDirs ?? [];
  if (first === undefined) return MIGRATING_DIRECTORY;
  return others.length === 0 ? first : UNASSIGNED_DIRECTORY;
}

export function newPartitionRecord(
  view: ControllerView,
  place: { readonly topicId: string; readonly index: number },
  brokerIds: readonly number[],
): MetadataRecord {
  return partitionRecord(place.topicId, place.index, newPartition(view, brokerIds), {
    metadataVersion: metadataVersionOf(view.image.features),
    isElrEnabled: isElrEnabled(view),
  });
}
