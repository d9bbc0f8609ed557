import { TRANSACTIONAL_BIT, ATTRIBUTES, CURRENT_MAGIC, MAGIC } from '../protocol/records/batch-layout.ts';
import { producedBatch } from '../protocol/records/produced-records.ts';

const NOTHING = Buffer.alloc(0);

/** Exactly one batch, of magic 2 and with a codec that the version of the request knows. The rest of the rules is the log's. */
export function checkProducedRecords(records: Buffer | null, version: number): asserts records is Buffer {
  producedBatch(version, records ?? NOTHING);
}

/** Whether the first batch belongs to a transaction. */
export const isTransactional = (records: Buffer | null): boolean =>
  records !== null &&
  records.length > ATTRIBUTES + 1 &&
  records.readInt8(MAGIC) === CURRENT_MAGIC &&
  (records.readInt16BE(ATTRIBUTES) & TRANSACTIONAL_BIT) !== 0;
