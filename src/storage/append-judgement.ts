import type { Millis } from '../base/clock.ts';
import type { Codec } from '../protocol/compression/index.ts';
import { NO_TIMESTAMP } from '../protocol/records/batch-layout.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { DECOMPRESSED_BYTES_MAX } from '../protocol/records/record-iterator.ts';
import type { ScanResult } from '../protocol/records/record-scan.ts';
import type { LogConfig } from './log-configs.ts';
import { isOutOfRange, type TimestampRange } from './record-errors.ts';

/** The rules of an append that do not depend on how its records are looked at: all at once, or piece by piece. */
export interface JudgementRules {
  readonly config: LogConfig;
  readonly now: Millis;
}

/** 2^63: Kafka's differences of times are 64-bit integers, so that nothing is further away than this. */
const TIME_DIFFERENCE_MAX = 2 ** 63;
const ANY_TIME: TimestampRange = { earliest: -Infinity, latest: Infinity };

/** Only the kind of compression counts, not its level. Markers are small and read often: they stay as they are. */
export function targetCodec(batch: RecordBatch, { compressionType }: LogConfig): Codec {
  if (compressionType === 'producer' || batch.isControl) return batch.codec;
  return compressionType === 'uncompressed' ? 'none' : compressionType;
}

export function levelOf(codec: Codec, config: LogConfig): { readonly level?: number } {
  if (codec === 'gzip') return { level: config.gzipLevel };
  if (codec === 'zstd') return { level: config.zstdLevel };
  return codec === 'lz4' ? { level: config.lz4Level } : {};
}

/** Room for a hundred to one at the default limit of a batch. */
export function decompressedBytesMax(config: LogConfig): number {
  return Math.max(DECOMPRESSED_BYTES_MAX, config.maxMessageBytes);
}

export function maxRecordBytes(batch: RecordBatch, config: LogConfig): number {
  return batch.codecId === 0 ? Infinity : config.maxDecompressedMessageBytes;
}

/** The times that records may have; any, where the log's own time is used. */
export function acceptedTimes({ config, now }: JudgementRules): TimestampRange {
  if (config.messageTimestampType === 'LogAppendTime') return ANY_TIME;
  return {
    earliest: now - Math.min(config.messageTimestampBeforeMaxMs, TIME_DIFFERENCE_MAX),
    latest: now + Math.min(config.messageTimestampAfterMaxMs, TIME_DIFFERENCE_MAX),
  };
}

const claimsLogTime = (batch: RecordBatch): boolean => batch.timestampType === 'log-append-time';

/** A batch that claims the log's time already is judged by that time, where it is not refused for the claim. */
export function scannedTimes(batch: RecordBatch, rules: JudgementRules): TimestampRange {
  return claimsLogTime(batch) ? ANY_TIME : acceptedTimes(rules);
}

/** Whether any record of a well-formed batch is not accepted. */
export function isRefused(batch: RecordBatch, scanned: ScanResult, rules: JudgementRules): boolean {
  const { config } = rules;
  const isClaimRefused =
    claimsLogTime(batch) &&
    (config.messageTimestampType === 'LogAppendTime' ||
      batch.maxTimestamp === NO_TIMESTAMP ||
      isOutOfRange(batch.maxTimestamp, acceptedTimes(rules)));
  return isClaimRefused || scanned.isTimestampOutOfRange || (config.isCompacted && scanned.isKeyMissing);
}

/** Records that count their times from the first one's can stay as they are written when the batch is encoded again. */
export function keepsTimes(batch: RecordBatch, { firstTimestamp }: { readonly firstTimestamp: number }): boolean {
  return !claimsLogTime(batch) && firstTimestamp === batch.baseTimestamp;
}
