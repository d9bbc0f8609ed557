import type { Millis } from '../../../base/clock.ts';
import type { CoordinatorTimer } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';
import type { ClassicGroup } from './classic-group.ts';
import { type Effects, resultOf } from './effects.ts';

/** What becomes of a group when a time is over. */
export interface TimeIsOver {
  /** For a member, or one that was to come back. */
  session(groupId: string, memberId: string): Effects;
  sync(groupId: string, generationId: number): Effects;
}

/** The timers of classic groups: a session each member, and one for each of the two phases of a rebalance. */
export class ClassicTimers {
  readonly #timer: CoordinatorTimer<GroupRecord>;
  readonly #over: TimeIsOver;

  constructor(timer: CoordinatorTimer<GroupRecord>, over: TimeIsOver) {
    this.#timer = timer;
    this.#over = over;
  }

  /** The member has to be heard of again within this time. */
  startSession({ groupId }: ClassicGroup, memberId: string, timeoutMs: Millis): void {
    const over = (): Effects => this.#over.session(groupId, memberId);
    this.#timer.schedule(sessionKey(groupId, memberId), timeoutMs, () => resultOf(over(), undefined));
  }

  endSession({ groupId }: ClassicGroup, memberId: string): void {
    this.#timer.cancel(sessionKey(groupId, memberId));
  }

  /** Members have to join within this time. */
  startJoins({ groupId }: ClassicGroup, timeoutMs: Millis, over: () => Effects): void {
    this.#timer.schedule(joinKey(groupId), timeoutMs, () => resultOf(over(), undefined));
  }

  endJoins({ groupId }: ClassicGroup): void {
    this.#timer.cancel(joinKey(groupId));
  }

  /** Members have to ask for their assignments within this time. */
  startSyncs({ groupId, generationId, rebalanceTimeoutMs }: ClassicGroup): void {
    const over = (): Effects => this.#over.sync(groupId, generationId);
    this.#timer.schedule(syncKey(groupId), rebalanceTimeoutMs, () => resultOf(over(), undefined));
  }

  endSyncs({ groupId }: ClassicGroup): void {
    this.#timer.cancel(syncKey(groupId));
  }

  /** The group is no classic one any more. */
  endAll(group: ClassicGroup): void {
    this.endJoins(group);
    this.endSyncs(group);
    for (const { memberId } of group.members()) this.endSession(group, memberId);
    for (const memberId of group.pendingJoins) this.endSession(group, memberId);
  }
}

/** The length keeps `a` with member `b c` from being `a b` with member `c`. */
const sessionKey = (groupId: string, memberId: string): string => `classic session ${groupId.length} ${groupId} ${memberId}`;
const joinKey = (groupId: string): string => `classic joins ${groupId}`;
const syncKey = (groupId: string): string => `classic syncs ${groupId}`;
