import { KafkaError } from '../errors.ts';
import { CURRENT_MAGIC } from './batch-layout.ts';
import { batchesOf } from './batches.ts';
import type { RecordBatch } from './record-batch.ts';

/** Since Produce version 3 (KIP-98) only message format 2, one batch a partition. */
const CURRENT_FORMAT_SINCE = 3;
/** KIP-110. */
const ZSTD_SINCE = 7;

/**
 * The one batch that a Produce request of `version` may carry for a partition. Throws INVALID_RECORD for none, several or an old format,
 * UNSUPPORTED_COMPRESSION_TYPE for zstd from a client that is older than it, CORRUPT_MESSAGE for a size or format that no batch has. An incomplete batch at the end
 * is not looked at.
 */
export function producedBatch(version: number, records: Uint8Array): RecordBatch {
  const batches = batchesOf(records);
  const first = batches.next();
  if (first.done === true) {
    throw new KafkaError(
      'INVALID_RECORD',
      `Produce requests with version ${version} must have at least one record batch per partition`,
    );
  }
  const batch = first.value;
  if (version >= CURRENT_FORMAT_SINCE && batch.magic !== CURRENT_MAGIC) {
    throw new KafkaError(
      'INVALID_RECORD',
      `Produce requests with version ${version} are only allowed to contain record batches with magic version 2`,
    );
  }
  if (version < ZSTD_SINCE && batch.codec === 'zstd') {
    throw new KafkaError(
      'UNSUPPORTED_COMPRESSION_TYPE',
      `Produce requests with version ${version} are not allowed to use ZStandard compression`,
    );
  }
  if (batches.next().done !== true) {
    throw new KafkaError(
      'INVALID_RECORD',
      `Produce requests with version ${version} are only allowed to contain exactly one record batch per partition`,
    );
  }
  return batch;
}
