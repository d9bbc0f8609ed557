import { readInt16, readInt32 } from '../base/bytes/big-endian.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';

const ABORT = 0;
const COMMIT = 1;
const KEY_BYTES_MIN = 4;
const VALUE_BYTES_MIN = 6;

export interface EndTransactionMarker {
  readonly isAbort: boolean;
  readonly coordinatorEpoch: number;
}

/** The transaction marker that a control batch holds; null for other control records and for a batch that compaction emptied. */
export function readEndTransactionMarker(batch: RecordBatch): EndTransactionMarker | null {
  for (const { key, value } of recordsOf(batch)) {
    if (key === null || key.length < KEY_BYTES_MIN || value === null || value.length < VALUE_BYTES_MIN) return null;
    const type = readInt16(key, 2);
    if (type !== ABORT && type !== COMMIT) return null;
    return { isAbort: type === ABORT, coordinatorEpoch: readInt32(value, 2) };
  }
  return null;
}
