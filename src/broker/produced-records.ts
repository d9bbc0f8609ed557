import { KafkaError } from '../protocol/errors.ts';
import { ATTRIBUTES, CURRENT_MAGIC, MAGIC, TRANSACTIONAL_BIT } from '../protocol/records/batch-layout.ts';
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

/** Whether the first batch belongs to a transaction. */
export const isTransactional = (records: Buffer | null): boolean =>
  records !== null &&
  records.length > ATTRIBUTES + 1 &&
  records.readInt8(MAGIC) === CURRENT_MAGIC &&
  (records.readInt16BE(ATTRIBUTES) & TRANSACTIONAL_BIT) !== 0;
