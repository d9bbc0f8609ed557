import type { Millis } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import { METADATA_TOPIC_ID } from '../base/uuid.ts';
import { batchesOf } from '../protocol/records/batches.ts';
import { defaultLogConfig } from '../storage/log-configs.ts';
import { PartitionLog } from '../storage/partition-log.ts';
import { joinPath } from '../storage/path.ts';
import type { StorageError } from '../storage/storage-error.ts';
import type { OffsetAndEpoch, RaftLog, SnapshotSink, SnapshotSource } from './raft-log.ts';
import { SnapshotFiles } from './snapshot-files.ts';
import { readSnapshotFacts, SnapshotError } from './snapshot-reader.ts';

export const METADATA_TOPIC = '__cluster_metadata';
export const METADATA_DIRECTORY = `${METADATA_TOPIC}-0`;

/** The largest batch of the metadata log. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;

export interface PartitionRaftLogOptions {
  /** The log directory (metadata.log.dir) that holds `__cluster_metadata-0`. */
  readonly logDirectory: string;
  /** metadata.log.segment.bytes, metadata.log.segment.ms. */
  readonly segmentBytes: number;
  readonly segmentMs: Millis;
  /** metadata.max.retention.bytes, metadata.max.retention.ms: of log and snapshots together; negative for no limit. */
  readonly retentionBytes: number;
  readonly retentionMs: Millis;
  readonly failed?: (error: StorageError) => void;
}

/** The metadata log in the files of a partition, and its snapshots beside them. */
export class PartitionRaftLog implements RaftLog {
  readonly #log: PartitionLog;
  readonly #snapshots: SnapshotFiles;
  readonly #options: PartitionRaftLogOptions;
  readonly #now: () => Millis;

  private constructor(environment: Environment, options: PartitionRaftLogOptions) {
    const directory = joinPath(options.logDirectory, METADATA_DIRECTORY);
    this.#options = options;
    this.#now = () => environment.clock.now();
    this.#log = PartitionLog.open(environment, {
      directory,
      topicPartition: { topic: METADATA_TOPIC, partition: 0 },
      topicId: METADATA_TOPIC_ID,
      config: {
        ...defaultLogConfig,
        segmentBytes: options.segmentBytes,
        segmentMs: options.segmentMs,
        maxMessageBytes: BATCH_BYTES_MAX,
        retentionBytes: -1,
        retentionMs: -1,
      },
      logStartOffset: 0,
      recoveryPoint: 0,
      // Every batch is read and checked at each start: the quorum's decisions rest on this log.
      hadCleanShutdown: false,
      ...(options.failed === undefined ? {} : { failed: options.failed }),
    });
    this.#snapshots = new SnapshotFiles(environment.disk, directory);
  }

  /** Opens the log, or makes an empty one. Throws a StorageError, or a SnapshotError if what precedes the log is in no snapshot. */
  static open(environment: Environment, options: PartitionRaftLogOptions): PartitionRaftLog {
    const log = new PartitionRaftLog(environment, options);
    log.#reconcile();
    return log;
  }

  get startOffset(): number {
    return this.#log.logStartOffset;
  }

  get end(): OffsetAndEpoch {
    const { logEndOffset: offset, latestEpoch } = this.#log;
    const epoch = latestEpoch ?? this.#snapshots.ids.findLast((id) => id.offset === offset)?.epoch ?? 0;
    return { offset, epoch };
  }

  get highWatermark(): number {
    return this.#log.highWatermark;
  }

  appendAsLeader(batches: readonly Uint8Array[], epoch: number): void {
    this.#log.appendAsLeader(Buffer.concat(batches), { leaderEpoch: epoch, origin: 'raft', now: this.#now() });
  }

  flush(): Promise<void> {
    return this.#log.flush();
  }

  updateHighWatermark(offset: number): void {
    this.#log.updateHighWatermark(offset);
  }

  read(offset: number, end: number, maxBytes: number): Buffer {
    const { region } = this.#log.read(offset, { maxBytes, upTo: 'log-end', minOneBatch: true });
    if (region === null) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafe(region.length);
    try {
      const count = region.file.read(bytes, region.position);
      return wholeBatchesBefore(bytes.subarray(0, count), end);
    } finally {
      region.release();
    }
  }

  snapshots(): readonly OffsetAndEpoch[] {
    return this.#snapshots.ids;
  }

  readSnapshot(id: OffsetAndEpoch): SnapshotSource {
    return this.#snapshots.open(id);
  }

  createSnapshot(id: OffsetAndEpoch): SnapshotSink | null {
    return this.#snapshots.has(id) ? null : this.#snapshots.create(id);
  }

  /** Lets the oldest snapshot go, with the log up to the next one, for as long as there is a next one and too much or too old. */
  clean(now: Millis): void {
    for (;;) {
      const [oldest, next] = this.#snapshots.ids;
      if (oldest === undefined || next === undefined || next.offset > this.highWatermark) return;
      if (!this.#isTooMuch() && !this.#isTooOld(oldest, now)) return;
      this.#log.maybeIncrementLogStartOffset(next.offset);
      this.#log.deleteOldSegments(now);
      this.#snapshots.remove(oldest);
    }
  }

  close(): Promise<void> {
    return this.#log.close({ flush: true });
  }

  #isTooMuch(): boolean {
    const { retentionBytes } = this.#options;
    if (retentionBytes < 0) return false;
    const snapshotBytes = this.#snapshots.ids.reduce((sum, id) => sum + this.#snapshots.sizeOf(id), 0);
    return this.#log.sizeInBytes + snapshotBytes > retentionBytes;
  }

  #isTooOld(id: OffsetAndEpoch, now: Millis): boolean {
    const { retentionMs } = this.#options;
    if (retentionMs < 0) return false;
    const source = this.#snapshots.open(id);
    try {
      return now - readSnapshotFacts(source).lastContainedLogTimestamp > retentionMs;
    } finally {
      source.close();
    }
  }

  /** A snapshot beyond the log's end replaces the log; a log that does not begin at 0 needs a snapshot of what came before. */
  #reconcile(): void {
    const latest = this.#snapshots.ids.at(-1);
    if (latest !== undefined && latest.offset > this.#log.logEndOffset) this.#log.truncateFullyAndStartAt(latest.offset);
    const { startOffset } = this;
    if (startOffset > 0 && (latest === undefined || latest.offset < startOffset)) {
      throw new SnapshotError(`the metadata log begins at offset ${startOffset}, but no snapshot holds what came before`);
    }
  }
}

function wholeBatchesBefore(bytes: Buffer, end: number): Buffer {
  let length = 0;
  for (const batch of batchesOf(bytes)) {
    if (batch.baseOffset >= end) break;
    length = batch.end;
  }
  return bytes.subarray(0, length);
}
