import type { Timeline } from '../../../base/timeline-map.ts';
import { ZERO_UUID } from '../../../base/uuid.ts';
import type { ReplayContext } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord, GroupRecordOf } from '../group-record.ts';
import { type CommittedOffset, committedOffset, UNKNOWN } from './committed-offset.ts';
import { OpenTransactions } from './open-transactions.ts';
import { PartitionTable } from './partition-table.ts';

type OffsetRecord = GroupRecordOf<'OffsetCommit'> | GroupRecordOf<'LegacyOffsetCommit'>;

/** Outside of a transaction. */
const NO_PRODUCER_ID = -1;

/** The offsets that the groups of one shard have committed, as its log says. */
export class OffsetStore {
  readonly committed: PartitionTable<CommittedOffset>;
  readonly open: OpenTransactions;
  /** Ids of topics: one text for all offsets of a topic. */
  readonly #topicIds = new Map<string, string>();

  constructor(timeline: Timeline) {
    this.committed = new PartitionTable(timeline);
    this.open = new OpenTransactions(timeline);
  }

  replay(record: OffsetRecord, { offset: recordOffset, producerId }: ReplayContext): void {
    const { group, topic, partition } = record.key;
    const offset = offsetOf(record, recordOffset, this.#topicIds);
    if (offset === null) {
      this.committed.delete(group, topic, partition);
      this.open.remove(group, topic, partition);
    } else if (producerId === NO_PRODUCER_ID) {
      this.committed.set(group, topic, partition, offset);
    } else {
      this.open.add(producerId, [group, topic, partition], offset);
    }
  }

  /** What the transaction committed counts from now on, unless somebody has committed later. */
  replayEndOfTransaction(producerId: number, outcome: 'commit' | 'abort'): void {
    const ended = this.open.end(producerId);
    if (outcome === 'abort') return;
    for (const [group, topic, partition, offset] of ended) {
      const existing = this.committed.get(group, topic, partition);
      if (existing === undefined || existing.recordOffset < offset.recordOffset)
        this.committed.set(group, topic, partition, offset);
    }
  }
}

const offsetOf = (record: OffsetRecord, recordOffset: number, topicIds: Map<string, string>): CommittedOffset | null => {
  if (record.value === null) return null;
  if (record.type === 'OffsetCommit') {
    const { topicId } = record.value;
    let shared = topicIds.get(topicId);
    if (shared === undefined) topicIds.set(topicId, (shared = topicId));
    return committedOffset(record.value, shared, recordOffset);
  }
  return committedOffset(
    { ...record.value, leaderEpoch: UNKNOWN, expireTimestamp: UNKNOWN, topicId: ZERO_UUID },
    ZERO_UUID,
    recordOffset,
  );
};

/** Whether a record of the group coordinator's log is about an offset. */
export const isOffsetRecord = (record: GroupRecord): record is OffsetRecord =>
  record.type === 'OffsetCommit' || record.type === 'LegacyOffsetCommit';
