import { assert } from '../base/assert.ts';
import type { Millis } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Counter } from '../base/metrics.ts';
import { FetchSession, NO_SESSION_ID, type FetchPartitionList } from './fetch-session.ts';

/** A session that was not used for this long gives way to any new one; one younger than this is not pushed out by equals. */
const EVICTION_MS: Millis = 120_000;
const SESSION_IDS = 0x7fffffff;
/**
 * The partitions of all sessions together: some 150 MB of memory. A session may name as many partitions as one likes, whether they exist or not, so a thousand
 * sessions alone are no limit.
 */
const PARTITIONS_MAX = 500_000;

const metric = (name: string): string => `kafka.server:type=FetchSessionCache,name=${name}`;

/**
 * The fetch sessions of this broker: at most `slots` of them. When all are taken, a new session takes the place of one that lies
 * idle, or of one that is worth less: consumers' before followers', small before large. Otherwise there is no session for it.
 */
export class FetchSessionCache {
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  readonly #slots: number;
  readonly #partitionsMax: number;
  /** In order of use, the one that was not used for longest first. */
  readonly #sessions = new Map<number, FetchSession>();
  readonly #evictions: Counter;
  #partitionsCount = 0;

  constructor(
    environment: Pick<Environment, 'clock' | 'random' | 'metrics'>,
    options: { readonly slots: number; readonly partitionsMax?: number },
  ) {
    this.#environment = environment;
    this.#slots = options.slots;
    this.#partitionsMax = options.partitionsMax ?? PARTITIONS_MAX;
    this.#evictions = environment.metrics.counter(metric('IncrementalFetchSessionEvictionsPerSec'));
    environment.metrics.gauge(metric('NumIncrementalFetchSessions'), () => this.#sessions.size);
    environment.metrics.gauge(metric('NumIncrementalFetchPartitionsCached'), () => this.#partitionsCount);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The partitions of all sessions, as of their last use. */
  get partitionsCount(): number {
    return this.#partitionsCount;
  }

  get(id: number): FetchSession | undefined {
    return this.#sessions.get(id);
  }

  remove(id: number): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#sessions.delete(id);
    this.#partitionsCount -= session.cachedSize;
    session.cachedSize = 0;
    return true;
  }

  /** Gives the id of the new session, or NO_SESSION_ID when nothing may give way to it. */
  create(options: {
    readonly isPrivileged: boolean;
    readonly usesTopicIds: boolean;
    readonly partitions: FetchPartitionList;
  }): number {
    const now = this.#environment.clock.monotonic();
    const { size } = options.partitions;
    if (size > this.#partitionsMax) return NO_SESSION_ID;
    while (this.#sessions.size >= this.#slots || this.#partitionsCount + size > this.#partitionsMax) {
      if (!this.#evictFor(options.isPrivileged, size, now)) return NO_SESSION_ID;
    }
    const session = new FetchSession({ ...options, id: this.#freeId(), now });
    this.#sessions.set(session.id, session);
    this.touch(session);
    return session.id;
  }

  /** Whether the session has grown beyond what there is room for. */
  isTooLarge(session: FetchSession): boolean {
    const grown = session.partitions.size - session.cachedSize;
    return grown > 0 && this.#partitionsCount + grown > this.#partitionsMax;
  }

  /** Counts a use of the session. */
  touch(session: FetchSession): void {
    assert(this.#sessions.delete(session.id), 'only a session in the cache is used');
    this.#sessions.set(session.id, session);
    session.lastUsedAt = this.#environment.clock.monotonic();
    this.#partitionsCount += session.partitions.size - session.cachedSize;
    session.cachedSize = session.partitions.size;
  }

  #freeId(): number {
    for (;;) {
      const id = 1 + this.#environment.random.integer(SESSION_IDS);
      if (!this.#sessions.has(id)) return id;
    }
  }

  #evictFor(isPrivileged: boolean, size: number, now: Millis): boolean {
    const victim = this.#idleSession(now) ?? this.#sessionWorthLess(isPrivileged, size, now);
    if (victim === null) return false;
    this.remove(victim.id);
    this.#evictions.add(1);
    return true;
  }

  #idleSession(now: Millis): FetchSession | null {
    for (const session of this.#sessions.values()) return now - session.lastUsedAt > EVICTION_MS ? session : null;
    return null;
  }

  /** The least valuable session that may be pushed out: any old enough, and for a follower any consumer's. */
  #sessionWorthLess(isPrivileged: boolean, size: number, now: Millis): FetchSession | null {
    let least: FetchSession | null = null;
    for (const session of this.#sessions.values()) {
      const isEvictable = now - session.createdAt > EVICTION_MS || (isPrivileged && !session.isPrivileged);
      if (isEvictable && (least === null || compareValue(session, least) < 0)) least = session;
    }
    if (least === null) return null;
    return compareValue({ isPrivileged, cachedSize: size, id: NO_SESSION_ID }, least) < 0 ? null : least;
  }
}

type Valued = Pick<FetchSession, 'isPrivileged' | 'cachedSize' | 'id'>;

const compareValue = (a: Valued, b: Valued): number =>
  Number(a.isPrivileged) - Number(b.isPrivileged) || a.cachedSize - b.cachedSize || a.id - b.id;
