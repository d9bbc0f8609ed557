import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SIMULATED_EPOCH_MS } from '../../simulation/simulated-clock.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { buildEndTransactionMarker } from '../../src/protocol/records/control-record.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { PartitionLog } from '../../src/storage/partition-log.ts';
import { batchesIn } from './log-facts.ts';
import { openTestLog } from './test-log.ts';

/** So that no producer is forgotten for its age. */
const NOW = SIMULATED_EPOCH_MS;
const PRODUCERS = [11, 12, 13, 14];
const STEPS = 120;
const config = { segmentBytes: 600, indexIntervalBytes: 100, retentionMs: -1, fileDeleteDelayMs: 10 } as const;

/** What was written, one record a batch. */
interface Written {
  readonly offset: number;
  readonly producerId: number;
  readonly kind: 'data' | 'commit' | 'abort' | 'plain';
  readonly value: string;
}

interface Ended {
  readonly first: number;
  readonly last: number;
  readonly outcome: 'commit' | 'abort';
}

/** What a log with transactions holds, in a plain array. */
class TransactionsModel {
  written: Written[] = [];
  highWatermark = 0;
  logStart = 0;

  get end(): number {
    return this.written.length;
  }

  /** The first offset of a producer's open transaction. */
  open(producerId: number): number | null {
    let first: number | null = null;
    for (const each of this.written) {
      if (each.producerId !== producerId || each.kind === 'plain') continue;
      first = each.kind === 'data' ? (first ?? each.offset) : null;
    }
    return first;
  }

  ended(producerId: number): Ended[] {
    const ended: Ended[] = [];
    let first: number | null = null;
    for (const { producerId: id, kind, offset } of this.written) {
      if (id !== producerId || kind === 'plain') continue;
      if (kind === 'data') first ??= offset;
      else if (first !== null) {
        ended.push({ first, last: offset, outcome: kind });
        first = null;
      }
    }
    return ended;
  }

  get lastStableOffset(): number {
    const unstable = PRODUCERS.flatMap((id) => [
      this.open(id) ?? Infinity,
      ...this.ended(id).flatMap(({ first, last }) => (last >= this.highWatermark ? [first] : [])),
    ]);
    return Math.max(this.logStart, Math.min(this.highWatermark, ...unstable));
  }

  /** What a reader of committed records gets. */
  get committed(): string[] {
    const end = this.lastStableOffset;
    return this.written
      .filter(({ kind, offset, producerId }) => {
        if (offset < this.logStart || offset >= end) return false;
        if (kind !== 'data') return kind === 'plain';
        return this.ended(producerId).some(
          ({ first, last, outcome }) => outcome === 'commit' && first <= offset && offset < last,
        );
      })
      .map(({ value }) => value);
  }
}

/** A log beside its model, and what may happen to them. */
class TransactionsRun {
  readonly #random: SimulatedRandom;
  readonly #disk = new SimulatedDisk();
  readonly #model = new TransactionsModel();
  #log: PartitionLog;

  constructor(seed: number) {
    this.#random = new SimulatedRandom(seed);
    this.#log = this.#open(true);
  }

