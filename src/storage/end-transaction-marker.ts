import { readControlRecord } from '../protocol/records/control-record.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';

export interface EndTransactionMarker {
  readonly isAbort: boolean;
  readonly coordinatorEpoch: number;
}

/**
 * The transaction marker that a control batch holds; null for other control records and for a batch that compaction emptied. Throws CorruptBatchError for what is
 * no control record.
 */
export function readEndTransactionMarker(batch: RecordBatch): EndTransactionMarker | null {
  for (const record of recordsOf(batch)) {
    const control = readControlRecord(record);
    if (control.type !== 'ABORT' && control.type !== 'COMMIT') return null;
    return { isAbort: control.type === 'ABORT', coordinatorEpoch: control.value.coordinatorEpoch };
  }
  return null;
}
