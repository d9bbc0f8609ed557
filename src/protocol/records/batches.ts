import { readInt32 } from '../../base/bytes/big-endian.ts';
import * as layout from './batch-layout.ts';
import { CorruptBatchError } from './corrupt-batch-error.ts';
import { LegacyBatch } from './legacy-batch.ts';
import { RecordBatch } from './record-batch.ts';

/**
 * The whole batches in `bytes[start, end)`, one after the other. A batch that is cut short ends them silently, as at the end of a fetch. Throws
 * CorruptBatchError for a size or a magic that no batch has, or a size over `maxBatchBytes` (counted as batchLength is). Messages of the old
 * formats come as LegacyBatch.
 */
export function* batchesOf(
  bytes: Uint8Array,
  options: { readonly start?: number; readonly end?: number; readonly maxBatchBytes?: number } = {},
): Generator<RecordBatch, void> {
  const end = options.end ?? bytes.length;
  let position = options.start ?? 0;
  for (;;) {
    const size = wholeBatchSize(bytes, position, { end, maxBatchBytes: options.maxBatchBytes ?? 0x7fff_ffff });
    if (size === 0) return;
    const isLegacy = (bytes[position + layout.MAGIC] as number) < layout.CURRENT_MAGIC;
    const batch = isLegacy ? new LegacyBatch(bytes, position) : new RecordBatch(bytes, position);
    position += size;
    yield batch;
  }
}

/** Bytes of the batch at `position`; 0 if it does not end at or before `end`. */
export function wholeBatchSize(
  bytes: Uint8Array,
  position: number,
  { end, maxBatchBytes }: { readonly end: number; readonly maxBatchBytes: number },
): number {
  const remaining = end - position;
  if (remaining < layout.LOG_OVERHEAD) return 0;
  const length = readInt32(bytes, position + layout.BATCH_LENGTH);
  if (length < layout.LENGTH_MIN) {
    throw new CorruptBatchError(`Record size ${length} is less than the minimum record overhead (${layout.LENGTH_MIN})`);
  }
  if (length > maxBatchBytes) {
    throw new CorruptBatchError(`Record size ${length} exceeds the largest allowable message size (${maxBatchBytes}).`);
  }
  if (remaining < layout.HEADER_SIZE_UP_TO_MAGIC) return 0;
  const magic = bytes[position + layout.MAGIC] as number;
  if (magic > layout.CURRENT_MAGIC) {
    // Kafka's magic is a signed byte.
    throw new CorruptBatchError(`Invalid magic found in record: ${(magic << 24) >> 24}`);
  }
  const size = layout.LOG_OVERHEAD + length;
  return size <= remaining ? size : 0;
}
