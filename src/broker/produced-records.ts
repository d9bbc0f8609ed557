import { KafkaError } from '../protocol/errors.ts';

/** Where the fields of a batch header stand that decide whether it may be produced at all. */
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const ATTRIBUTES_AT = 21;
const LENGTH_EXCLUDES = 12;
const LENGTH_MIN = 14;
const HEADER_TO_MAGIC_BYTES = 17;
const CODEC_MASK = 0x07;
const ZSTD = 4;
const TRANSACTIONAL_BIT = 0x10;

/** The first Produce version that knows zstd (KIP-110). */
const ZSTD_VERSION = 7;

/** The size of the batch at `start` if all of it is there; null if what follows is less than a batch. */
const wholeBatchBytes = (records: Buffer, start: number): number | null => {
  const left = records.length - start;
  if (left < LENGTH_EXCLUDES) return null;
  const length = records.readInt32BE(start + LENGTH_AT);
  if (length < LENGTH_MIN) {
    throw new KafkaError('CORRUPT_MESSAGE', `Record size ${length} is less than the minimum record overhead (${LENGTH_MIN})`);
  }
  if (left < HEADER_TO_MAGIC_BYTES) return null;
  const magic = records.readInt8(start + MAGIC_AT);
  if (magic < 0 || magic > 2) throw new KafkaError('CORRUPT_MESSAGE', `Invalid magic found in record: ${magic}`);
  return left < length + LENGTH_EXCLUDES ? null : length + LENGTH_EXCLUDES;
};

/** Exactly one batch, of magic 2 and with a codec that the version of the request knows. The rest of the rules is the log's. */
export function checkProducedRecords(records: Buffer | null, version: number): asserts records is Buffer {
  const size = records === null ? null : wholeBatchBytes(records, 0);
  if (records === null || size === null || records.readInt8(MAGIC_AT) !== 2) throw new KafkaError('INVALID_RECORD');
  const codec = records.readInt16BE(ATTRIBUTES_AT) & CODEC_MASK;
  if (version < ZSTD_VERSION && codec === ZSTD) throw new KafkaError('UNSUPPORTED_COMPRESSION_TYPE');
  if (wholeBatchBytes(records, size) !== null) throw new KafkaError('INVALID_RECORD');
}

/** Whether the first batch belongs to a transaction. */
export const isTransactional = (records: Buffer | null): boolean =>
  records !== null &&
  records.length > ATTRIBUTES_AT + 1 &&
  records.readInt8(MAGIC_AT) === 2 &&
  (records.readInt16BE(ATTRIBUTES_AT) & TRANSACTIONAL_BIT) !== 0;
