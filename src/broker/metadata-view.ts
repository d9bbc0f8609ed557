import { hasOnlineDirectory } from '../controller/leader-acceptor.ts';
import type { BrokerRegistration } from '../metadata/image/cluster-image.ts';
import { directoryOf, type PartitionRegistration } from '../metadata/image/partition-registration.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { codeOf } from '../protocol/errors.ts';

/** What answers say of a broker: its address on the listener over which the request came. */
export interface BrokerNode {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
  readonly rack: string | null;
}

const nodeOn = (broker: BrokerRegistration, listenerName: string): BrokerNode | null => {
  const endpoint = broker.listeners.get(listenerName);
  if (endpoint === undefined) return null;
  return { nodeId: broker.id, host: endpoint.host, port: endpoint.port, rack: broker.rack };
};

/** The broker's address; null if it is not registered or has no such listener. */
export const nodeOf = (image: MetadataImage, brokerId: number, listenerName: string): BrokerNode | null => {
  const broker = image.cluster.brokers.get(brokerId);
  return broker === undefined ? null : nodeOn(broker, listenerName);
};

/** The brokers that are not fenced and have this listener. */
export const aliveNodes = (image: MetadataImage, listenerName: string): BrokerNode[] => {
  const nodes: BrokerNode[] = [];
  for (const broker of image.cluster.brokers.values()) {
    const node = broker.fenced ? null : nodeOn(broker, listenerName);
    if (node !== null) nodes.push(node);
  }
  return nodes;
};

const internalTopics: ReadonlySet<string> = new Set(['__consumer_offsets', '__transaction_state', '__share_group_state']);

/** Topics that belong to the brokers themselves. */
export const isInternalTopic = (topic: string): boolean => internalTopics.has(topic);

/** What Metadata and DescribeTopicPartitions say of a partition. */
export interface PartitionView {
  readonly errorCode: number;
  readonly partitionIndex: number;
  readonly leaderId: number;
  readonly leaderEpoch: number;
  readonly replicaNodes: readonly number[];
  readonly isrNodes: readonly number[];
  readonly offlineReplicas: readonly number[];
}

/** How an answer deals with brokers that cannot be reached over the request's listener. */
export interface PartitionViewRules {
  readonly listenerName: string;
  /** Leave unreachable replicas out and say so (Metadata v0). */
  readonly hidesUnreachable: boolean;
  /** LISTENER_NOT_FOUND for a leader without the listener, instead of LEADER_NOT_AVAILABLE (v6 and newer). */
  readonly knowsListenerNotFound: boolean;
}

const NO_LEADER = -1;

export const viewPartition = (
  image: MetadataImage,
  partitionIndex: number,
  partition: PartitionRegistration,
  rules: PartitionViewRules,
): PartitionView => {
  const isReachable = (id: number): boolean => nodeOf(image, id, rules.listenerName) !== null;
  const visible = (ids: readonly number[]): readonly number[] => (rules.hidesUnreachable ? ids.filter(isReachable) : ids);
  const replicaNodes = visible(partition.replicas);
  const isrNodes = visible(partition.isr);
  const hasLeader = isReachable(partition.leader);
  const isIncomplete = replicaNodes.length < partition.replicas.length || isrNodes.length < partition.isr.length;
  return {
    errorCode: hasLeader ? codeOf(isIncomplete ? 'REPLICA_NOT_AVAILABLE' : 'NONE') : leaderFault(image, partition, rules),
    partitionIndex,
    leaderId: hasLeader ? partition.leader : NO_LEADER,
    leaderEpoch: partition.leaderEpoch,
    replicaNodes,
    isrNodes,
    offlineReplicas: partition.replicas.filter((id) => isOffline(image, id, partition, rules.listenerName)),
  };
};

const leaderFault = (image: MetadataImage, partition: PartitionRegistration, rules: PartitionViewRules): number => {
  const isRegistered = image.cluster.brokers.get(partition.leader) !== undefined;
  return codeOf(isRegistered && rules.knowsListenerNotFound ? 'LISTENER_NOT_FOUND' : 'LEADER_NOT_AVAILABLE');
};

const isOffline = (image: MetadataImage, brokerId: number, partition: PartitionRegistration, listenerName: string): boolean => {
  const broker = image.cluster.brokers.get(brokerId);
  if (broker === undefined || broker.fenced || !broker.listeners.has(listenerName)) return true;
  const directory = directoryOf(partition, brokerId);
  return directory !== undefined && !hasOnlineDirectory(broker, directory);
};
