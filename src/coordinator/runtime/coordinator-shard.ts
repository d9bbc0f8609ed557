import type { Millis } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import type { Timeline } from '../../base/timeline-map.ts';
import type { MetadataDelta } from '../../metadata/metadata-delta.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import type { KafkaError } from '../../protocol/errors.ts';

/** Where a record stands in the log, and who wrote it. */
export interface ReplayContext {
  readonly offset: number;
  /** −1 outside of a transaction: what a transaction writes counts when it is committed. */
  readonly producerId: number;
  readonly producerEpoch: number;
}

/**
 * The state of one partition of a coordinator's topic. Whoever asks it something looks and gives back records (a `CoordinatorResult`); `replay` is what
 * changes it, when the records are written and when they are read again.
 */
export interface CoordinatorShard<Rec> {
  /** Takes a record over. Cannot refuse. All durable state is in maps of the shard's timeline, so that it can be taken back. */
  replay(record: Rec, context: ReplayContext): void;
  /** A transaction that had records here has ended. */
  replayEndOfTransaction?(producerId: number, producerEpoch: number, outcome: 'commit' | 'abort'): void;
  /** The log has been read to its end: the shard begins to serve, and its timers to run. */
  loaded(image: MetadataImage): void;
  /** Somebody else serves the partition from now on: what waits is answered, nothing runs any more. */
  unloaded(): void;
  metadataChanged?(delta: MetadataDelta, image: MetadataImage): void;
}

/** What an operation on a shard comes to. */
export interface CoordinatorResult<Rec, Response = void> {
  readonly records: readonly Rec[];
  /** Leaves when the records are committed, and a promise has resolved as well. */
  readonly response: Response | Promise<Response>;
  /** False where the shard has the change already and the records only keep it. Default true: they are replayed before they are written. */
  readonly isReplayed?: boolean;
  /** False where the records may be written in several batches. Default true: all of them or none. */
  readonly isAtomic?: boolean;
  /** Told once: null when the records are committed, otherwise why they are not. Before the response leaves. */
  readonly settled?: (error: KafkaError | null) => void;
}

/** Timers of a shard, by name. What a timer does is an operation like any other; none runs once the shard is unloaded. */
export interface CoordinatorTimer<Rec> {
  /** Replaces the timer of the same key. The operation is tried again a little later when its records could not be written. */
  schedule(key: string, delayMs: Millis, operation: () => CoordinatorResult<Rec>): void;
  /** The same, unless there is a timer of this key. */
  scheduleIfAbsent(key: string, delayMs: Millis, operation: () => CoordinatorResult<Rec>): void;
  cancel(key: string): void;
  isScheduled(key: string): boolean;
}

/** What a shard is made of. */
export interface ShardContext<Rec> {
  readonly environment: Environment;
  readonly partition: number;
  /** Of the partition, which is the coordinator's own epoch: it fences what an earlier coordinator may still say. */
  readonly leaderEpoch: () => number;
  /** All durable state of the shard is in TimelineMaps over this. */
  readonly timeline: Timeline;
  readonly timer: CoordinatorTimer<Rec>;
  /** The cluster as the shard's broker knows it. */
  readonly metadata: () => MetadataImage;
  /** Has an operation done soon, as if somebody had asked for it: for work whose result came later, like an assignment that was computed beside. */
  readonly enqueue: (name: string, operation: () => CoordinatorResult<Rec>) => void;
}
