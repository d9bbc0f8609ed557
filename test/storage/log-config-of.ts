import { defaultLogConfig, type LogConfig } from '../../src/storage/log-configs.ts';

/** The topic's configs as text, defaults of the broker already in them. Throws nothing: validation is `config`'s business. */
export function logConfigOf(configs: ReadonlyMap<string, string>): LogConfig {
  const number = (name: string, fallback: number): number => {
    const text = configs.get(name);
    if (text === undefined || text === '') return fallback;
    const value = Number(text);
    return value >= 2 ** 63 ? Infinity : value;
  };
  const defaults = defaultLogConfig;
  const policies = (configs.get('cleanup.policy') ?? 'delete').split(',').map((policy) => policy.trim());
  const segmentMs = number('segment.ms', defaults.segmentMs);
  return {
    // A test of ours or Kafka's may set the internal config to roll sooner than segment.bytes allows.
    segmentBytes: number('internal.segment.bytes', number('segment.bytes', defaults.segmentBytes)),
    segmentMs,
    segmentJitterMs: Math.min(number('segment.jitter.ms', defaults.segmentJitterMs), segmentMs),
    segmentIndexBytes: number('segment.index.bytes', defaults.segmentIndexBytes),
    indexIntervalBytes: number('index.interval.bytes', defaults.indexIntervalBytes),
    flushMessages: number('flush.messages', defaults.flushMessages),
    flushMs: number('flush.ms', defaults.flushMs),
    retentionBytes: number('retention.bytes', defaults.retentionBytes),
    retentionMs: number('retention.ms', defaults.retentionMs),
    fileDeleteDelayMs: number('file.delete.delay.ms', defaults.fileDeleteDelayMs),
    maxMessageBytes: number('max.message.bytes', defaults.maxMessageBytes),
    maxDecompressedMessageBytes: number('max.decompressed.message.bytes', defaults.maxDecompressedMessageBytes),
    isCompacted: policies.includes('compact'),
    deletesOld: policies.includes('delete'),
    compressionType: compressionTypeOf(configs.get('compression.type')),
    gzipLevel: number('compression.gzip.level', defaults.gzipLevel),
    lz4Level: number('compression.lz4.level', defaults.lz4Level),
    zstdLevel: number('compression.zstd.level', defaults.zstdLevel),
    messageTimestampType: configs.get('message.timestamp.type') === 'LogAppendTime' ? 'LogAppendTime' : 'CreateTime',
    messageTimestampBeforeMaxMs: number('message.timestamp.before.max.ms', defaults.messageTimestampBeforeMaxMs),
    messageTimestampAfterMaxMs: number('message.timestamp.after.max.ms', defaults.messageTimestampAfterMaxMs),
    deleteRetentionMs: number('delete.retention.ms', defaults.deleteRetentionMs),
    minCompactionLagMs: number('min.compaction.lag.ms', defaults.minCompactionLagMs),
    maxCompactionLagMs: number('max.compaction.lag.ms', defaults.maxCompactionLagMs),
    minCleanableDirtyRatio: number('min.cleanable.dirty.ratio', defaults.minCleanableDirtyRatio),
    minInsyncReplicas: number('min.insync.replicas', defaults.minInsyncReplicas),
    uncleanLeaderElection: configs.get('unclean.leader.election.enable') === 'true',
  };
}

function compressionTypeOf(text: string | undefined): LogConfig['compressionType'] {
  const known = ['uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
  return known.find((type) => type === text) ?? 'producer';
}
