import type { Millis } from '../../../base/clock.ts';
import type { GroupRecord } from '../group-record.ts';
import type { Group, OffsetExpiration } from '../group.ts';
import { type CommittedOffset, offsetTombstone, UNKNOWN } from './committed-offset.ts';
import type { OffsetStore } from './offset-store.ts';

export interface ExpirySettings {
  readonly now: Millis;
  readonly retentionMs: Millis;
}

export interface ExpiredOffsets {
  readonly records: readonly GroupRecord[];
  /** Whether the group keeps no offset afterwards, and no transaction is about to commit one. */
  readonly hasNone: boolean;
  /** How many offsets were looked at. */
  readonly count: number;
}

/** The records that remove what has expired of a group's offsets (KIP-211). */
export function expiredOffsets(store: OffsetStore, group: Group, settings: ExpirySettings): ExpiredOffsets {
  const { groupId } = group;
  const byTopic = store.committed.ofGroup(groupId);
  const isQuiet = !store.open.hasGroup(groupId);
  if (byTopic === undefined) return { records: [], hasNone: isQuiet, count: 0 };
  const expiration = group.offsetExpiration();
  if (expiration === null) return { records: [], hasNone: false, count: 0 };
  const records: GroupRecord[] = [];
  let kept = 0;
  for (const [topic, byPartition] of byTopic) {
    if (group.isSubscribedTo(topic)) {
      kept += byPartition.size;
      continue;
    }
    for (const [partition, offset] of byPartition) {
      if (isExpired(offset, expiration, settings) && !store.open.has(groupId, topic, partition))
        records.push(offsetTombstone({ group: groupId, topic, partition }));
      else kept++;
    }
  }
  return { records, hasNone: kept === 0 && isQuiet, count: kept + records.length };
}

const isExpired = (offset: CommittedOffset, expiration: OffsetExpiration, { now, retentionMs }: ExpirySettings): boolean =>
  offset.expireTimestamp === UNKNOWN ? now - expiration.baseTimestamp(offset) >= retentionMs : now >= offset.expireTimestamp;
