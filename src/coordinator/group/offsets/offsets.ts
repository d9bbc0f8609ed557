import { LATEST, type TimelineEpoch } from '../../../base/timeline-map.ts';
import type { MetadataDelta } from '../../../metadata/metadata-delta.ts';
import type { CoordinatorResult, ReplayContext } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import type { Group } from '../group.ts';
import { commitOffsets, commitTransactionalOffsets } from './offset-commit.ts';
import { expiredOffsets } from './offset-expiry.ts';
import { fetchOffsets } from './offset-fetch.ts';
import { deleteOffsets, tombstonesOfGroup, tombstonesOfTopics } from './offset-removal.ts';
import type {
  FetchedOffsets,
  OffsetCommitRequest,
  OffsetDeleteRequest,
  OffsetFetchRequest,
  TopicOutcomes,
  TxnOffsetCommitRequest,
} from './offset-requests.ts';
import { OffsetStore, isOffsetRecord } from './offset-store.ts';

const EXPIRY_TIMER = 'expire-offsets';
const MS_PER_MINUTE = 60_000;
/** Offsets that are looked at before others have their turn. */
const EXPIRY_TURN_OFFSETS = 10_000;

type Outcomes = CoordinatorResult<GroupRecord, readonly TopicOutcomes[]>;

/** The committed offsets of one shard's groups. Kafka: OffsetMetadataManager. */
export class Offsets {
  readonly #context: GroupShardContext;
  readonly #makeSimpleGroup: (groupId: string) => Group;
  readonly #store: OffsetStore;

  /** `makeSimpleGroup` gives the group of somebody who commits offsets without being a member of one. */
  constructor(context: GroupShardContext, makeSimpleGroup: (groupId: string) => Group) {
    this.#context = context;
    this.#makeSimpleGroup = makeSimpleGroup;
    this.#store = new OffsetStore(context.timeline);
  }

  replay(record: GroupRecord, context: ReplayContext): void {
    if (!isOffsetRecord(record)) return;
    const { groups } = this.#context;
    const { group } = record.key;
    if (record.value !== null && groups.get(group) === undefined) groups.set(this.#makeSimpleGroup(group));
    this.#store.replay(record, context);
  }

  replayEndOfTransaction(producerId: number, outcome: 'commit' | 'abort'): void {
    this.#store.replayEndOfTransaction(producerId, outcome);
  }

  loaded(): void {
    this.#scheduleExpiry();
  }

  /** Offsets of topics that were deleted are of no use to anybody. */
  metadataChanged(delta: MetadataDelta): void {
    const topics = [...(delta.topics?.deletedTopics.values() ?? [])];
    if (topics.length === 0) return;
    this.#context.enqueue('remove the offsets of deleted topics', () => ({
      records: tombstonesOfTopics(this.#store, topics),
      response: undefined,
      isAtomic: false,
    }));
  }

  commit(request: OffsetCommitRequest, apiVersion: number): Outcomes {
    return commitOffsets(this.#context, request, apiVersion);
  }

  commitInTransaction(request: TxnOffsetCommitRequest, apiVersion: number): Outcomes {
    return commitTransactionalOffsets(this.#context, request, apiVersion);
  }

  /** What is committed at a point of the timeline. */
  fetch(request: OffsetFetchRequest, epoch: TimelineEpoch): FetchedOffsets[] {
    return fetchOffsets({ groups: this.#context.groups, store: this.#store, epoch, requireStable: false }, request);
  }

  /** What has been written, also if it is not committed yet: the answer has to wait until it is. Says of partitions that transactions wait for them. */
  fetchStable(request: OffsetFetchRequest): FetchedOffsets[] {
    return fetchOffsets({ groups: this.#context.groups, store: this.#store, epoch: LATEST, requireStable: true }, request);
  }

  delete(request: OffsetDeleteRequest): Outcomes {
    return deleteOffsets(this.#context.groups, this.#store, request);
  }

  /** The records that remove all offsets of a group. */
  tombstonesOf(groupId: string): GroupRecord[] {
    return tombstonesOfGroup(this.#store, groupId);
  }

  #scheduleExpiry(): void {
    const { timer, config } = this.#context;
    timer.schedule(EXPIRY_TIMER, config()['offsets.retention.check.interval.ms'], () =>
      this.#expire([...this.#context.groups.values()].map(({ groupId }) => groupId)),
    );
  }

  /** Removes what has expired, and groups of which nothing is left: of as many groups as take one turn, the others afterwards. */
  #expire(groupIds: readonly string[]): CoordinatorResult<GroupRecord> {
    const { environment, config, groups, timer } = this.#context;
    const settings = {
      now: environment.clock.now(),
      retentionMs: config()['offsets.retention.minutes'] * MS_PER_MINUTE,
    };
    const records: GroupRecord[] = [];
    let at = 0;
    for (let count = 0; at < groupIds.length && count < EXPIRY_TURN_OFFSETS; at++) {
      const group = groups.get(groupIds[at] ?? '');
      if (group === undefined) continue;
      const expired = expiredOffsets(this.#store, group, settings);
      records.push(...expired.records);
      if (expired.hasNone && group.isEmpty()) records.push(...group.tombstones());
      count += expired.count + 1;
    }
    const rest = groupIds.slice(at);
    if (rest.length > 0) timer.schedule(EXPIRY_TIMER, 0, () => this.#expire(rest));
    else this.#scheduleExpiry();
    return { records, response: undefined, isAtomic: false };
  }
}
