import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { simulatedEnvironment } from '../simulation/simulated-environment.ts';
import { nodeDisk } from '../src/platform/node-disk.ts';
import { RecordBatch } from '../src/protocol/records/record-batch.ts';
import { buildBatch } from '../src/protocol/records/record-batch-builder.ts';
import { defaultLogConfig, type LogConfig } from '../src/storage/log-configs.ts';
import { PartitionLog } from '../src/storage/partition-log.ts';

/**
 * What a log costs on the real disk, in microseconds of processor time (user + system): appends of one batch, validated or as a follower, reads without the bytes, opening, and
 * acknowledgements a second with flush.messages=1.
 *
 *   node bench/partition-log.ts
 */
const root = mkdtempSync(join(tmpdir(), 'ottla-bench-'));
const environment = { ...simulatedEnvironment(), disk: nodeDisk };
const BYTES_WRITTEN = 400_000_000;
const MEGABYTE = 1 << 20;

function openLog(name: string, options: { readonly config?: Partial<LogConfig>; readonly isClean?: boolean } = {}): PartitionLog {
  return PartitionLog.open(environment, {
    directory: join(root, `${name}-0`),
    topicPartition: { topic: name, partition: 0 },
    topicId: null,
    config: { ...defaultLogConfig, messageTimestampAfterMaxMs: Infinity, ...options.config },
    logStartOffset: 0,
    recoveryPoint: 0,
    hadCleanShutdown: options.isClean ?? true,
  });
}

function measure(name: string, times: number, work: () => void): void {
  for (let index = 0; index < times / 5; index++) work();
  const before = process.cpuUsage();
  for (let index = 0; index < times; index++) work();
  const { user, system } = process.cpuUsage(before);
  console.log(`${name.padEnd(48)} ${(user / times).toFixed(2).padStart(9)} + ${(system / times).toFixed(2).padStart(8)} µs`);
}

async function measureLog(batchBytes: number, count: number): Promise<void> {
  const value = Buffer.alloc(Math.floor(batchBytes / count) - 9, 'x');
  const bytes = buildBatch({ records: Array.from({ length: count }, (_, index) => ({ timestamp: 1_000 + index, value })) });
  const name = `${bytes.length} B, ${count} records`;
  const batch = new RecordBatch(bytes);
  const log = openLog(`batches-${bytes.length}-${count}`);
  const times = Math.ceil(Math.min(30_000, BYTES_WRITTEN / 2 / bytes.length));
  measure(`append ${name}`, times, () => {
    batch.setBaseOffset(0);
    log.appendAsLeader(bytes, { leaderEpoch: 0, origin: 'client', now: 1_000 });
  });
  measure(`append ${name}, as follower`, times / 2, () => {
    batch.setBaseOffset(log.logEndOffset);
    log.appendAsFollower(bytes);
  });
  log.updateHighWatermark(log.logEndOffset);
  const readAt = (offset: number): void => {
    log.read(offset, { maxBytes: MEGABYTE, upTo: 'high-watermark', minOneBatch: true }).region?.release();
  };
  let next = 0;
  const step = Math.max(1, Math.floor(MEGABYTE / bytes.length)) * count;
  measure('read 1 MiB after 1 MiB', 20_000, () => {
    readAt(next);
    next = (next + step) % log.logEndOffset;
  });
  measure('read anywhere', 20_000, () => readAt(environment.random.integer(log.logEndOffset)));
  measure('read the last batch', 20_000, () => readAt(log.logEndOffset - 1));
  measure('read at the end, nothing there', 20_000, () => readAt(log.logEndOffset));
  const size = log.sizeInBytes;
  await log.close({ flush: true });
  const start = performance.now();
  const again = openLog(`batches-${bytes.length}-${count}`, { isClean: false });
  console.log(`open after a crash: ${(size / 1e6 / (performance.now() - start)).toFixed(2)} GB/s`);
  await again.abandon();
}

async function measureMany(count: number): Promise<void> {
  const bytes = buildBatch({ records: [{ value: Buffer.from('x') }] });
  const timed = async (name: string, work: () => unknown): Promise<void> => {
    const start = performance.now();
    await work();
    console.log(`${name} ${count} logs: ${(performance.now() - start).toFixed(0)} ms`);
  };
  const logs: PartitionLog[] = [];
  await timed('make', () => {
    for (let index = 0; index < count; index++) logs.push(openLog(`many-${index}`));
  });
  for (const log of logs) log.appendAsLeader(Buffer.from(bytes), { leaderEpoch: 0, origin: 'coordinator', now: 1_000 });
  await timed('close, each with something to flush,', () => Promise.all(logs.map((log) => log.close({ flush: true }))));
  const opened: PartitionLog[] = [];
  await timed('open', () => {
    for (let index = 0; index < count; index++) opened.push(openLog(`many-${index}`));
  });
  await Promise.all(opened.map((log) => log.abandon()));
}

async function measureGroupCommit(callers: number): Promise<void> {
  const log = openLog(`group-${callers}`, { config: { flushMessages: 1 } });
  const bytes = buildBatch({ records: [{ timestamp: 1_000, value: Buffer.alloc(900) }] });
  let acknowledged = 0;
  const produce = async (): Promise<void> => {
    for (let index = 0; index < 200; index++) {
      await log.appendAsLeader(Buffer.from(bytes), { leaderEpoch: 0, origin: 'client', now: 1_000 }).flushed;
      acknowledged++;
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: callers }, produce));
  const rate = (acknowledged / (performance.now() - start)) * 1000;
  console.log(`flush.messages=1, ${callers} waiting: ${rate.toFixed(0)} acknowledgements/s`);
  await log.close({ flush: false });
}

try {
  await measureLog(1_024, 10);
  await measureLog(16_384, 160);
  await measureLog(131_072, 1_280);
  await measureMany(1_000);
  for (const callers of [1, 50]) await measureGroupCommit(callers);
} finally {
  rmSync(root, { recursive: true });
}
