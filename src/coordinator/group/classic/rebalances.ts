import type { Millis } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { codeOf, type KafkaError } from '../../../protocol/errors.ts';
import { coordinatorError } from '../../runtime/coordinator-errors.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import { ClassicGroup, type ClassicGroupHost } from './classic-group.ts';
import { groupMetadataRecord } from './classic-group-records.ts';
import { generationAnswer } from './generation-answer.ts';
import { type ClassicMember, NO_ASSIGNMENT } from './classic-member.ts';
import { ClassicTimers } from './classic-timers.ts';
import { type Effects, NOTHING } from './effects.ts';

/**
 * How a classic group comes to its next generation: all members join, the leader shares the partitions out, all ask for their part. Kafka: the part of
 * GroupMetadataManager that says `rebalance`.
 */
export class Rebalances implements ClassicGroupHost {
  readonly timers: ClassicTimers;
  readonly #context: GroupShardContext;
  readonly #log: Logger;

  constructor(context: GroupShardContext) {
    this.#context = context;
    this.#log = context.environment.logger.named('group coordinator');
    this.timers = new ClassicTimers(context.timer, {
      session: (groupId, memberId) => this.#expireSession(groupId, memberId),
      sync: (groupId, generationId) => this.#expireSyncs(groupId, generationId),
    });
  }

  now(): Millis {
    return this.#context.environment.clock.now();
  }

  keepAlive(group: ClassicGroup, member: ClassicMember): void {
    this.timers.startSession(group, member.memberId, member.sessionTimeoutMs);
  }

  /** Something has changed: all have to join again, or the group goes on where this is what it waits for. */
  prepareOrComplete(group: ClassicGroup, reason: string): Effects {
    const canBegin = group.state === 'Empty' || group.state === 'CompletingRebalance' || group.state === 'Stable';
    return canBegin ? this.prepare(group, reason) : this.completeIfAllJoined(group);
  }

  /** All members have to join again. */
  prepare(group: ClassicGroup, reason: string): Effects {
    if (group.state === 'CompletingRebalance') this.refuseAssignments(group, codeOf('REBALANCE_IN_PROGRESS'));
    group.pendingSyncs.clear();
    this.timers.endSyncs(group);
    const isFirst = group.state === 'Empty';
    group.transitionTo('PreparingRebalance');
    this.#log.info('A group prepares to rebalance', { group: group.groupId, generation: group.generationId, reason });
    if (isFirst) {
      this.#putOff(group);
      return NOTHING;
    }
    if (group.hasEverybodyJoined) return this.#completeJoins(group);
    this.#limitJoins(group);
    return NOTHING;
  }

  /** Goes on if somebody was the last that the group waited for. The first rebalance waits for its time. */
  completeIfAllJoined(group: ClassicGroup): Effects {
    const isWaiting = group.state === 'PreparingRebalance' && group.previousState !== 'Empty';
    return isWaiting && group.hasEverybodyJoined ? this.#completeJoins(group) : NOTHING;
  }

  /** The leader has shared out, and it is written. */
  giveAssignments(group: ClassicGroup, assignments: ReadonlyMap<string, Uint8Array>): void {
    for (const member of group.members()) member.assignment = assignments.get(member.memberId) ?? NO_ASSIGNMENT;
    for (const member of group.members()) {
      const { protocolType, protocolName } = group;
      const answer = { errorCode: 0, protocolType, protocolName, assignment: member.assignment };
      // Its session was not looked at while it waited.
      if (group.answerSync(member, answer)) this.keepAlive(group, member);
    }
    group.transitionTo('Stable');
  }

  /** Nobody has an assignment, and whoever waits for one is told why. */
  refuseAssignments(group: ClassicGroup, errorCode: number): void {
    for (const member of group.members()) {
      member.assignment = NO_ASSIGNMENT;
      if (group.answerSync(member, { errorCode, assignment: NO_ASSIGNMENT })) this.keepAlive(group, member);
    }
  }

  /** The member has its assignment, or waits for it. */
  hasSynced(group: ClassicGroup, memberId: string): void {
    group.pendingSyncs.delete(memberId);
    if (group.pendingSyncs.size === 0) this.timers.endSyncs(group);
  }

