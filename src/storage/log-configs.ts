/** How one log behaves: its topic's configs, typed. Times in milliseconds, sizes in bytes, −1 for "no limit" where Kafka says so. */
export interface LogConfig {
  readonly segmentBytes: number;
  readonly segmentMs: number;
  readonly segmentJitterMs: number;
  readonly segmentIndexBytes: number;
  readonly indexIntervalBytes: number;
  readonly flushMessages: number;
  readonly flushMs: number;
  readonly retentionBytes: number;
  readonly retentionMs: number;
  readonly fileDeleteDelayMs: number;
  readonly maxMessageBytes: number;
  readonly maxDecompressedMessageBytes: number;
  readonly isCompacted: boolean;
  readonly deletesOld: boolean;
  readonly compressionType: 'producer' | 'uncompressed' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
  readonly gzipLevel: number;
  readonly lz4Level: number;
  readonly zstdLevel: number;
  readonly messageTimestampType: 'CreateTime' | 'LogAppendTime';
  readonly messageTimestampBeforeMaxMs: number;
  readonly messageTimestampAfterMaxMs: number;
  readonly deleteRetentionMs: number;
  readonly minCompactionLagMs: number;
  readonly maxCompactionLagMs: number;
  readonly minCleanableDirtyRatio: number;
  readonly minInsyncReplicas: number;
  readonly uncleanLeaderElection: boolean;
}

/** Kafka's "no limit" of a LONG config. */
const NO_LIMIT = Infinity;

export const defaultLogConfig: LogConfig = {
  segmentBytes: 1_073_741_824,
  segmentMs: 604_800_000,
  segmentJitterMs: 0,
  segmentIndexBytes: 10_485_760,
  indexIntervalBytes: 4096,
  flushMessages: NO_LIMIT,
  flushMs: NO_LIMIT,
  retentionBytes: -1,
  retentionMs: 604_800_000,
  fileDeleteDelayMs: 60_000,
  maxMessageBytes: 1_048_588,
  maxDecompressedMessageBytes: 2_147_483_639,
  isCompacted: false,
  deletesOld: true,
  compressionType: 'producer',
  gzipLevel: -1,
  lz4Level: 9,
  zstdLevel: 3,
  messageTimestampType: 'CreateTime',
  messageTimestampBeforeMaxMs: NO_LIMIT,
  messageTimestampAfterMaxMs: 3_600_000,
  deleteRetentionMs: 86_400_000,
  minCompactionLagMs: 0,
  maxCompactionLagMs: NO_LIMIT,
  minCleanableDirtyRatio: 0.5,
  minInsyncReplicas: 1,
  uncleanLeaderElection: false,
};
