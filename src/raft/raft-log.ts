/** A position in the metadata log: an offset that comes next, and the epoch of what comes before it. */
export interface OffsetAndEpoch {
  readonly offset: number;
  readonly epoch: number;
}

/**
 * The metadata log as the quorum needs it. Appends reach the page cache when they return and the device when a later `flush`
 * resolves; only then may a voter count itself among those who hold them.
 */
export interface RaftLog {
  /** The first offset that is still there; what came before is in a snapshot. */
  readonly startOffset: number;
  /** The next offset to be written, and the epoch of the last record (0 for a log without any). */
  readonly end: OffsetAndEpoch;
  /** What a snapshot must not contain yet: offsets from here on may still be lost. */
  readonly highWatermark: number;
  /** Whole batches in the order of their offsets, which begin at the end of the log. */
  appendAsLeader(batches: readonly Uint8Array[], epoch: number): void;
  /** Makes all that was appended before the call durable. */
  flush(): Promise<void>;
  updateHighWatermark(offset: number): void;
  /** Batches from the one that holds `offset`, up to `end` (excluded), about `maxBytes` of them but at least one. */
  read(offset: number, end: number, maxBytes: number): Buffer;

  /** Ids of the snapshots on disk, oldest first. */
  snapshots(): readonly OffsetAndEpoch[];
  /** Opens a snapshot that exists. */
  readSnapshot(id: OffsetAndEpoch): SnapshotSource;
  /** Starts a snapshot; null if there is one with this id already. */
  createSnapshot(id: OffsetAndEpoch): SnapshotSink | null;
  /** Removes snapshots that are too old and what comes before the oldest that stays, by the log's retention. */
  clean(now: number): void;
  close(): Promise<void>;
}

/** The bytes of a snapshot on their way to the disk. */
export interface SnapshotSink {
  append(bytes: Uint8Array): void;
  readonly sizeInBytes: number;
  /** Makes it durable and gives it its name; from here on it exists. */
  freeze(): Promise<void>;
  /** Removes what was written, unless it is frozen. */
  discard(): void;
}

export interface SnapshotSource {
  readonly id: OffsetAndEpoch;
  readonly sizeInBytes: number;
  read(target: Uint8Array, position: number): number;
  close(): void;
}

/** The snapshot that a formatted directory begins with. It stands for no records of the log: it tells what the first leader has to write. */
export const BOOTSTRAP_SNAPSHOT_ID: OffsetAndEpoch = { offset: 0, epoch: 0 };

/** Orders by epoch, then by offset: the more complete log is the greater one. */
export function compareOffsetAndEpoch(a: OffsetAndEpoch, b: OffsetAndEpoch): number {
  return a.epoch === b.epoch ? a.offset - b.offset : a.epoch - b.epoch;
}
