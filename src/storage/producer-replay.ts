import { HeaderScan, LONG_SCAN_BYTES } from './header-scan.ts';
import type { LogSegment } from './log-segment.ts';
import type { ProducerStateManager } from './producer-state-manager.ts';
import type { SegmentList } from './segment-list.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';

/** Where a producer's state is to be rebuilt from, and up to which offset. */
export interface ProducerReplay {
  readonly producers: ProducerStateManager;
  readonly segments: SegmentList;
  readonly logStartOffset: number;
  readonly logEndOffset: number;
  readonly nowMs: number;
}

/** Brings the producers' state to that at `logEndOffset`, from the newest snapshot at or before it and the batches that follow. */
export function rebuildProducers({ producers, segments, logStartOffset, logEndOffset, nowMs }: ProducerReplay): void {
  producers.reload(logStartOffset, logEndOffset, nowMs);
  for (const segment of segments.between(producers.endOffset, logEndOffset)) {
    replaySegment(producers, segment, { from: producers.endOffset, to: logEndOffset });
  }
  producers.endOffset = logEndOffset;
}

function replaySegment(
  producers: ProducerStateManager,
  segment: LogSegment,
  range: { readonly from: number; readonly to: number },
): void {
  const start = segment.find(range.from);
  if (start === null) return;
  const scan = new HeaderScan(segment.log, start.position, { blockBytes: LONG_SCAN_BYTES });
  while (scan.next() && scan.batch.baseOffset < range.to) {
    if (scan.batch.hasProducerId) replayBatch(producers, scan.batch.isControl ? scan.wholeBatch() : scan.batch);
    producers.endOffset = scan.batch.nextOffset;
  }
}

/** Takes a batch that is in the log already. A control batch must be whole; of others only the header is looked at. */
export function replayBatch(
  producers: ProducerStateManager,
  batch: RecordBatch,
  completed: Parameters<ProducerStateManager['apply']>[1] = () => undefined,
): void {
  producers.apply(producers.prepare([batch], 'replication'), completed);
}
