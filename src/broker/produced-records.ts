import { KafkaError } from '../protocol/errors.ts';
import { CURRENT_MAGIC } from '../protocol/records/batch-layout.ts';
import { batchesOf } from '../protocol/records/batches.ts';
import { CorruptBatchError } from '../protocol/records/corrupt-batch-error.ts';
import { producedBatch } from '../protocol/records/produced-records.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Exactly one batch, of magic 2 and with a codec that the version of the request knows. The rest of the rules is the log's. Kafka tells a producer in
 * words only what its reader refused.
 */
export function checkProducedRecords(records: Buffer | null, version: number): asserts records is Buffer {
  try {
    producedBatch(version, records ?? NOTHING);
  } catch (error) {
    if (!(error instanceof KafkaError) || error instanceof CorruptBatchError) throw error;
    throw new KafkaError(error.errorName, undefined, { cause: error });
  }
}

/**
 * Whether the first batch belongs to a transaction. Throws CORRUPT_MESSAGE for a size or format that no batch has: the whole request is refused then, as
 * nobody can tell what else in it is meant.
 */
export function belongsToTransaction(records: Buffer | null): boolean {
  const first = batchesOf(records ?? NOTHING).next();
  return first.done !== true && first.value.magic === CURRENT_MAGIC && first.value.isTransactional;
}
