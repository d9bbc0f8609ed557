import type { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import type { Logger } from '../../src/base/logger.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { defaultLogConfig, type LogConfig } from '../../src/storage/log-configs.ts';
import type { LogRead } from '../../src/storage/log-read.ts';
import { PartitionLog } from '../../src/storage/partition-log.ts';
import type { StorageError } from '../../src/storage/storage-error.ts';

export const DIRECTORY = '/data/orders-0';

export interface TestLog {
  readonly log: PartitionLog;
  readonly environment: SimulatedEnvironment;
  readonly disk: SimulatedDisk;
  readonly failures: StorageError[];
}

export interface TestLogOptions {
  readonly config?: Partial<LogConfig>;
  readonly disk?: SimulatedDisk;
  readonly hadCleanShutdown?: boolean;
  readonly logStartOffset?: number;
  readonly recoveryPoint?: number;
  readonly logger?: Logger;
}

/** A log on a simulated disk. */
export function openTestLog(options: TestLogOptions = {}): TestLog {
  const { disk, logger } = options;
  const environment = simulatedEnvironment({
    ...(disk === undefined ? {} : { disk }),
    ...(logger === undefined ? {} : { logger }),
  });
  environment.disk.makeDirectory('/data');
  environment.disk.syncDirectory('/');
  const failures: StorageError[] = [];
  const log = PartitionLog.open(environment, {
    directory: DIRECTORY,
    topicPartition: { topic: 'orders', partition: 0 },
    topicId: 'AAAAAAAAAAAAAAAAAAAAAw',
    config: { ...defaultLogConfig, messageTimestampAfterMaxMs: Infinity, ...options.config },
    logStartOffset: options.logStartOffset ?? 0,
    recoveryPoint: options.recoveryPoint ?? 0,
    hadCleanShutdown: options.hadCleanShutdown ?? true,
    failed: (error) => void failures.push(error),
  });
  return { log, environment, disk: environment.disk, failures };
}

export interface TestBatch {
  readonly count?: number;
  readonly timestamp?: number;
  readonly valueBytes?: number;
  readonly baseOffset?: number;
  readonly epoch?: number;
}

export const testBatch = ({
  count = 1,
  timestamp = 1_000,
  valueBytes = 10,
  baseOffset = 0,
  epoch = -1,
}: TestBatch = {}): Buffer =>
  buildBatch({
    records: Array.from({ length: count }, (_, index) => ({ timestamp: timestamp + index, value: Buffer.alloc(valueBytes, 97) })),
    baseOffset,
    partitionLeaderEpoch: epoch,
  });

export const append = (log: PartitionLog, batch: TestBatch = {}, leaderEpoch = 0) =>
  log.appendAsLeader(testBatch(batch), { leaderEpoch, origin: 'client', now: 1_000 });

/** The bytes of a read, which is then released. */
export function bytesOf(read: LogRead): Buffer {
  if (read.region === null) return Buffer.alloc(0);
  const bytes = Buffer.alloc(read.region.length);
  read.region.file.read(bytes, read.region.position);
  read.region.release();
  return bytes;
}
