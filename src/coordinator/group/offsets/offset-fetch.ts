import type { TimelineEpoch } from '../../../base/timeline-map.ts';
import { ZERO_UUID } from '../../../base/uuid.ts';
import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import type { GroupRegistry } from '../group-registry.ts';
import { type CommittedOffset, UNKNOWN } from './committed-offset.ts';
import type { FetchedOffset, FetchedOffsets, OffsetFetchRequest } from './offset-requests.ts';
import type { OffsetStore } from './offset-store.ts';

/** No offset: neither one that was committed nor −1 as an offset. */
const nothing = (partitionIndex: number, errorCode = 0): FetchedOffset => ({
  partitionIndex,
  committedOffset: UNKNOWN,
  committedLeaderEpoch: UNKNOWN,
  metadata: '',
  errorCode,
});

const UNSTABLE = codeOf('UNSTABLE_OFFSET_COMMIT');

export interface FetchFrom {
  readonly groups: GroupRegistry;
  readonly store: OffsetStore;
  /** The state that is looked at. */
  readonly epoch: TimelineEpoch;
  /** Whether partitions with pending offsets of transactions have none to tell. */
  readonly requireStable: boolean;
}

/** What a group has committed. Throws the KafkaError of a member that may not ask; a group that does not exist has committed nothing. */
export function fetchOffsets(from: FetchFrom, request: OffsetFetchRequest): FetchedOffsets[] {
  const isThere = checkReader(from, request);
  if (request.topics === null) return isThere ? fetchAll(from, request.groupId) : [];
  const { epoch, store, requireStable } = from;
  const byTopic = isThere ? store.committed.ofGroupAt(request.groupId, epoch) : undefined;
  const unstable = isThere && requireStable ? store.open.ofGroupAt(request.groupId, epoch) : undefined;
  return request.topics.map(({ name, topicId, partitionIndexes }) => {
    const byPartition = byTopic?.getAt(name, epoch);
    const unstableOfTopic = unstable?.getAt(name, epoch);
    return {
      name,
      topicId,
      partitions: partitionIndexes.map((partition) => {
        if (unstableOfTopic?.getAt(partition, epoch) !== undefined) return nothing(partition, UNSTABLE);
        const offset = byPartition?.getAt(partition, epoch);
        return offset === undefined || isOfAnotherTopic(offset, topicId) ? nothing(partition) : fetched(partition, offset);
      }),
    };
  });
}

/** False where there is no such group. */
const checkReader = ({ groups, epoch }: FetchFrom, { groupId, memberId, memberEpoch }: OffsetFetchRequest): boolean => {
  const group = groups.getAt(groupId, epoch);
  try {
    group?.validateOffsetFetch({ memberId, memberEpoch }, epoch);
  } catch (error) {
    if (error instanceof KafkaError && error.errorName === 'GROUP_ID_NOT_FOUND') return false;
    throw error;
  }
  return group !== undefined;
};

const fetchAll = ({ store, epoch, requireStable }: FetchFrom, groupId: string): FetchedOffsets[] => {
  const byTopic = store.committed.ofGroupAt(groupId, epoch);
  const unstable = requireStable ? store.open.ofGroupAt(groupId, epoch) : undefined;
  const topics: FetchedOffsets[] = [];
  for (const [name, byPartition] of byTopic?.entriesAt(epoch) ?? []) {
    const unstableOfTopic = unstable?.getAt(name, epoch);
    const partitions: FetchedOffset[] = [];
    for (const [partition, offset] of byPartition.entriesAt(epoch)) {
      const isUnstable = unstableOfTopic?.getAt(partition, epoch) !== undefined;
      partitions.push(isUnstable ? nothing(partition, UNSTABLE) : fetched(partition, offset));
    }
    topics.push({ name, topicId: ZERO_UUID, partitions });
  }
  return topics;
};

/** A topic that was deleted and made again has the name of the other, not its offsets. */
const isOfAnotherTopic = (offset: CommittedOffset, topicId: string): boolean =>
  offset.topicId !== topicId && offset.topicId !== ZERO_UUID && topicId !== ZERO_UUID;

const fetched = (partitionIndex: number, { offset, leaderEpoch, metadata }: CommittedOffset): FetchedOffset => ({
  partitionIndex,
  committedOffset: offset,
  committedLeaderEpoch: leaderEpoch,
  metadata,
  errorCode: 0,
});
