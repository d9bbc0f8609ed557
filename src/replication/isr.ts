import type { Millis } from '../base/clock.ts';

/**
 * The in-sync replicas of a partition as its leader sees them: what the controller has confirmed, and a change that is under way.
 * There is at most one change at a time.
 */
export type IsrState =
  | { readonly kind: 'committed'; readonly isr: readonly number[] }
  | { readonly kind: 'expanding'; readonly isr: readonly number[]; readonly next: readonly number[] }
  | { readonly kind: 'shrinking'; readonly isr: readonly number[]; readonly next: readonly number[] };

/**
 * The replicas that the high watermark has to wait for. A replica that is joining counts at once: the controller may have confirmed it without the
 * leader knowing yet. One that is leaving counts until that is confirmed.
 */
export const maximalIsr = (state: IsrState): readonly number[] => (state.kind === 'expanding' ? state.next : state.isr);

/** Before any time that the clock may show. */
const NEVER: Millis = Number.NEGATIVE_INFINITY;

/** What the leader knows of one follower, from its fetches. Times are of the monotonic clock. */
export class FollowerState {
  readonly brokerId: number;
  /** −1 until it has fetched in this leader epoch. */
  logEndOffset = -1;
  logStartOffset = -1;
  /** The incarnation that fetched last; −1 where fetches do not say. */
  brokerEpoch = -1;
  #lastFetchLeaderEndOffset = -1;
  #lastFetchAt: Millis = NEVER;
  #lastCaughtUpAt: Millis = NEVER;

  constructor(brokerId: number) {
    this.brokerId = brokerId;
  }

  get lastCaughtUpAt(): Millis {
    return this.#lastCaughtUpAt;
  }

  /**
   * Counts a fetch at `fetchOffset`, while the leader's log ended at `leaderEndOffset`. A follower that asks for what the end was at its fetch
   * before was caught up then, even if the leader has moved on since.
   */
  fetched(fetch: {
    readonly fetchOffset: number;
    readonly logStartOffset: number;
    readonly leaderEndOffset: number;
    readonly brokerEpoch: number;
    readonly now: Millis;
  }): void {
    if (fetch.fetchOffset >= fetch.leaderEndOffset) this.#lastCaughtUpAt = Math.max(this.#lastCaughtUpAt, fetch.now);
    else if (fetch.fetchOffset >= this.#lastFetchLeaderEndOffset) {
      this.#lastCaughtUpAt = Math.max(this.#lastCaughtUpAt, this.#lastFetchAt);
    }
    this.logEndOffset = fetch.fetchOffset;
    this.logStartOffset = fetch.logStartOffset;
    this.brokerEpoch = fetch.brokerEpoch;
    this.#lastFetchLeaderEndOffset = fetch.leaderEndOffset;
    this.#lastFetchAt = fetch.now;
  }

  /** The leader was elected anew: nothing is known of the follower's log, and a member of the ISR gets its full time to show up. */
  forget(options: { readonly now: Millis; readonly isInIsr: boolean }): void {
    this.logEndOffset = -1;
    this.logStartOffset = -1;
    this.#lastFetchLeaderEndOffset = -1;
    this.#lastFetchAt = NEVER;
    this.#lastCaughtUpAt = options.isInIsr ? options.now : NEVER;
  }

  isCaughtUp(leaderEndOffset: number, now: Millis, lagMaxMs: Millis): boolean {
    return this.logEndOffset === leaderEndOffset || now - this.#lastCaughtUpAt <= lagMaxMs;
  }
}

/** What the controller decides about a partition on the leader's request. */
export interface IsrChangeRequest {
  readonly topicId: string;
  readonly partition: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly isr: readonly { readonly brokerId: number; readonly brokerEpoch: number }[];
}

export interface IsrChangeAnswer {
  readonly isr: readonly number[];
  readonly leader: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
}

/** Port to the controller: asks for another ISR. Rejects with a KafkaError. */
export interface IsrChanger {
  change(request: IsrChangeRequest): Promise<IsrChangeAnswer>;
}
