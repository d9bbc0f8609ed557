import type { TimelineEpoch } from '../../../base/timeline-map.ts';
import type { MetadataDelta } from '../../../metadata/metadata-delta.ts';
import type { MetadataImage } from '../../../metadata/metadata-image.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import type { ClassicProtocol } from '../classic-protocol.ts';
import type { ClassicGroups } from '../classic/classic-groups.ts';
import type { GroupRecord } from '../group-record.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import { configuredAssignors, defaultAssignor } from './assignor-choice.ts';
import { classicMembersOf } from './classic-members.ts';
import { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerClient, ConsumerGroupContext } from './consumer-group-context.ts';
import { LEAVE_EPOCH, STATIC_LEAVE_EPOCH } from './consumer-group-member.ts';
import { ConsumerGroupTimers, type FencedMember } from './consumer-group-timers.ts';
import { type DescribedConsumerGroup, describeConsumerGroup } from './describe-consumer-group.ts';
import { asConsumerGroup } from './find-group.ts';
import { heartbeat, type HeartbeatAnswer, type HeartbeatRequest } from './heartbeat.ts';
import { leave, removeMembers } from './leave.ts';
import { MetadataHashes } from './metadata-hashes.ts';
import { RegularExpressions } from './regular-expressions.ts';
import { isOfConsumerGroup, replay } from './replay.ts';

/** The consumer groups of one shard (KIP-848). */
export class ConsumerGroups {
  /** What members of the classic protocol ask of a consumer group. */
  readonly classicMembers: ClassicProtocol;
  readonly #context: ConsumerGroupContext;

  constructor(context: GroupShardContext, classic: ClassicGroups) {
    this.#context = {
      ...context,
      classic,
      log: context.environment.logger.named('group coordinator'),
      timers: new ConsumerGroupTimers(context.timer, (member) => this.#fence(member)),
      hashes: new MetadataHashes(),
      regularExpressions: new RegularExpressions(),
      assignors: () => configuredAssignors(context.config()['group.consumer.assignors']),
    };
    this.classicMembers = classicMembersOf(this.#context);
  }

  /** Throws a KafkaError. The request has been looked at: its fields are in order. */
  heartbeat(client: ConsumerClient, request: HeartbeatRequest): CoordinatorResult<GroupRecord, HeartbeatAnswer> {
    const isLeaving = request.memberEpoch === LEAVE_EPOCH || request.memberEpoch === STATIC_LEAVE_EPOCH;
    return isLeaving ? leave(this.#context, request) : heartbeat(this.#context, client, request);
  }

  /** Throws GROUP_ID_NOT_FOUND. */
  describe(groupId: string, committedOffset: TimelineEpoch): DescribedConsumerGroup {
    const group = asConsumerGroup(this.#context.groups.getAt(groupId, committedOffset), groupId);
    return describeConsumerGroup(group, committedOffset, {
      topics: this.#context.metadata().topics,
      defaultAssignor: defaultAssignor(this.#context.assignors()),
    });
  }

  /** Takes over a record of a consumer group. Those of share groups and streams groups are passed over: nobody serves them yet. */
  replay(record: GroupRecord): void {
    if (isOfConsumerGroup(record)) replay(this.#context, record);
  }

  /** Members have as much time as if they had been heard of just now. */
  loaded(image: MetadataImage): void {
    const { groups, groupConfig, regularExpressions, timers } = this.#context;
    regularExpressions.loaded(image.provenance.offset);
    for (const group of groups.values()) {
      if (!(group instanceof ConsumerGroup)) continue;
      const { groupId } = group;
      const sessionTimeoutMs = groupConfig(groupId)['consumer.session.timeout.ms'];
      for (const { memberId, memberEpoch, state, rebalanceTimeoutMs } of group.members()) {
        timers.startSession({ groupId, memberId }, sessionTimeoutMs);
        if (state === 'UNREVOKED_PARTITIONS') timers.startRevocation({ groupId, memberId, memberEpoch }, rebalanceTimeoutMs);
      }
    }
  }

  unloaded(): void {
    // Nobody waits here: timers end with the shard.
  }

  /** Groups look at their topics anew when a member asks next. */
  metadataChanged({ topics }: MetadataDelta, image: MetadataImage): void {
    if (topics === null) return;
    const changed = [...topics.changedTopics.values(), ...topics.deletedTopics.values()].map(({ name }) => name);
    const isNew = [...topics.changedTopics.values()].some(({ before }) => before === null);
    if (isNew) this.#context.regularExpressions.topicsCreated(image.provenance.offset);
    for (const group of this.#context.groups.values()) {
      if (group instanceof ConsumerGroup && changed.some((name) => group.isSubscribedTo(name))) group.requestMetadataRefresh();
    }
  }

  /** A member has not kept a time limit. */
  #fence({ groupId, memberId, memberEpoch, reason }: FencedMember): CoordinatorResult<GroupRecord> {
    const group = this.#context.groups.get(groupId);
    const member = group instanceof ConsumerGroup ? group.member(memberId) : undefined;
    if (!(group instanceof ConsumerGroup) || member === undefined) return { records: [], response: undefined };
    if (memberEpoch !== undefined && memberEpoch !== member.memberEpoch) return { records: [], response: undefined };
    this.#context.log.info('A member is taken out of its group', { group: groupId, member: memberId, reason });
    return { ...removeMembers(this.#context, group, new Set([member])), response: undefined };
  }
}
