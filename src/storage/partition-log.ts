import type { Millis } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { AppendInfo } from './append-info.ts';
import { appendAsFollower, appendAsLeader, type LeaderAppendOptions } from './log-append.ts';
import type { LogConfig } from './log-configs.ts';
import { LogContext, type LogContextOptions } from './log-context.ts';
import { LogFlush } from './log-flush.ts';
import { loadLog, type LoadOptions } from './log-loader.ts';
import { type LogRead, readLog, type ReadOptions } from './log-read.ts';
import { rollTo } from './log-roll.ts';
import type { LogSegment } from './log-segment.ts';
import { LogState } from './log-state.ts';
import { truncateFullyAndStartAt, truncateTo } from './log-truncate.ts';
import type { FoundAhead, TimestampedOffset } from './large-search.ts';
import { findByTimestamp, findMaxTimestamp } from './log-timestamps.ts';
import { type LogOffsetMetadata, offsetOnly } from './offset-metadata.ts';
import type { EpochEntry } from './leader-epoch-cache.ts';
import { joinPath, parentOf } from './path.ts';
import { PARTITION_METADATA_FILE, readPartitionMetadata, writePartitionMetadata } from './partition-metadata-file.ts';
import type { ProducerStateManager } from './producer-state-manager.ts';
import { deleteOldSegments, raiseLogStart } from './retention.ts';
import { SegmentDeletion } from './segment-deletion.ts';
import type { StorageError } from './storage-error.ts';
import type { TopicPartition } from './topic-partition.ts';

export interface PartitionLogOptions extends LogContextOptions, LoadOptions {
  /** Written to partition.metadata if that is missing; null for a log without (a tool's). */
  readonly topicId: string | null;
  readonly initialHighWatermark?: number;
}

/**
 * The log of one partition on this node (Kafka: UnifiedLog): batches in segments, the offsets that bound what may be read, producers' state, leader epochs.
 *
 * Everything but `flush` and `close` is synchronous: a call sees the log as the one before it left it. Errors: KafkaError for what a client is told, StorageError when the
 * disk failed, after which the log refuses everything.
 */
export class PartitionLog {
  readonly topicPartition: TopicPartition;
  readonly producers: ProducerStateManager;
  topicId: string | null;
  readonly #context: LogContext;
  readonly #state: LogState;
  readonly #flush: LogFlush;
  readonly #deletion: SegmentDeletion;
  /** The segment that appends went to last. */
  #lastActive: LogSegment;

  private constructor(context: LogContext, state: LogState, topicId: string | null) {
    this.#context = context;
    this.#state = state;
    this.topicPartition = context.topicPartition;
    this.producers = state.producers;
    this.topicId = topicId;
    this.#flush = new LogFlush(state);
    this.#deletion = new SegmentDeletion(context);
    this.#lastActive = state.segments.active;
  }

  /** Opens the log in the directory, or makes an empty one. Throws a StorageError. */
  static open(environment: Environment, options: PartitionLogOptions): PartitionLog {
    const context = new LogContext(environment, options);
    return context.guard('Opening', () => {
      const state = new LogState(loadLog(context, options));
      if (options.initialHighWatermark !== undefined) state.setHighWatermark(offsetOnly(options.initialHighWatermark));
      return new PartitionLog(context, state, ensureTopicId(context, options.topicId));
    });
  }

  get directory(): string {
    return this.#context.directory;
  }

