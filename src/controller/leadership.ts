import type { PartitionRegistration } from '../metadata/image/partition-registration.ts';
import { NO_LEADER } from '../metadata/image/partition-registration.ts';
import type { TopicImage } from '../metadata/image/topics-image.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { type ControllerView, partitionRules } from './controller-view.ts';
import { canLead, isActive } from './leader-acceptor.ts';
import { partitionChange } from './partition-change.ts';

/** Why leaders and ISRs are looked at again. */
export interface LeadershipCause {
  /** Leaves the ISRs that it is in, and leads no more. */
  readonly brokerToRemove?: number;
  /** May lead although it is fenced still: it is being unfenced. */
  readonly brokerToAdd?: number;
  /** Leaves the ISRs, and what it held may be lost. */
  readonly brokerWithUncleanShutdown?: number;
}

interface Place {
  readonly topic: TopicImage;
  readonly index: number;
  readonly partition: PartitionRegistration;
}

/** Every partition of the cluster that a test holds for. Brokers come and go seldom enough for looking at all. */
export function* partitionsWhere(
  { image }: ControllerView,
  holds: (partition: PartitionRegistration) => boolean,
): Generator<Place> {
  for (const topic of image.topics.byId.values()) {
    for (const [index, partition] of topic.partitions.entries()) if (holds(partition)) yield { topic, index, partition };
  }
}

export const withoutLeader = (partition: PartitionRegistration): boolean => partition.leader === NO_LEADER;

/** The changes of leaders and ISRs that follow. */
export function leadershipRecords(view: ControllerView, places: Iterable<Place>, cause: LeadershipCause): MetadataRecord[] {
  const { brokerToRemove, brokerToAdd, brokerWithUncleanShutdown: unclean } = cause;
  const { cluster, configs } = view.image;
  const isAcceptable = (brokerId: number): boolean =>
    brokerId !== brokerToRemove && brokerId !== unclean && (brokerId === brokerToAdd || isActive(cluster, brokerId));
  const records: MetadataRecord[] = [];
  for (const { topic, index, partition } of places) {
    const record = partitionChange({
      topicId: topic.id,
      partitionId: index,
      partition,
      isr: partition.isr.filter((replica) => replica !== brokerToRemove && replica !== unclean),
      election: view.configs.isUncleanElectionEnabled(configs, topic.name) ? 'unclean' : 'any',
      canLead: (replica) => canLead(cluster, partition, replica, isAcceptable),
      uncleanShutdownReplicas: unclean === undefined ? [] : [unclean],
      rules: partitionRules(view, topic.name),
    });
    if (record !== null) records.push(record);
  }
  return records;
}

/** What a broker's absence means for the partitions that count on it. */
export const absenceRecords = (view: ControllerView, brokerId: number): MetadataRecord[] =>
  leadershipRecords(
    view,
    partitionsWhere(view, ({ isr }) => isr.includes(brokerId)),
    { brokerToRemove: brokerId },
  );

/** Whether the broker leads anything. */
export function hasLeaderships(view: ControllerView, brokerId: number): boolean {
  for (const _ of partitionsWhere(view, ({ leader }) => leader === brokerId)) return true;
  return false;
}
