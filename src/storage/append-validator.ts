import type { RecordBatch } from '../protocol/records/record-batch.ts';

/** Why a record was refused. */
export interface RecordError {
  readonly batchIndex: number;
  readonly message: string | null;
}

/** Until the records helper's LogValidator lands: gives batches their offsets and epoch in place. */
export interface ValidationOptions {
  readonly firstOffset: number;
  readonly leaderEpoch: number;
  readonly logAppendTime: number | null;
}

export function assignOffsets(batches: readonly RecordBatch[], options: ValidationOptions): void {
  let offset = options.firstOffset;
  for (const batch of batches) {
    batch.setBaseOffset(offset);
    batch.setPartitionLeaderEpoch(options.leaderEpoch);
    if (options.logAppendTime !== null) batch.setMaxTimestamp('log-append-time', options.logAppendTime);
    offset = batch.nextOffset;
  }
}