  async step(): Promise<string> {
    const happenings: readonly (readonly [string, () => void | Promise<void>])[] = [
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((): [string, () => void] => ['write', () => this.#write()]),
      ...[1, 2, 3, 4].map((): [string, () => void] => ['end', () => this.#end()]),
      ...[1, 2, 3].map((): [string, () => void] => ['replicate', () => this.#replicate()]),
      ['plain', () => this.#plain()],
      ['truncate', () => this.#truncate()],
      ['trim', () => this.#trim()],
      ['restart', () => this.#restart(true)],
      ['kill', () => this.#restart(false)],
    ];
    const [name, happens] = this.#random.pick(happenings);
    await happens();
    return name;
  }

  check(happened: string): void {
    const [log, model] = [this.#log, this.#model];
    assert.equal(log.logEndOffset, model.end, happened);
    assert.equal(log.highWatermark, model.highWatermark, happened);
    assert.equal(log.lastStableOffset, model.lastStableOffset, happened);
    assert.deepEqual(committedIn(log), model.committed, happened);
    const open = [...log.producers.active].filter(({ transactionFirstOffset: first }) => first >= 0);
    assert.deepEqual(
      Object.fromEntries(open.map(({ producerId, transactionFirstOffset }) => [producerId, transactionFirstOffset])),
      Object.fromEntries(PRODUCERS.flatMap((id) => (model.open(id) === null ? [] : [[id, model.open(id)]]))),
      happened,
    );
  }

  close(): Promise<void> {
    return this.#log.abandon();
  }

  #open(hadCleanShutdown: boolean): PartitionLog {
    const { logStart: logStartOffset } = this.#model;
    const { log } = openTestLog({ disk: this.#disk, config, hadCleanShutdown, logStartOffset });
    return log;
  }

  #append(bytes: Buffer, written: Omit<Written, 'offset'>): void {
    const origin = written.kind === 'commit' || written.kind === 'abort' ? 'coordinator' : 'client';
    const { firstOffset } = this.#log.appendAsLeader(bytes, { leaderEpoch: 0, origin, now: NOW });
    assert.equal(firstOffset, this.#model.end);
    this.#model.written.push({ ...written, offset: firstOffset });
  }

  #write(): void {
    const producerId = this.#random.pick(PRODUCERS);
    const baseSequence = (this.#log.producers.entry(producerId)?.lastSequence ?? -1) + 1;
    const value = `${producerId}.${this.#model.end}`;
    const records = [{ timestamp: NOW, value: Buffer.from(value) }];
    const bytes = buildBatch({ records, producerId, producerEpoch: 0, baseSequence, isTransactional: true });
    this.#append(bytes, { producerId, kind: 'data', value });
  }

  #plain(): void {
    const value = `plain.${this.#model.end}`;
    const bytes = buildBatch({ records: [{ timestamp: NOW, value: Buffer.from(value) }] });
    this.#append(bytes, { producerId: -1, kind: 'plain', value });
  }

  #end(): void {
    const producerId = this.#random.pick(PRODUCERS);
    const kind = this.#random.pick(['commit', 'abort'] as const);
    const outcome = kind === 'commit' ? 'COMMIT' : 'ABORT';
    const bytes = buildEndTransactionMarker({ outcome, producerId, producerEpoch: 0, coordinatorEpoch: 0, timestamp: NOW });
    this.#append(bytes, { producerId, kind, value: '' });
  }

  #replicate(to = this.#model.highWatermark + this.#random.integer(this.#model.end - this.#model.highWatermark + 1)): void {
    this.#model.highWatermark = to;
    this.#log.updateHighWatermark(to);
  }

  /** As a follower does, of what was not replicated. */
  #truncate(): void {
    const { highWatermark, end } = this.#model;
    const to = highWatermark + this.#random.integer(end - highWatermark + 1);
    // As in Kafka, a snapshot does not tell that the end of a transaction was not replicated.
    const isEndBefore = this.#model.written.some(({ offset, kind }) => offset >= highWatermark && offset < to && kind !== 'data');
    if (isEndBefore) this.#replicate(to);
    this.#log.truncateTo(to);
    this.#model.written.splice(to);
  }

  /** Segments go from the start, whatever they have to do with transactions. */
  #trim(): void {
    const stable = this.#model.lastStableOffset;
    const to = this.#model.logStart + this.#random.integer(Math.max(1, stable - this.#model.logStart));
    this.#log.maybeIncrementLogStartOffset(to);
    this.#log.deleteOldSegments(NOW);
    this.#model.logStart = Math.max(this.#model.logStart, to);
  }

  async #restart(isClean: boolean): Promise<void> {
    // What is not replicated yet would be asked for again.
    this.#replicate(this.#model.end);
    if (isClean) await this.#log.close({ flush: true });
    else await this.#log.abandon();
    this.#log = this.#open(isClean);
    this.#log.updateHighWatermark(this.#model.highWatermark);
  }
}

function committedIn(log: PartitionLog): string[] {
  const values: string[] = [];
  for (const { batch, aborted } of batchesIn(log, 'last-stable-offset')) {
    const isAborted = aborted.some(
      ({ producerId, firstOffset, lastOffset }) =>
        batch.isTransactional &&
        producerId === batch.producerId &&
        firstOffset <= batch.baseOffset &&
        batch.baseOffset <= lastOffset,
    );
    if (batch.isControl || isAborted || batch.baseOffset < log.logStartOffset) continue;
    for (const { value } of recordsOf(batch)) values.push(Buffer.from(value ?? []).toString());
  }
  return values;
}

describe('a log with transactions', () => {
  const seeds = Number(process.env['OTTLA_SEEDS'] ?? 60);
  const firstSeed = Number(process.env['OTTLA_SEED'] ?? 1);

  test('shows of them what its model shows, whatever happens to it', async () => {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      const run = new TransactionsRun(seed);
      for (let step = 0; step < STEPS; step++) run.check(`seed ${seed}, step ${step}: ${await run.step()}`);
      await run.close();
    }
  });
});
