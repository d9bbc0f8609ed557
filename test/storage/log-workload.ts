import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { defaultLogConfig, type LogConfig } from '../../src/storage/log-configs.ts';
import { LogManager } from '../../src/storage/log-manager.ts';
import { defaultLogManagerSettings } from '../../src/storage/log-manager-settings.ts';
import type { PartitionLog } from '../../src/storage/partition-log.ts';
import type { SimulatedEnvironment } from '../../simulation/simulated-environment.ts';
import type { SimulatedRandom } from '../../simulation/simulated-random.ts';

export const TOPIC_PARTITION = { topic: 'model', partition: 0 };
export const DATA = '/data';

/** Small enough that a few appends roll, index and delete. */
export const tinyConfig: LogConfig = {
  ...defaultLogConfig,
  segmentBytes: 900,
  indexIntervalBytes: 100,
  retentionMs: -1,
  fileDeleteDelayMs: 10,
};

export const startManager = (environment: SimulatedEnvironment, config: LogConfig = tinyConfig): Promise<LogManager> =>
  LogManager.start(environment, {
    logDirectories: [DATA],
    configOf: () => config,
    settings: { ...defaultLogManagerSettings, initialTaskDelayMs: Infinity },
  });

/** A batch that was written, as the model knows it. */
export interface ModelBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly epoch: number;
  readonly content: string;
}

/** What a log holds, in plain arrays. */
export class LogModel {
  batches: ModelBatch[] = [];
  logStart = 0;
  logEnd = 0;
  highWatermark = 0;
  /** What no power loss may take. */
  durableEnd = 0;

  copy(): LogModel {
    return Object.assign(new LogModel(), this, { batches: [...this.batches] });
  }

  append(batches: readonly ModelBatch[]): void {
    this.batches.push(...batches);
    this.logEnd = batches.at(-1)?.nextOffset ?? this.logEnd;
  }

  truncateTo(offset: number): void {
    if (offset >= this.logEnd) return;
    this.batches = this.batches.filter((batch) => batch.nextOffset <= offset);
    this.logEnd = offset;
    this.logStart = Math.min(this.logStart, offset);
    this.highWatermark = Math.min(this.highWatermark, offset);
    this.durableEnd = Math.min(this.durableEnd, offset);
  }

  restartAt(offset: number): void {
    this.batches = [];
    this.logStart = this.logEnd = this.highWatermark = this.durableEnd = offset;
  }

  raiseStart(offset: number): void {
    this.logStart = Math.max(this.logStart, Math.min(offset, this.highWatermark));
  }

  readable(from: number): ModelBatch[] {
    return this.batches.filter((batch) => batch.nextOffset > from);
  }
}

/** Makes batches that are told apart by their content. */
export class BatchMaker {
  #count = 0;
  epoch = 1;
  readonly #random: SimulatedRandom;

  constructor(random: SimulatedRandom) {
    this.#random = random;
  }

  next(): Buffer {
    const records = Array.from({ length: 1 + this.#random.integer(3) }, () => ({
      timestamp: 1_000 + this.#count,
      value: Buffer.from(`${this.#count++}:${'v'.repeat(this.#random.integer(120))}`),
    }));
    return buildBatch({ records });
  }
}

export const modelOf = (bytes: Uint8Array): ModelBatch[] =>
  [...batchesOf(bytes)].map((batch) => ({
    baseOffset: batch.baseOffset,
    nextOffset: batch.nextOffset,
    epoch: batch.partitionLeaderEpoch,
    content: Buffer.from(batch.recordBytes).toString('latin1'),
  }));

/** Appends one made batch as a leader would, to log and model. */
export function appendTo(log: PartitionLog, model: LogModel, maker: BatchMaker): void {
  const bytes = maker.next();
  const info = log.appendAsLeader(bytes, { leaderEpoch: maker.epoch, origin: 'client', now: 2_000 });
  const batch = new RecordBatch(bytes);
  if (info.firstOffset !== batch.baseOffset) throw new Error('the answer tells the offset that was written');
  model.append(modelOf(bytes));
}

/** Everything a follower could read. */
export function contentOf(log: PartitionLog, from = log.logStartOffset): ModelBatch[] {
  const found: ModelBatch[] = [];
  for (let offset = from; offset < log.logEndOffset; ) {
    const { region } = log.read(offset, { maxBytes: 700, upTo: 'log-end', minOneBatch: true });
    if (region === null) throw new Error(`nothing to read at ${offset} though the log ends at ${log.logEndOffset}`);
    const bytes = Buffer.alloc(region.length);
    region.file.read(bytes, region.position);
    region.release();
    for (const batch of batchesOf(bytes)) if (!batch.isCrcValid()) throw new Error(`damaged bytes are served at ${offset}`);
    const batches = modelOf(bytes);
    found.push(...batches);
    offset = batches.at(-1)?.nextOffset ?? Infinity;
  }
  return found;
}
