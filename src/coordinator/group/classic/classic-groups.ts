import type { TimelineEpoch } from '../../../base/timeline-map.ts';
import type { Logger } from '../../../base/logger.ts';
import { KafkaError, codeOf } from '../../../protocol/errors.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import {
  type ClassicProtocol,
  type GroupClient,
  type HeartbeatAnswer,
  type HeartbeatRequest,
  type JoinAnswer,
  joinRefusal,
  type JoinRequest,
  type LeaveAnswer,
  type LeaveRequest,
  type SyncAnswer,
  syncRefusal,
  type SyncRequest,
} from '../classic-protocol.ts';
import type { GroupRecord, GroupRecordOf } from '../group-record.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import { ClassicGroup, type ClassicGroupOptions } from './classic-group.ts';
import { groupOfRecord, newGroupRecord } from './classic-group-records.ts';
import { ClassicJoins } from './classic-joins.ts';
import { leaveClassicGroup } from './classic-leaves.ts';
import { syncClassicGroup } from './classic-syncs.ts';
import { type ClassicGroupDescription, describeClassicGroup } from './describe-classic-group.ts';
import { type Effects, NOTHING, resultOf } from './effects.ts';
import { Rebalances } from './rebalances.ts';

/** The classic groups of one shard. Kafka: the classic part of GroupMetadataManager. */
export class ClassicGroups implements ClassicProtocol {
  readonly #context: GroupShardContext;
  readonly #log: Logger;
  readonly #rebalances: Rebalances;
  readonly #joins: ClassicJoins;

  constructor(context: GroupShardContext) {
    this.#context = context;
    this.#log = context.environment.logger.named('group coordinator');
    this.#rebalances = new Rebalances(context);
    this.#joins = new ClassicJoins(context, this.#rebalances);
  }

  replay({ key, value }: GroupRecordOf<'GroupMetadata'>): void {
    if (value === null) this.#context.groups.delete(key.group);
    else this.#context.groups.set(groupOfRecord(key.group, value, this.#rebalances));
  }

  /** The groups that were read live on: their members have a session's time to be heard of. */
  loaded(): void {
    const max = this.#context.config()['group.max.size'];
    for (const group of this.#context.groups.values()) {
      if (!(group instanceof ClassicGroup)) continue;
      for (const member of group.members()) this.#rebalances.keepAlive(group, member);
      // Whoever joins again last is turned away. There is nothing to write, as nobody has joined yet.
      if (group.size > max) this.#rebalances.prepareOrComplete(group, `${group.size} members are more than ${max}`);
    }
  }

  /** Whoever waits has to look for the new coordinator. */
  unloaded(): void {
    const errorCode = codeOf('NOT_COORDINATOR');
    for (const group of this.#context.groups.values()) {
      if (!(group instanceof ClassicGroup)) continue;
      group.transitionTo('Dead');
      for (const member of group.members()) {
        group.answerJoin(member, joinRefusal(member.memberId, errorCode));
        group.answerSync(member, syncRefusal(errorCode));
      }
    }
  }

  /** A group without members; one that only holds offsets needs no more. It is not registered yet. */
  newGroup(groupId: string, given: Pick<ClassicGroupOptions, 'state' | 'generationId'> = {}): ClassicGroup {
    return new ClassicGroup({ ...given, groupId, host: this.#rebalances });
  }

  /** A group of members of the classic protocol that was one of another kind: it takes its place, and its members have their sessions. */
  adopt(group: ClassicGroup): void {
    this.#context.groups.set(group);
    for (const member of group.members()) this.#rebalances.keepAlive(group, member);
  }

  /** A group that becomes one of another kind: nothing happens to it any more. */
  release(group: ClassicGroup): void {
    this.#rebalances.timers.endAll(group);
  }

  /** All members of a group have to join again. The records keep what is done already (`isReplayed: false`). */
  prepareRebalance(group: ClassicGroup, reason: string): Effects {
    return this.#rebalances.prepareOrComplete(group, reason);
  }

  joinGroup(client: GroupClient, request: JoinRequest): CoordinatorResult<GroupRecord, JoinAnswer> {
    const { groupId, memberId } = request;
    const existing = this.#context.groups.get(groupId);
    if (existing instanceof ClassicGroup) return this.#join(existing, client, request);
    // A member knows its group, which would be here.
    if (memberId !== '') return { records: [], response: joinRefusal(memberId, codeOf('UNKNOWN_MEMBER_ID')) };
    // A group of another kind that nobody uses makes room.
    const tombstones = existing?.tombstones() ?? [];
    const group = this.newGroup(groupId);
    this.#context.groups.set(group);
    const record = newGroupRecord(group);
    const joined = this.#join(group, client, request);
    return { ...joined, records: [...tombstones, record, ...joined.records] };
  }

  syncGroup(_client: GroupClient, request: SyncRequest): CoordinatorResult<GroupRecord, SyncAnswer> {
    const group = this.#group(request.groupId);
    if (group === null || group.isEmpty()) return { records: [], response: syncRefusal(codeOf('UNKNOWN_MEMBER_ID')) };
    const { promise, resolve } = Promise.withResolvers<SyncAnswer>();
    return resultOf(syncClassicGroup(this.#rebalances, group, { request, answer: resolve }), promise);
  }

  heartbeat(_client: GroupClient, request: HeartbeatRequest): CoordinatorResult<GroupRecord, HeartbeatAnswer> {
    const group = this.#known(request.groupId);
    if (group.state === 'Dead') throw new KafkaError('COORDINATOR_NOT_AVAILABLE');
    const member = group.validateMember(request.memberId, request.groupInstanceId);
    if (request.generationId !== group.generationId) throw new KafkaError('ILLEGAL_GENERATION');
    this.#rebalances.keepAlive(group, member);
    const errorCode = group.state === 'PreparingRebalance' ? codeOf('REBALANCE_IN_PROGRESS') : 0;
    return resultOf(NOTHING, { errorCode });
  }

  leaveGroup(_client: GroupClient, request: LeaveRequest): CoordinatorResult<GroupRecord, LeaveAnswer> {
    const { effects, answer } = leaveClassicGroup(this.#rebalances, this.#known(request.groupId), { request, log: this.#log });
    return resultOf(effects, answer);
  }

  /** Throws GROUP_ID_NOT_FOUND for a group that there was none at the offset, or none of this kind. */
  describe(groupId: string, committedOffset: TimelineEpoch): ClassicGroupDescription {
    const group = this.#context.groups.getAt(groupId, committedOffset);
    if (group === undefined) throw new KafkaError('GROUP_ID_NOT_FOUND', `Group ${groupId} not found.`);
    if (group instanceof ClassicGroup) return describeClassicGroup(group);
    throw new KafkaError('GROUP_ID_NOT_FOUND', `Group ${groupId} is not a classic group.`);
  }

  #join(group: ClassicGroup, client: GroupClient, request: JoinRequest): CoordinatorResult<GroupRecord, JoinAnswer> {
    const { promise, resolve } = Promise.withResolvers<JoinAnswer>();
    return resultOf(this.#joins.join(group, { client, request, answer: resolve }), promise);
  }

  #group(groupId: string): ClassicGroup | null {
    const group = this.#context.groups.get(groupId);
    return group instanceof ClassicGroup ? group : null;
  }

  #known(groupId: string): ClassicGroup {
    const group = this.#group(groupId);
    if (group === null) throw new KafkaError('UNKNOWN_MEMBER_ID', `Group ${groupId} not found.`);
    return group;
  }
}
