import type { Millis } from '../../../base/clock.ts';
import type { CoordinatorResult, CoordinatorTimer } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';

/** Takes a member out of its group; nothing if it is not there any more. `memberEpoch`: only while it is still at this one. */
export type Fence = (member: FencedMember) => CoordinatorResult<GroupRecord>;

export interface FencedMember {
  readonly groupId: string;
  readonly memberId: string;
  readonly reason: string;
  readonly memberEpoch?: number;
}

/** A member that has a time limit for something. */
export interface TimedMember {
  readonly groupId: string;
  readonly memberId: string;
}

const key = (what: string, { groupId, memberId }: TimedMember): string => JSON.stringify([what, groupId, memberId]);

/** The time limits of the members of consumer groups. Whoever does not keep them is taken out of its group. */
export class ConsumerGroupTimers {
  readonly #timer: CoordinatorTimer<GroupRecord>;
  readonly #fence: Fence;

  constructor(timer: CoordinatorTimer<GroupRecord>, fence: Fence) {
    this.#timer = timer;
    this.#fence = fence;
  }

  /** Until the next sign of life. */
  startSession(member: TimedMember, timeoutMs: Millis): void {
    this.#schedule('session', member, timeoutMs, { reason: 'its session has expired' });
  }

  /** Until the member has given back what it was asked for. */
  startRevocation(member: TimedMember & { readonly memberEpoch: number }, timeoutMs: Millis): void {
    const { groupId, memberId, memberEpoch } = member;
    const reason = `it did not leave epoch ${memberEpoch} within ${timeoutMs} ms`;
    this.#schedule('rebalance', { groupId, memberId }, timeoutMs, { reason, memberEpoch });
  }

  cancelRevocation(member: TimedMember): void {
    this.#timer.cancel(key('rebalance', member));
  }

  /** Until a member of the classic protocol joins again, as it was asked to. */
  startJoinIfAbsent({ groupId, memberId }: TimedMember, timeoutMs: Millis): void {
    this.#timer.scheduleIfAbsent(key('join', { groupId, memberId }), timeoutMs, () =>
      this.#fence({ groupId, memberId, reason: 'it did not join in time' }),
    );
  }

  cancelJoin(member: TimedMember): void {
    this.#timer.cancel(key('join', member));
  }

  /** Until a member of the classic protocol that has joined fetches its assignment. */
  startSync(member: TimedMember, timeoutMs: Millis): void {
    this.#schedule('sync', member, timeoutMs, { reason: 'it did not synchronize in time' });
  }

  cancelSync(member: TimedMember): void {
    this.#timer.cancel(key('sync', member));
  }

  cancelAll(member: TimedMember): void {
    for (const what of ['session', 'rebalance', 'join', 'sync']) this.#timer.cancel(key(what, member));
  }

  #schedule(
    what: string,
    { groupId, memberId }: TimedMember,
    timeoutMs: Millis,
    how: { readonly reason: string; readonly memberEpoch?: number },
  ): void {
    this.#timer.schedule(key(what, { groupId, memberId }), timeoutMs, () => this.#fence({ groupId, memberId, ...how }));
  }
}
