import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import type { LogManager } from '../../src/storage/log-manager.ts';
import type { PartitionLog } from '../../src/storage/partition-log.ts';
import { appendTo, BatchMaker, contentOf, LogModel, startManager, tinyConfig, TOPIC_PARTITION } from './log-workload.ts';

/** What is done to a log. `at` picks a place: the share of the log, in thousandths. */
type Action =
  | { readonly kind: 'append'; readonly count: number }
  | { readonly kind: 'truncate'; readonly at: number }
  | { readonly kind: 'truncate-fully'; readonly by: number }
  | { readonly kind: 'roll' | 'flush' | 'retention' | 'new-epoch' | 'clean-restart' | 'kill' }
  | { readonly kind: 'high-watermark' | 'delete-records'; readonly at: number };

const at = fc.integer({ min: 0, max: 1000 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate' as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate-fully' as const), by: fc.integer({ min: -5, max: 5 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('roll' as const, 'flush', 'retention', 'new-epoch', 'clean-restart', 'kill'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('high-watermark' as const, 'delete-records'), at }) },
);

/** A log and its model, and what is done to both. */
class Run {
  readonly model = new LogModel();
  readonly #maker = new BatchMaker(new SimulatedRandom(7));
  #disk = new SimulatedDisk();
  #manager: LogManager | null = null;
  #config = { ...tinyConfig, retentionBytes: 2_000 };

  async start(): Promise<void> {
    const environment = simulatedEnvironment({ disk: this.#disk });
    this.#manager = await startManager(environment, this.#config);
    if (this.#manager.getLog(TOPIC_PARTITION) === undefined) {
      const topicId = 'AAAAAAAAAAAAAAAAAAAAAw';
      this.#manager.createLog({ topicPartition: TOPIC_PARTITION, topicId, config: this.#config });
    }
  }

  get log(): PartitionLog {
    const log = this.#manager?.getLog(TOPIC_PARTITION);
    assert.ok(log);
    return log;
  }

  async do(step: Action): Promise<void> {
    const { log, model } = this;
    switch (step.kind) {
      case 'append':
        for (let index = 0; index < step.count; index++) appendTo(log, model, this.#maker);
        return;
      case 'truncate': {
        const offset = this.#boundary(step.at);
        log.truncateTo(offset);
        model.truncateTo(offset);
        return;
      }
      case 'truncate-fully': {
        const offset = Math.max(0, model.logEnd + step.by);
        log.truncateFullyAndStartAt(offset);
        model.restartAt(offset);
        return;
      }
      case 'roll':
        return log.roll();
      case 'flush':
        await log.flush();
        assert.equal(log.recoveryPoint, model.logEnd);
        return;
      case 'retention':
        return this.#retain();
      case 'new-epoch':
        log.assignEpochStartOffset(++this.#maker.epoch, log.logEndOffset);
        return;
      case 'high-watermark':
        model.highWatermark = Math.max(model.logStart, Math.min(model.logEnd, this.#boundary(step.at)));
        log.updateHighWatermark(model.highWatermark);
        return;
      case 'delete-records': {
        const offset = Math.floor((model.logEnd * step.at) / 1000);
        log.maybeIncrementLogStartOffset(offset);
        model.raiseStart(offset);
        return;
      }
      case 'clean-restart':
        await this.#manager?.shutdown({ brokerEpoch: 1 });
        return this.#startAgain();
      case 'kill':
        // What the process knew last is in the checkpoints only if they were written; the records are in the files.
        await this.#manager?.checkpointLogStartOffsets();
        await this.#manager?.checkpointHighWatermarks();
        this.#disk = this.#disk.crash({ unsynced: 'kept' });
        return this.#startAgain();
      default:
        step satisfies never;
    }
  }

  /** Whole segments may go, from the start, up to the high watermark; the log says how far it went. */
  #retain(): void {
    const { log, model } = this;
    const size = log.sizeInBytes;
    log.deleteOldSegments(0);
    assert.ok(log.logStartOffset >= model.logStart && log.logStartOffset <= model.highWatermark);
    if (size <= this.#config.retentionBytes) assert.equal(log.logStartOffset, model.logStart);
    model.raiseStart(log.logStartOffset);
  }

  async #startAgain(): Promise<void> {
    await this.start();
    // A log whose end is known only from its batches ends with the last of them, even if it was truncated inside a batch.
    assert.ok(this.log.logEndOffset <= this.model.logEnd);
    assert.ok(this.log.logEndOffset >= (this.model.batches.at(-1)?.nextOffset ?? this.model.logStart));
    this.model.logEnd = this.log.logEndOffset;
  }

  #boundary(share: number): number {
    const offsets = [this.model.logStart, ...this.model.readable(this.model.logStart).map((batch) => batch.nextOffset)];
    return offsets[Math.min(offsets.length - 1, Math.floor((offsets.length * share) / 1000))] ?? 0;
  }

  check(): void {
    const { log, model } = this;
    assert.equal(log.logStartOffset, model.logStart, 'log start');
    assert.equal(log.logEndOffset, model.logEnd, 'log end');
    assert.equal(log.highWatermark, model.highWatermark, 'high watermark');
    assert.equal(log.lastStableOffset, model.highWatermark);
    assert.ok(log.recoveryPoint <= log.logEndOffset);
    assert.deepEqual(contentOf(log), model.readable(model.logStart));
    const epochs = new Map<number, number>();
    for (const { epoch, baseOffset } of model.batches) if (!epochs.has(epoch)) epochs.set(epoch, baseOffset);
    for (const { epoch, startOffset } of log.epochs) {
      const known = epochs.get(epoch);
      if (known !== undefined) assert.ok(startOffset <= Math.max(known, model.logStart), `epoch ${epoch} starts where it does`);
    }
    for (const batch of model.readable(model.logStart))
      assert.equal(log.epochForOffset(batch.baseOffset < model.logStart ? model.logStart : batch.baseOffset), batch.epoch);
  }

  readSomewhere(share: number): void {
    const { log, model } = this;
    const offset = model.logStart + Math.floor(((model.logEnd - model.logStart) * share) / 1001);
    const [wanted] = model.readable(offset);
    if (wanted === undefined) return;
    const { region } = log.read(offset, { maxBytes: 1, upTo: 'log-end', minOneBatch: true });
    assert.ok(region);
    region.release();
    assert.equal(contentOf(log, offset)[0]?.baseOffset, wanted.baseOffset);
  }
}

describe('a log under any sequence of appends, truncations, deletions and restarts', () => {
  test('holds exactly what its model holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 40 }), at, async (actions, share) => {
        const run = new Run();
        await run.start();
        for (const step of actions) {
          await run.do(step);
          run.check();
          run.readSomewhere(share);
        }
      }),
      { numRuns: 300 },
    );
  });
});
