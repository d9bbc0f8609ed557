import { FewAtOnce } from '../../../../src/base/few-at-once.ts';
import { Timeline } from '../../../../src/base/timeline-map.ts';
import { TimerQueue } from '../../../../src/base/timer-queue.ts';
import { ZERO_UUID } from '../../../../src/base/uuid.ts';
import { ConfigStore } from '../../../../src/config/config-store.ts';
import { type GroupRecord, groupTombstone } from '../../../../src/coordinator/group/group-record.ts';
import { GroupRegistry } from '../../../../src/coordinator/group/group-registry.ts';
import type { Group, OffsetCommitter, OffsetExpiration } from '../../../../src/coordinator/group/group.ts';
import { Offsets } from '../../../../src/coordinator/group/offsets/offsets.ts';
import type { OffsetCommitRequest, TxnOffsetCommitRequest } from '../../../../src/coordinator/group/offsets/offset-requests.ts';
import type { CoordinatorResult } from '../../../../src/coordinator/runtime/coordinator-shard.ts';
import { ShardTimers } from '../../../../src/coordinator/runtime/shard-timers.ts';
import { EMPTY_METADATA_IMAGE } from '../../../../src/metadata/metadata-image.ts';
import { KafkaError } from '../../../../src/protocol/errors.ts';
import { simulatedEnvironment } from '../../../../simulation/simulated-environment.ts';

/** A group as a test wants it. */
export class FakeGroup implements Group {
  readonly type = 'classic';
  readonly groupId: string;
  members = 0;
  readonly subscribed = new Set<string>();
  expiration: OffsetExpiration | null = { baseTimestamp: ({ commitTimestamp }) => commitTimestamp };
  validateOffsetCommit: (committer: OffsetCommitter) => ReturnType<Group['validateOffsetCommit']> = () => null;
  readonly committers: string[] = [];

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  stateAt(): string {
    return this.members === 0 ? 'Empty' : 'Stable';
  }

  protocolTypeAt(): string {
    return '';
  }

  isEmpty(): boolean {
    return this.members === 0;
  }

  isMember(): boolean {
    return false;
  }

  validateOffsetFetch(reader: { readonly memberId: string | null }): void {
    if (reader.memberId === 'unknown') throw new KafkaError('UNKNOWN_MEMBER_ID');
  }

  validateOffsetDelete(): void {
    if (this.members > 0 && this.subscribed.size === 0) throw new KafkaError('NON_EMPTY_GROUP');
  }

  validateDelete(): void {
    if (this.members > 0) throw new KafkaError('NON_EMPTY_GROUP');
  }

  isSubscribedTo(topic: string): boolean {
    return this.subscribed.has(topic);
  }

  offsetExpiration(): OffsetExpiration | null {
    return this.expiration;
  }

  tombstones(): GroupRecord[] {
    return [groupTombstone('GroupMetadata', { group: this.groupId })];
  }

  committed(memberId: string): void {
    this.committers.push(memberId);
  }
}

/** The offsets of one shard, whose records are taken over as soon as they are made. */
export class OffsetsShard {
  readonly environment = simulatedEnvironment();
  readonly timeline = new Timeline();
  readonly groups = new GroupRegistry(this.timeline);
  readonly written: GroupRecord[] = [];
  readonly offsets: Offsets;
  #nextOffset = 0;

  constructor(properties: Readonly<Record<string, string>> = {}) {
    const configs = new ConfigStore({ nodeId: 1, fromFile: new Map(Object.entries({ 'node.id': '1', ...properties })) });
    const timer = new ShardTimers<GroupRecord>(new TimerQueue(this.environment.clock), async (_key, operation) => {
      this.write(operation());
    });
    this.timeline.snapshot(0);
    const context = {
      environment: this.environment,
      partition: 0,
      leaderEpoch: () => 0,
      timeline: this.timeline,
      timer,
      metadata: () => EMPTY_METADATA_IMAGE,
      enqueue: (_name: string, operation: () => CoordinatorResult<GroupRecord>) => void this.write(operation()),
      groups: this.groups,
      config: () => configs.broker(),
      groupConfig: (groupId: string) => configs.group(groupId),
      searches: new FewAtOnce(1),
    };
    this.offsets = new Offsets(context, (groupId) => new FakeGroup(groupId));
  }

  addGroup(groupId: string): FakeGroup {
    const group = new FakeGroup(groupId);
    this.groups.set(group);
    return group;
  }

  /** What an operation wrote is taken over, as its producer's where there is one. */
  write<Response>(result: CoordinatorResult<GroupRecord, Response>, producerId = -1): Response | Promise<Response> {
    for (const record of result.records) this.replay(record, producerId);
    return result.response;
  }

  replay(record: GroupRecord, producerId = -1): void {
    const offset = this.#nextOffset++;
    this.written.push(record);
    if (record.type === 'GroupMetadata' && record.value === null) this.groups.delete(record.key.group);
    this.offsets.replay(record, { offset, producerId, producerEpoch: 0 });
  }

  /** Marks the state as one that can be looked at and gone back to. */
  snapshot(): number {
    const at = this.#nextOffset;
    this.timeline.snapshot(at);
    return at;
  }

  /** Offsets as `topic-partition: offset`. */
  fetch(groupId: string, epoch?: number): Record<string, number> {
    const request = { groupId, memberId: null, memberEpoch: -1, topics: null };
    const topics = epoch === undefined ? this.offsets.fetchStable(request) : this.offsets.fetch(request, epoch);
    return Object.fromEntries(
      topics.flatMap(({ name, partitions }) =>
        partitions.map(({ partitionIndex, committedOffset, errorCode }): [string, number] => [
          `${name}-${partitionIndex}`,
          errorCode === 0 ? committedOffset : -errorCode,
        ]),
      ),
    );
  }

  async advance(durationMs: number): Promise<void> {
    await this.environment.clock.scheduler.run(durationMs);
  }
}

/** A commit of `topic-partition: offset` by somebody who is in no group, unless said otherwise. */
export const commitRequest = (
  offsets: Readonly<Record<string, number>>,
  rest: Partial<OffsetCommitRequest & TxnOffsetCommitRequest> = {},
): OffsetCommitRequest & TxnOffsetCommitRequest => ({
  groupId: 'g',
  memberId: '',
  groupInstanceId: null,
  generationIdOrMemberEpoch: -1,
  retentionTimeMs: -1,
  transactionalId: 't',
  producerId: 7,
  producerEpoch: 0,
  topics: Object.entries(offsets).map(([key, committedOffset]) => {
    const [name = '', partition] = key.split('-');
    const partitions = [{ partitionIndex: Number(partition), committedOffset, committedLeaderEpoch: 3, committedMetadata: null }];
    return { name, topicId: ZERO_UUID, partitions };
  }),
  ...rest,
});
