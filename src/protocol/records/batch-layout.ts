/**
 * Where the fields of a record batch are (KIP-98, message format v2), as distances from the batch's first byte.
 *
 * `batchLength` counts the bytes after itself. The checksum covers everything from `attributes` to the end, so that a broker can write the two
 * fields before it (base offset and leader epoch) without touching it.
 */
export const BASE_OFFSET = 0;
export const BATCH_LENGTH = 8;
export const PARTITION_LEADER_EPOCH = 12;
export const MAGIC = 16;
export const CRC = 17;
export const ATTRIBUTES = 21;
export const LAST_OFFSET_DELTA = 23;
export const BASE_TIMESTAMP = 27;
export const MAX_TIMESTAMP = 35;
export const PRODUCER_ID = 43;
export const PRODUCER_EPOCH = 51;
export const BASE_SEQUENCE = 53;
export const RECORDS_COUNT = 57;
export const RECORDS = 61;

/** Bytes of a batch without any record. */
export const BATCH_OVERHEAD = RECORDS;
/** Base offset and length: what comes before the bytes that the length counts, in every message format. */
export const LOG_OVERHEAD = 12;
/** Bytes needed to know the format of a batch. */
export const HEADER_SIZE_UP_TO_MAGIC = 17;
/** The smallest length any message format has (that of magic 0). */
export const LENGTH_MIN = 14;
/** The record itself can add at most this many bytes to its key, value and headers. */
export const RECORD_OVERHEAD_MAX = 21;

export const CURRENT_MAGIC = 2;

export const CODEC_MASK = 0x07;
export const TIMESTAMP_TYPE_BIT = 0x08;
export const TRANSACTIONAL_BIT = 0x10;
export const CONTROL_BIT = 0x20;
export const DELETE_HORIZON_BIT = 0x40;

export const NO_TIMESTAMP = -1;
export const NO_PRODUCER_ID = -1;
export const NO_PRODUCER_EPOCH = -1;
/** A producer that has it can only be fenced: it gets another id. */
export const PRODUCER_EPOCH_MAX = 0x7fff;
export const NO_SEQUENCE = -1;
export const NO_PARTITION_LEADER_EPOCH = -1;

/** 'create-time': each record has its own; 'log-append-time': all records have the batch's maxTimestamp. */
export type TimestampType = 'none' | 'create-time' | 'log-append-time';
