import type { Uuid } from '../../../base/uuid.ts';
import type { GroupRecordValue } from '../group-record.ts';
import { partitionsInOrder, topicsInOrder } from './hash-order.ts';

/** Topic id → partition → the assignment epoch with which the member got it. */
export type PartitionEpochs = ReadonlyMap<Uuid, ReadonlyMap<number, number>>;

type RecordPartitions = GroupRecordValue<'ConsumerGroupCurrentMemberAssignment'>['assignedPartitions'];

export const NO_PARTITIONS: PartitionEpochs = new Map();

const NO_EPOCHS: ReadonlyMap<number, number> = new Map();

export const partitionsOf = (epochs: PartitionEpochs, topicId: Uuid): ReadonlyMap<number, number> =>
  epochs.get(topicId) ?? NO_EPOCHS;

export const hasPartition = (epochs: PartitionEpochs, topicId: Uuid, partition: number): boolean =>
  epochs.get(topicId)?.has(partition) === true;

/** Whether two members have the same partitions since the same epochs. The order does not matter. */
export function samePartitions(a: PartitionEpochs, b: PartitionEpochs): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [topicId, partitions] of a) {
    const others = b.get(topicId);
    if (others?.size !== partitions.size) return false;
    for (const [partition, epoch] of partitions) if (others.get(partition) !== epoch) return false;
  }
  return true;
}

/** All of them at one epoch. */
export const withEpoch = (partitions: Iterable<readonly [Uuid, Iterable<number>]>, epoch: number): PartitionEpochs =>
  topicsInOrder(
    Array.from(partitions, ([topicId, indexes]) => [topicId, partitionsInOrder(Array.from(indexes, (index) => [index, epoch]))]),
  );

export const withoutEpochs = (epochs: PartitionEpochs): { readonly topicId: Uuid; readonly partitions: number[] }[] =>
  Array.from(epochs, ([topicId, partitions]) => ({ topicId, partitions: [...partitions.keys()] }));

export const toRecord = (epochs: PartitionEpochs): RecordPartitions =>
  Array.from(epochs, ([topicId, partitions]) => ({
    topicId,
    partitions: [...partitions.keys()],
    assignmentEpochs: [...partitions.values()],
  }));

/** As a record has them. Records of Kafka 4.2 and earlier have no epochs: the member's own is taken, which is at least 0. */
export const fromRecord = (topics: RecordPartitions, memberEpoch: number): PartitionEpochs =>
  topicsInOrder(
    topics.map(({ topicId, partitions, assignmentEpochs }) => {
      const epochs = assignmentEpochs?.length === partitions.length ? assignmentEpochs : null;
      const epochOf = (at: number): number => epochs?.[at] ?? Math.max(memberEpoch, 0);
      return [topicId, partitionsInOrder(partitions.map((partition, at) => [partition, epochOf(at)]))];
    }),
  );
