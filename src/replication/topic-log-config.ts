import type { TopicConfig } from '../config/topic-configs.ts';
import { NO_LIMIT } from '../protocol/schema.ts';
import type { LogConfig } from '../storage/log-configs.ts';

/** A limit that is none for storage, which compares and subtracts it. */
const limit = (value: number): number => (value === NO_LIMIT ? Infinity : value);

/** How the logs of a topic behave, out of its effective configs. */
export const topicLogConfig = (config: TopicConfig): LogConfig => ({
  segmentBytes: config['internal.segment.bytes'] ?? config['segment.bytes'],
  segmentMs: limit(config['segment.ms']),
  segmentJitterMs: Math.min(config['segment.jitter.ms'], config['segment.ms']),
  segmentIndexBytes: config['segment.index.bytes'],
  indexIntervalBytes: config['index.interval.bytes'],
  flushMessages: limit(config['flush.messages']),
  flushMs: limit(config['flush.ms']),
  retentionBytes: config['retention.bytes'],
  retentionMs: config['retention.ms'],
  fileDeleteDelayMs: config['file.delete.delay.ms'],
  maxMessageBytes: config['max.message.bytes'],
  maxDecompressedMessageBytes: config['max.decompressed.message.bytes'],
  isCompacted: config['cleanup.policy'].includes('compact'),
  deletesOld: config['cleanup.policy'].includes('delete'),
  compressionType: config['compression.type'],
  gzipLevel: config['compression.gzip.level'],
  lz4Level: config['compression.lz4.level'],
  zstdLevel: config['compression.zstd.level'],
  messageTimestampType: config['message.timestamp.type'],
  messageTimestampBeforeMaxMs: limit(config['message.timestamp.before.max.ms']),
  messageTimestampAfterMaxMs: limit(config['message.timestamp.after.max.ms']),
  deleteRetentionMs: config['delete.retention.ms'],
  minCompactionLagMs: config['min.compaction.lag.ms'],
  maxCompactionLagMs: limit(config['max.compaction.lag.ms']),
  minCleanableDirtyRatio: config['min.cleanable.dirty.ratio'],
  minInsyncReplicas: config['min.insync.replicas'],
  uncleanLeaderElection: config['unclean.leader.election.enable'],
});