  #putOff(group: ClassicGroup): void {
    const delayMs = this.#initialDelayMs;
    this.#waitForMore(group, delayMs, Math.max(group.rebalanceTimeoutMs - delayMs, 0));
  }

  #waitForMore(group: ClassicGroup, delayMs: Millis, remainingMs: Millis): void {
    this.#startJoins(group, delayMs, (now) => this.#completeFirstJoins(now, delayMs, remainingMs));
  }

  /** The first rebalance is put off again when a member has come meanwhile, as long as the first of them may wait. */
  #completeFirstJoins(group: ClassicGroup, delayMs: Millis, remainingMs: Millis): Effects {
    if (!group.hasNewMember || remainingMs === 0) return this.#completeJoins(group);
    group.hasNewMember = false;
    this.#waitForMore(group, Math.min(this.#initialDelayMs, remainingMs), Math.max(remainingMs - delayMs, 0));
    return NOTHING;
  }

  #limitJoins(group: ClassicGroup): void {
    this.#startJoins(group, group.rebalanceTimeoutMs, (now) => this.#completeJoins(now));
  }

  /** By then it may be another group of the same id, or none. */
  #startJoins(group: ClassicGroup, delayMs: Millis, over: (group: ClassicGroup) => Effects): void {
    const { groupId } = group;
    this.timers.startJoins(group, delayMs, () => {
      const now = this.#group(groupId);
      return now === null ? NOTHING : over(now);
    });
  }

  /** Whoever has joined is a member of the next generation. Static members are, even when they have not. */
  #completeJoins(group: ClassicGroup): Effects {
    if (group.state !== 'PreparingRebalance') return NOTHING;
    this.timers.endJoins(group);
    for (const { memberId, isStatic, answerJoin } of group.members()) {
      if (isStatic || answerJoin !== null) continue;
      group.remove(memberId);
      this.timers.endSession(group, memberId);
      this.#log.info('A member has not joined again', { group: group.groupId, member: memberId });
    }
    if (!group.electJoinedLeader() && group.size > 0) {
      // Nobody is there to lead: sessions tell who is gone.
      this.#limitJoins(group);
      return NOTHING;
    }
    group.startGeneration();
    const { groupId, generationId, size } = group;
    this.#log.info('A group begins a generation', { group: groupId, generation: generationId, members: size });
    if (group.isEmpty()) return { records: [groupMetadataRecord(group, new Map())] };
    for (const member of group.members()) this.#tellGeneration(group, member);
    this.timers.startSyncs(group);
    return NOTHING;
  }

  #tellGeneration(group: ClassicGroup, member: ClassicMember): void {
    group.answerJoin(member, generationAnswer(group, member.memberId));
    this.keepAlive(group, member);
    member.isNew = false;
    group.pendingSyncs.add(member.memberId);
  }

  #expireSession(groupId: string, memberId: string): Effects {
    const group = this.#group(groupId);
    if (group === null) return NOTHING;
    if (group.pendingJoins.has(memberId)) {
      group.remove(memberId);
      return this.#completeAfterLoss(group);
    }
    const member = group.member(memberId);
    if (member === undefined || member.isKnownToLive) return NOTHING;
    this.#log.info('A member has failed', { group: groupId, member: memberId });
    group.remove(memberId);
    const isSettled = group.state === 'Stable' || group.state === 'CompletingRebalance';
    if (isSettled) return this.prepare(group, `removing member ${memberId} on heartbeat expiration`);
    return this.#completeAfterLoss(group);
  }

  #completeAfterLoss(group: ClassicGroup): Effects {
    return group.state === 'PreparingRebalance' && group.hasEverybodyJoined ? this.#completeJoins(group) : NOTHING;
  }

  #expireSyncs(groupId: string, generationId: number): Effects {
    const group = this.#group(groupId);
    if (group === null || group.generationId !== generationId || group.pendingSyncs.size === 0) return NOTHING;
    if (group.state !== 'CompletingRebalance' && group.state !== 'Stable') return NOTHING;
    const late = [...group.pendingSyncs];
    for (const memberId of late) {
      group.remove(memberId);
      this.timers.endSession(group, memberId);
    }
    return this.prepare(group, `${late.length} members have not asked for their assignments, ${late[0]} among them`);
  }

  /** Told when a generation could not be written: all join again. */
  assignmentsNotWritten(group: ClassicGroup, error: KafkaError): void {
    const { code, errorName } = coordinatorError(error);
    this.refuseAssignments(group, code);
    // There are members, and none of them joins yet, so that there is nothing to write.
    this.prepareOrComplete(group, `${errorName} when the assignments were stored`);
  }

  get #initialDelayMs(): Millis {
    return this.#context.config()['group.initial.rebalance.delay.ms'];
  }

  #group(groupId: string): ClassicGroup | null {
    const group = this.#context.groups.get(groupId);
    return group instanceof ClassicGroup ? group : null;
  }
}
