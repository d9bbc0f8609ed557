import type { CoordinatorLoader, LoadedBatch, PartitionWriter } from '../coordinator/runtime/partition-writer.ts';
import { KafkaError } from '../protocol/errors.ts';
import { batchesOf } from '../protocol/records/batches.ts';
import { controlTypeOf } from '../protocol/records/control-record.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import type { Partition } from '../replication/partition.ts';
import type { ReplicaManager } from '../replication/replica-manager.ts';
import type { TransactionalAppend } from '../storage/producer-state-manager.ts';
import type { PartitionLog } from '../storage/partition-log.ts';

export interface CoordinatorLogOptions {
  readonly topic: string;
  readonly replicaManager: ReplicaManager;
  readonly compression: () => PartitionWriter['compression'];
  /** How much of the log is read at a time. */
  readonly loadBufferBytes: () => number;
}

/** The log of a coordinator's topic: its partitions that this broker leads. */
export class CoordinatorLog implements PartitionWriter, CoordinatorLoader {
  readonly #options: CoordinatorLogOptions;

  constructor(options: CoordinatorLogOptions) {
    this.#options = options;
  }

  get compression(): PartitionWriter['compression'] {
    return this.#options.compression();
  }

  maxBatchBytes(partition: number): number {
    return this.#log(partition).config.maxMessageBytes;
  }

  append(partition: number, batch: Buffer, transactional?: TransactionalAppend): number {
    return this.#options.replicaManager.appendNow(this.#partition(partition), batch, transactional);
  }

  watch(partition: number, watcher: (highWatermark: number) => void): () => void {
    const watched = this.#partition(partition);
    return this.#options.replicaManager.watch(watched, () => {
      // One that is led no longer is resigned from by whoever follows the metadata.
      if (watched.isLeader && watched.log !== null) watcher(watched.log.highWatermark);
    });
  }

  highWatermark(partition: number): number {
    return this.#log(partition).highWatermark;
  }

  *batches(partition: number): Generator<LoadedBatch> {
    let buffer = Buffer.alloc(0);
    let offset = this.#log(partition).logStartOffset;
    for (;;) {
      // Between two steps the partition may have moved.
      const log = this.#log(partition);
      if (offset >= log.logEndOffset) return;
      const { region } = log.read(offset, { maxBytes: this.#options.loadBufferBytes(), upTo: 'log-end', minOneBatch: true });
      if (region === null) return;
      let bytes: Buffer;
      try {
        if (region.length > buffer.length) buffer = Buffer.allocUnsafe(region.length);
        bytes = buffer.subarray(0, region.file.read(buffer.subarray(0, region.length), region.position));
      } finally {
        region.release();
      }
      const before = offset;
      for (const batch of batchesOf(bytes)) {
        offset = batch.nextOffset;
        if (batch.nextOffset > before) yield loadedBatch(batch);
      }
      if (offset === before)
        throw new KafkaError('KAFKA_STORAGE_ERROR', `Nothing can be read of partition ${partition} at offset ${offset}.`);
    }
  }

  #partition(partition: number): Partition {
    return this.#options.replicaManager.byName(this.#options.topic, partition);
  }

  #log(partition: number): PartitionLog {
    return this.#partition(partition).leaderLog;
  }
}

function loadedBatch(batch: RecordBatch): LoadedBatch {
  const { baseOffset, nextOffset, isControl, isTransactional, producerId, producerEpoch } = batch;
  const producer = isTransactional ? { producerId, producerEpoch } : { producerId: -1, producerEpoch: -1 };
  const place = { baseOffset, nextOffset, ...producer };
  return isControl
    ? { ...place, endOfTransaction: endOfTransaction(batch), records: [] }
    : { ...place, endOfTransaction: null, records: recordsOf(batch) };
}

function endOfTransaction(batch: RecordBatch): LoadedBatch['endOfTransaction'] {
  for (const { key } of recordsOf(batch)) {
    const type = controlTypeOf(key);
    if (type === 'COMMIT') return 'commit';
    if (type === 'ABORT') return 'abort';
  }
  return null;
}
