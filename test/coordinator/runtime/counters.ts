import { TimerQueue } from '../../../src/base/timer-queue.ts';
import { TimelineMap } from '../../../src/base/timeline-map.ts';
import { CoordinatorRuntime } from '../../../src/coordinator/runtime/coordinator-runtime.ts';
import type { RecordSerde } from '../../../src/coordinator/runtime/coordinator-record.ts';
import type {
  CoordinatorResult,
  CoordinatorShard,
  ReplayContext,
  ShardContext,
} from '../../../src/coordinator/runtime/coordinator-shard.ts';
import type { CoordinatorLoader, LoadedBatch, PartitionWriter } from '../../../src/coordinator/runtime/partition-writer.ts';
import { EMPTY_METADATA_IMAGE } from '../../../src/metadata/metadata-image.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import { controlTypeOf } from '../../../src/protocol/records/control-record.ts';
import { recordsOf } from '../../../src/protocol/records/record-iterator.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from '../../../simulation/simulated-environment.ts';

/** A counter has another value, or (null) is gone. */
export interface CounterRecord {
  readonly name: string;
  readonly value: number | null;
}

const serde: RecordSerde<CounterRecord> = {
  encode: ({ name, value }) => ({ key: Buffer.from(name), value: value === null ? null : Buffer.from(String(value)) }),
  decode: (key, value) => {
    const name = Buffer.from(key).toString();
    if (name.startsWith('unknown')) return null;
    return { name, value: value === null ? null : Number(Buffer.from(value).toString()) };
  },
};

/** The least that a coordinator can be: numbers with names, and those that open transactions want to set. */
export class Counters implements CoordinatorShard<CounterRecord> {
  readonly context: ShardContext<CounterRecord>;
  readonly values: TimelineMap<string, number>;
  readonly pending: TimelineMap<number, readonly CounterRecord[]>;
  readonly events: string[] = [];

  constructor(context: ShardContext<CounterRecord>) {
    this.context = context;
    this.values = new TimelineMap(context.timeline);
    this.pending = new TimelineMap(context.timeline);
  }

  increment(name: string, by = 1): CoordinatorResult<CounterRecord, number> {
    const value = (this.values.get(name) ?? 0) + by;
    return { records: [{ name, value }], response: value };
  }

  replay(record: CounterRecord, { producerId }: ReplayContext): void {
    if (record.name === 'poison') throw new Error('a bug in replay');
    if (producerId >= 0) {
      this.pending.set(producerId, [...(this.pending.get(producerId) ?? []), record]);
    } else if (record.value === null) this.values.delete(record.name);
    else this.values.set(record.name, record.value);
  }

  replayEndOfTransaction(producerId: number, _epoch: number, outcome: 'commit' | 'abort'): void {
    const records = this.pending.get(producerId) ?? [];
    this.pending.delete(producerId);
    if (outcome === 'commit') for (const record of records) this.replay(record, { offset: 0, producerId: -1, producerEpoch: -1 });
  }

  loaded(): void {
    this.events.push('loaded');
  }

  unloaded(): void {
    this.events.push('unloaded');
  }
}

/** A log in memory whose high watermark is moved by hand, or follows. */
export class MemoryLog implements PartitionWriter, CoordinatorLoader {
  readonly batchesWritten: Buffer[] = [];
  readonly compression = 'none';
  /** Whether what is written is committed at once. */
  isReplicated = true;
  maxBytes = 1_000_000;
  failure: KafkaError | null = null;
  end = 0;
  committed = 0;
  readonly #watchers = new Set<(highWatermark: number) => void>();

  maxBatchBytes(): number {
    return this.maxBytes;
  }

  append(_partition: number, batch: Buffer): number {
    if (this.failure !== null) throw this.failure;
    const [view] = [...batchesOf(batch)];
    if (view === undefined) throw new KafkaError('CORRUPT_MESSAGE');
    view.setBaseOffset(this.end);
    this.batchesWritten.push(batch);
    this.end = view.nextOffset;
    if (this.isReplicated) this.commit();
    return this.end;
  }

  commit(upTo = this.end): void {
    this.committed = upTo;
    for (const watcher of this.#watchers) watcher(upTo);
  }

  watch(_partition: number, watcher: (highWatermark: number) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  highWatermark(): number {
    return this.committed;
  }

  *batches(): Generator<LoadedBatch> {
    for (const bytes of this.batchesWritten) {
      for (const batch of batchesOf(bytes)) {
        const { baseOffset, nextOffset, producerId, producerEpoch, isControl } = batch;
        const records = [...recordsOf(batch)];
        const type = isControl ? controlTypeOf(records[0]?.key ?? null) : null;
        yield {
          baseOffset,
          nextOffset,
          producerId,
          producerEpoch,
          endOfTransaction: type === 'COMMIT' ? 'commit' : type === 'ABORT' ? 'abort' : null,
          records: isControl ? [] : records,
        };
      }
    }
  }
}

export type CountersRuntime = CoordinatorRuntime<Counters, CounterRecord>;

export interface CountersWorld {
  readonly environment: SimulatedEnvironment;
  readonly log: MemoryLog;
  readonly runtime: CountersRuntime;
  readonly settings: { lingerMs: number };
  /** A runtime over the same log, as after a restart. */
  readonly restarted: () => CountersRuntime;
}

export function countersWorld(log = new MemoryLog()): CountersWorld {
  const environment = simulatedEnvironment();
  const settings = { lingerMs: -1 };
  const make = (): CountersRuntime =>
    new CoordinatorRuntime(environment, {
      name: 'counters',
      timers: new TimerQueue(environment.clock),
      serde,
      writer: log,
      loader: log,
      lingerMs: () => settings.lingerMs,
      writeTimeoutMs: () => 5_000,
      metadata: () => EMPTY_METADATA_IMAGE,
      makeShard: (context) => new Counters(context),
    });
  return { environment, log, runtime: make(), settings, restarted: make };
}

/** What all counters stand at, in order of their names. */
export const sorted = (entries: Iterable<[string, number]>): [string, number][] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
