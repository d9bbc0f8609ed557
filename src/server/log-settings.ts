import type { ConfigStore } from '../config/config-store.ts';
import { NO_LIMIT } from '../protocol/schema.ts';
import type { LogManagerSettings } from '../storage/log-manager-settings.ts';

const orNever = (ms: number | null): number => (ms === null || ms === NO_LIMIT ? Infinity : ms);

/** What the log manager goes by, out of the broker's configs. How long producers are remembered may change while it runs. */
export function logManagerSettings(configs: ConfigStore): LogManagerSettings {
  const config = configs.broker();
  return {
    initialTaskDelayMs: config['log.initial.task.delay.ms'],
    retentionCheckIntervalMs: config['log.retention.check.interval.ms'],
    flushSchedulerIntervalMs: orNever(config['log.flush.scheduler.interval.ms']),
    recoveryPointCheckpointIntervalMs: config['log.flush.offset.checkpoint.interval.ms'],
    logStartCheckpointIntervalMs: config['log.flush.start.offset.checkpoint.interval.ms'],
    highWatermarkCheckpointIntervalMs: config['replica.high.watermark.checkpoint.interval.ms'],
    get producerIdExpirationMs() {
      return configs.broker()['producer.id.expiration.ms'];
    },
    producerIdExpirationCheckIntervalMs: config['producer.id.expiration.check.interval.ms'],
  };
}
