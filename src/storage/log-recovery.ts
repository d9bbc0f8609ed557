import { BatchScan } from './batch-scan.ts';
import type { EpochFile } from './epoch-file.ts';
import type { LogSegment } from './log-segment.ts';
import { replayBatch } from './producer-replay.ts';
import type { ProducerStateManager } from './producer-state-manager.ts';

/** What recovery brings up to date besides the segment itself. */
export interface RecoveredState {
  readonly epochs: EpochFile;
  readonly producers: ProducerStateManager;
}

/** Where the whole batches of a segment end, and the offset that follows them. */
export interface RecoveredEnd {
  readonly position: number;
  readonly nextOffset: number;
}

/** Reads a whole segment up to the first place that is no batch, and makes indexes, leader epochs and producers' state again from what is whole. */
export function recoverSegment(segment: LogSegment, { epochs, producers }: RecoveredState): RecoveredEnd {
  segment.resetIndexes();
  segment.transactionIndex.clear();
  const scan = new BatchScan(segment.log);
  let nextOffset = segment.baseOffset;
  let end = 0;
  while (scan.next()) {
    const { batch, position } = scan;
    if (batch.baseOffset < nextOffset || batch.lastOffset < batch.baseOffset || !segment.canHold(batch.lastOffset)) break;
    segment.noteBatch(batch, position);
    if (batch.partitionLeaderEpoch >= 0) noteEpoch(epochs, batch.partitionLeaderEpoch, batch.baseOffset);
    if (batch.hasProducerId) {
      replayBatch(producers, batch, (transaction, lastStableOffset) => {
        if (transaction.isAborted) segment.transactionIndex.append({ ...transaction, lastStableOffset });
      });
    }
    nextOffset = batch.nextOffset;
    producers.endOffset = nextOffset;
    end = scan.nextPosition;
  }
  return { position: end, nextOffset };
}

/** Cuts off what recovery did not find whole. */
export function endRecovery(segment: LogSegment, { position }: RecoveredEnd): void {
  segment.log.truncate(position);
  segment.log.distrust();
  segment.closeTimeIndex();
  segment.writeIndexes();
}

function noteEpoch({ cache }: EpochFile, epoch: number, startOffset: number): void {
  const { latest } = cache;
  if (latest === null || epoch > latest.epoch) cache.assign(epoch, startOffset);
}
