import type { TransactionalAppend } from '../../storage/producer-state-manager.ts';

/** The log of a coordinator's partition, as the runtime needs it: the leader's replica on this broker fulfils it. */
export interface PartitionWriter {
  /** The largest batch that the partition takes, in bytes. */
  maxBatchBytes(partition: number): number;
  /** The codec that batches are compressed with. */
  readonly compression: 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
  /**
   * Appends one batch as the leader and gives the offset behind it; it is committed when the high watermark has passed. Throws a KafkaError when it was not
   * written: NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS, KAFKA_STORAGE_ERROR, MESSAGE_TOO_LARGE …
   * `transactional` is for records of a transaction, and for the marker that ends one.
   */
  append(partition: number, batch: Buffer, transactional?: TransactionalAppend): number;
  /**
   * Calls back when the high watermark moves, and once with an error when the partition is no longer led here. May call back while `append` runs. Gives the
   * way to withdraw that.
   */
  watch(partition: number, watcher: (highWatermark: number) => void): () => void;
  /** The current high watermark. Throws a KafkaError if this broker does not lead the partition. */
  highWatermark(partition: number): number;
}

/** A batch of a coordinator's log. */
export interface LoadedBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** −1 outside of a transaction. */
  readonly producerId: number;
  readonly producerEpoch: number;
  /** For the marker that ends a transaction, whose batch has no other records. */
  readonly endOfTransaction: 'commit' | 'abort' | null;
  readonly records: Iterable<{ readonly offset: number; readonly key: Uint8Array | null; readonly value: Uint8Array | null }>;
}

/** Reads a coordinator's log from its start to its end. */
export interface CoordinatorLoader {
  /** The batches that there are, in order; throws a KafkaError when they cannot be read (NOT_LEADER_OR_FOLLOWER when the partition has moved). */
  batches(partition: number): Iterable<LoadedBatch> | AsyncIterable<LoadedBatch>;
}
