import { assert } from '../base/assert.ts';
import type { Millis } from '../base/clock.ts';

/** Session id 0 asks for none and stands for none. */
export const NO_SESSION_ID = 0;
/** The epoch of a full fetch that wants a session. */
export const INITIAL_EPOCH = 0;
/** The epoch of a full fetch that wants no session, and closes the one it names. */
export const FINAL_EPOCH = -1;
const INT32_MAX = 0x7fffffff;

/** The epoch that follows an incremental one: 0 and −1 have meanings of their own, so it wraps to 1. */
export const nextEpoch = (epoch: number): number => (epoch < 0 ? FINAL_EPOCH : epoch === INT32_MAX ? 1 : epoch + 1);

/** How a session names a topic: by its id (v13 and newer) or by its name; the other is filled in where it is known. */
export interface FetchTopic {
  readonly topic: string;
  readonly topicId: string;
}

/** What a fetcher wants of one partition. */
export interface FetchPartitionRequest {
  readonly partition: number;
  readonly currentLeaderEpoch: number;
  readonly fetchOffset: number;
  readonly lastFetchedEpoch: number;
  readonly logStartOffset: number;
  readonly partitionMaxBytes: number;
}

/** What the fetcher is about to be told of one partition, as far as the session cares. */
export interface FetchOutcome {
  readonly errorCode: number;
  readonly highWatermark: number;
  readonly logStartOffset: number;
  readonly recordsBytes: number;
  readonly preferredReadReplica: number;
  readonly isDiverging: boolean;
}

/** The leader epoch of a fetcher that does not know it; Fetch takes every negative number for that. */
const NOT_KNOWN = -1;

/** One partition that is asked for; lives as long as the session, or the request if there is none. */
export class FetchPartition {
  /** Of a topic that is named by its id: empty until the id is known, and kept when the topic is gone. */
  topic: string;
  readonly topicId: string;
  readonly partition: number;
  currentLeaderEpoch: number;
  fetchOffset: number;
  lastFetchedEpoch: number;
  /** The follower's own log start offset; −1 from a consumer. */
  logStartOffset: number;
  maxBytes: number;
  /** What the fetcher was told last; −1 when it has to be told again. */
  #toldHighWatermark = -1;
  #toldLogStartOffset = -1;
  previous: FetchPartition | null = null;
  next: FetchPartition | null = null;

  constructor(topic: FetchTopic, request: FetchPartitionRequest) {
    this.topic = topic.topic;
    this.topicId = topic.topicId;
    this.partition = request.partition;
    this.currentLeaderEpoch = Math.max(NOT_KNOWN, request.currentLeaderEpoch);
    this.fetchOffset = request.fetchOffset;
    this.lastFetchedEpoch = request.lastFetchedEpoch;
    this.logStartOffset = request.logStartOffset;
    this.maxBytes = request.partitionMaxBytes;
  }

  update(request: FetchPartitionRequest): void {
    this.currentLeaderEpoch = Math.max(NOT_KNOWN, request.currentLeaderEpoch);
    this.fetchOffset = request.fetchOffset;
    this.lastFetchedEpoch = request.lastFetchedEpoch;
    this.logStartOffset = request.logStartOffset;
    this.maxBytes = request.partitionMaxBytes;
  }

  /** Whether an incremental answer must mention the partition. */
  mustTell(outcome: FetchOutcome): boolean {
    return (
      outcome.recordsBytes > 0 ||
      outcome.errorCode !== 0 ||
      outcome.highWatermark !== this.#toldHighWatermark ||
      outcome.logStartOffset !== this.#toldLogStartOffset ||
      outcome.isDiverging ||
      outcome.preferredReadReplica !== -1
    );
  }

  /** Remembers what is being told. After an error or a divergence the partition is told again once that is over. */
  told(outcome: FetchOutcome): void {
    this.#toldHighWatermark = outcome.errorCode !== 0 || outcome.isDiverging ? -1 : outcome.highWatermark;
    this.#toldLogStartOffset = outcome.logStartOffset;
  }

  /** A full fetch starts the session with what it answered, errors included. */
  toldInFull(outcome: FetchOutcome): void {
    this.#toldHighWatermark = outcome.highWatermark;
    this.#toldLogStartOffset = outcome.logStartOffset;
  }
}

/** The partitions of a session in the order in which they are served: found by topic and number, moved to the end when served. */
export class FetchPartitionList {
  readonly #usesTopicIds: boolean;
  readonly #byTopic = new Map<string, Map<number, FetchPartition>>();
  #first: FetchPartition | null = null;
  #last: FetchPartition | null = null;
  #size = 0;

  constructor(usesTopicIds: boolean) {
    this.#usesTopicIds = usesTopicIds;
  }

  get size(): number {
    return this.#size;
  }

  get first(): FetchPartition | null {
    return this.#first;
  }

  find(topic: FetchTopic, partition: number): FetchPartition | undefined {
    return this.#byTopic.get(this.#keyOf(topic))?.get(partition);
  }

  add(entry: FetchPartition): void {
    const key = this.#keyOf(entry);
    let partitions = this.#byTopic.get(key);
    if (partitions === undefined) this.#byTopic.set(key, (partitions = new Map()));
    assert(!partitions.has(entry.partition), 'a fetch session holds a partition once');
    partitions.set(entry.partition, entry);
    this.#size++;
    this.#append(entry);
  }

  remove(entry: FetchPartition): void {
    const key = this.#keyOf(entry);
    const partitions = this.#byTopic.get(key);
    if (partitions?.delete(entry.partition) !== true) return;
    if (partitions.size === 0) this.#byTopic.delete(key);
    this.#size--;
    this.#unlink(entry);
  }

  moveToEnd(entry: FetchPartition): void {
    if (entry === this.#last) return;
    this.#unlink(entry);
    this.#append(entry);
  }

  #keyOf(topic: FetchTopic): string {
    return this.#usesTopicIds ? topic.topicId : topic.topic;
  }

  #append(entry: FetchPartition): void {
    entry.previous = this.#last;
    entry.next = null;
    if (this.#last === null) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
  }

  #unlink(entry: FetchPartition): void {
    if (entry.previous === null) this.#first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === null) this.#last = entry.previous;
    else entry.next.previous = entry.previous;
    entry.previous = null;
    entry.next = null;
  }
}

/** What a fetcher and this broker have agreed on, so that neither repeats it (KIP-227). */
export class FetchSession {
  readonly id: number;
  /** A follower's: evicted last. */
  readonly isPrivileged: boolean;
  readonly usesTopicIds: boolean;
  readonly createdAt: Millis;
  readonly partitions: FetchPartitionList;
  lastUsedAt: Millis;
  /** The epoch that the next request has to carry. */
  epoch = nextEpoch(INITIAL_EPOCH);
  /** The size at the last use, by which sessions are compared when room is needed. */
  cachedSize = 0;

  constructor(options: {
    readonly id: number;
    readonly isPrivileged: boolean;
    readonly usesTopicIds: boolean;
    readonly now: Millis;
    readonly partitions: FetchPartitionList;
  }) {
    this.id = options.id;
    this.isPrivileged = options.isPrivileged;
    this.usesTopicIds = options.usesTopicIds;
    this.createdAt = options.now;
    this.lastUsedAt = options.now;
    this.partitions = options.partitions;
  }
}