  /** The entry of log.dirs that the log lies in. */
  get logDirectory(): string {
    return parentOf(this.#context.directory);
  }

  /** Adopts the topic id of a directory that has lost its own, or has none yet. */
  assignTopicId(topicId: string): void {
    this.topicId = this.#context.guard('Writing partition.metadata', () => ensureTopicId(this.#context, topicId));
  }

  /** The disk under this log failed elsewhere. */
  takeOffline(failure: StorageError): void {
    this.#context.takeOffline(failure);
  }

  get config(): LogConfig {
    return this.#context.config;
  }

  updateConfig(config: LogConfig): void {
    this.#context.config = config;
  }

  get isOffline(): boolean {
    return this.#context.failure !== null;
  }

  get logStartOffset(): number {
    return this.#state.logStartOffset;
  }

  get logEndOffset(): number {
    return this.#state.logEndOffset;
  }

  get logEndMetadata(): LogOffsetMetadata {
    return this.#state.logEnd;
  }

  get highWatermark(): number {
    return this.#state.highWatermark;
  }

  get highWatermarkMetadata(): LogOffsetMetadata {
    return this.#context.guard('Reading', () => this.#state.highWatermarkMetadata);
  }

  get lastStableOffset(): number {
    return this.#state.lastStableOffset;
  }

  get lastStableMetadata(): LogOffsetMetadata {
    return this.#context.guard('Reading', () => this.#state.lastStableMetadata);
  }

  /** Everything below is durable. */
  get recoveryPoint(): number {
    return this.#state.recoveryPoint;
  }

  get latestEpoch(): number | null {
    return this.#state.epochs.cache.latest?.epoch ?? null;
  }

  get epochs(): readonly EpochEntry[] {
    return this.#state.epochs.cache.entries;
  }

  get sizeInBytes(): number {
    return this.#state.segments.sizeInBytes;
  }

  /** Where the first segment starts; the log start may lie inside it. */
  get firstSegmentOffset(): number {
    return this.#state.segments.first.baseOffset;
  }

  /** When the log was last made durable, or opened. */
  get lastFlushMs(): Millis {
    return this.#flush.lastFlushMs;
  }

  get segmentCount(): number {
    return this.#state.segments.count;
  }

  /** Whether what is appended must be durable before it is acknowledged (flush.messages=1). */
  get mustFlushBeforeAck(): boolean {
    return this.config.flushMessages <= 1;
  }

  /** Gives the records their offsets and appends them; patches their headers in place where the bytes are kept. */
  appendAsLeader(records: Uint8Array, options: LeaderAppendOptions): AppendInfo {
    return this.#appended(appendAsLeader(this.#usable(), records, options));
  }

  appendAsFollower(records: Uint8Array): AppendInfo {
    return this.#appended(appendAsFollower(this.#usable(), records, this.#context.environment.clock.now()));
  }

  /** Finds what may be read from `offset` on. */
  read(offset: number, options: ReadOptions): LogRead {
    const state = this.#usable();
    return this.#context.guard('Reading', () => readLog(state, offset, options));
  }

  /** The first record whose timestamp is `timestamp` or more; null if there is none. With `foundAhead`, throws a LargeSearch that has to be made first. */
  offsetForTimestamp(timestamp: number, foundAhead?: FoundAhead): TimestampedOffset | null {
    const state = this.#usable();
    return this.#context.guard('Reading', () => findByTimestamp(state, timestamp, foundAhead));
  }

  /** The first record with the largest timestamp of all; null if no record has one. */
  offsetOfMaxTimestamp(foundAhead?: FoundAhead): TimestampedOffset | null {
    const state = this.#usable();
    return this.#context.guard('Reading', () => findMaxTimestamp(state, foundAhead));
  }

  /** Where the epoch ends here, for a follower or a consumer that has records of it (KIP-279); null if this log knows nothing of it. */
  endOffsetForEpoch(epoch: number): { readonly leaderEpoch: number; readonly endOffset: number } | null {
    const found = this.#state.epochs.cache.endOffsetFor(epoch, this.logEndOffset);
    return found && { leaderEpoch: found.epoch, endOffset: found.endOffset };
  }

  /** The epoch of the record at `offset`; null if it is not known. */
  epochForOffset(offset: number): number | null {
    return this.#state.epochs.cache.epochFor(offset);
  }

  /** This node leads from `startOffset` on, or was told so by the leader's records. */
  assignEpochStartOffset(epoch: number, startOffset: number): void {
    this.#context.guard('Writing leader epochs', () => this.#state.epochs.cache.assign(epoch, startOffset));
  }

  /** Sets the high watermark, within log start and log end. Gives whether it moved. */
  updateHighWatermark(to: number | LogOffsetMetadata): boolean {
    return this.#state.setHighWatermark(typeof to === 'number' ? offsetOnly(to) : to);
  }

  /** Records below `offset` count as deleted from now on; their segments go with the next `deleteOldSegments`. Never above the high watermark. */
  maybeIncrementLogStartOffset(offset: number): boolean {
    return this.#context.guard('Moving the log start', () => raiseLogStart(this.#state, Math.min(offset, this.highWatermark)));
  }

  truncateTo(offset: number): boolean {
    return this.#context.guard('Truncating', () => truncateTo(this.#state, offset, this.#deletion));
  }

  truncateFullyAndStartAt(offset: number): void {
    this.#context.guard('Truncating', () => truncateFullyAndStartAt(this.#state, offset, this.#deletion));
  }

  deleteOldSegments(now: Millis): number {
    return this.#context.guard('Deleting old segments', () => deleteOldSegments(this.#state, now, this.#deletion));
  }

  /** Starts a new segment, unless the active one is empty. */
  roll(): void {
    const hasRolled = this.#context.guard('Rolling', () => rollTo(this.#state, this.logEndOffset));
    this.#lastActive = this.#state.segments.active;
    if (hasRolled) this.#flush.flushInBackground(this.#lastActive.baseOffset);
  }

  /** Resolves when all that is in the log now is durable. Callers at the same time share one sync. */
  flush(): Promise<void> {
    return this.#flush.flush(this.logEndOffset);
  }

  flushInBackground(): void {
    this.#flush.flushInBackground(this.logEndOffset);
  }

  /** Resolves when everything below `offset` is durable. */
  whenFlushed(offset: number): Promise<void> {
    return this.#flush.whenFlushed(offset);
  }

  /**
   * Writes what a close has to write, and syncs nothing. Whoever closes many logs calls this for all of them first: then one commit of the file system's
   * journal serves all their syncs, and no file has to be made while it is under way.
   */
  async writeOut(): Promise<void> {
    if (this.#context.failure !== null) return;
    await this.#context.guardAsync('Closing', () => this.producers.takeSnapshotLater());
    this.#writeOutNow();
  }

  /** Waits for what is being synced and lets go of all files. With `flush`, everything is durable first; up to `durableTo` it is so already. */
  async close(options: { readonly flush: boolean; readonly durableTo?: number }): Promise<void> {
    this.#deletion.cancel();
    if (this.#context.failure === null) {
      this.#writeOutNow();
      if (options.durableTo === this.logEndOffset) this.#flush.wasMadeDurable(options.durableTo);
      else if (options.flush) await this.#flush.flushAll();
    }
    await this.#flush.idle();
    this.#flush.isClosed = true;
    for (const segment of this.#state.segments.all) segment.log.releaseHandle();
  }

  #writeOutNow(): void {
    this.#context.guard('Closing', () => {
      this.producers.takeSnapshot();
      for (const segment of this.#state.segments.all) segment.writeOut();
    });
  }

  /** Lets go of a log whose files are not its own any more. Resolves when nothing is being synced. */
  async abandon(): Promise<void> {
    this.#flush.isClosed = true;
    this.#deletion.cancel();
    for (const segment of this.#state.segments.all) segment.log.releaseHandle();
    await this.#flush.idle();
  }

  #usable(): LogState {
    this.#context.ensureUsable();
    return this.#state;
  }

  /** Does what an append asks for: the sync of a segment that was closed by it, and of what flush.messages counts. */
  #appended(info: AppendInfo): AppendInfo {
    const { segments, recoveryPoint, logEndOffset } = this.#state;
    const { active } = segments;
    if (active !== this.#lastActive) {
      this.#lastActive = active;
      this.#flush.flushInBackground(active.baseOffset);
    }
    const { flushMessages } = this.config;
    if (flushMessages <= 1) {
      const end = info.lastOffset + 1;
      return end > recoveryPoint ? { ...info, flushed: this.#flush.whenFlushed(end) } : info;
    }
    if (logEndOffset - recoveryPoint >= flushMessages) this.#flush.flushInBackground(logEndOffset);
    return info;
  }
}

/** Reads the directory's topic id, or writes it into a new one. */
function ensureTopicId(context: LogContext, topicId: string | null): string | null {
  const { disk } = context.environment;
  const known = readPartitionMetadata(disk, context.directory);
  if (known !== null || topicId === null) return known?.topicId ?? null;
  writePartitionMetadata(disk, context.directory, topicId);
  context.unsyncedFiles.add(joinPath(context.directory, PARTITION_METADATA_FILE));
  return topicId;
}
