import type { Millis } from '../base/clock.ts';

/** The broker's configs that the log manager goes by; `Infinity` for "never". */
export interface LogManagerSettings {
  /** log.initial.task.delay.ms */
  readonly initialTaskDelayMs: Millis;
  /** log.retention.check.interval.ms */
  readonly retentionCheckIntervalMs: Millis;
  /** log.flush.scheduler.interval.ms */
  readonly flushSchedulerIntervalMs: Millis;
  /** log.flush.offset.checkpoint.interval.ms */
  readonly recoveryPointCheckpointIntervalMs: Millis;
  /** log.flush.start.offset.checkpoint.interval.ms */
  readonly logStartCheckpointIntervalMs: Millis;
  /** replica.high.watermark.checkpoint.interval.ms */
  readonly highWatermarkCheckpointIntervalMs: Millis;
  /** producer.id.expiration.ms */
  readonly producerIdExpirationMs: Millis;
  /** producer.id.expiration.check.interval.ms */
  readonly producerIdExpirationCheckIntervalMs: Millis;
}

export const defaultLogManagerSettings: LogManagerSettings = {
  initialTaskDelayMs: 30_000,
  retentionCheckIntervalMs: 300_000,
  flushSchedulerIntervalMs: Infinity,
  recoveryPointCheckpointIntervalMs: 60_000,
  logStartCheckpointIntervalMs: 60_000,
  highWatermarkCheckpointIntervalMs: 5_000,
  producerIdExpirationMs: 86_400_000,
  producerIdExpirationCheckIntervalMs: 600_000,
};
