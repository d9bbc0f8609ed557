import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CrashMode } from '../../simulation/disk-image.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { LogManager } from '../../src/storage/log-manager.ts';
import type { PartitionLog } from '../../src/storage/partition-log.ts';
import {
  appendTo,
  BatchMaker,
  contentOf,
  DATA,
  LogModel,
  type ModelBatch,
  startManager,
  tinyConfig,
  TOPIC_PARTITION,
} from './log-workload.ts';

const STEPS = 50;
const TOPIC_ID = 'AAAAAAAAAAAAAAAAAAAAAw';

/** What the log was before a change of the disk and what it is to be after the step that the change belongs to. */
interface Moment {
  readonly before: LogModel;
  readonly after: LogModel;
}

/** A workload on a traced disk; `moments[i]` is about a crash just before change `i`. */
interface TracedRun {
  readonly disk: SimulatedDisk;
  readonly moments: Moment[];
}

async function runWorkload(seed: number): Promise<TracedRun> {
  const random = new SimulatedRandom(seed);
  const disk = new SimulatedDisk({ isTraced: true });
  disk.makeDirectory(DATA);
  disk.syncDirectory('/');
  const model = new LogModel();
  const maker = new BatchMaker(random.fork());
  const moments: Moment[] = [];
  let manager: LogManager | null = null;
  const step = async (work: () => Promise<void> | void): Promise<void> => {
    const before = model.copy();
    await work();
    const after = model.copy();
    while (moments.length <= disk.trace.length) moments.push({ before, after });
    // From here on a crash finds the state after the step.
    moments[disk.trace.length] = { before: after, after };
  };
  const open = async (): Promise<void> => {
    manager = await startManager(simulatedEnvironment({ disk, seed }));
    if (manager.getLog(TOPIC_PARTITION) !== undefined) return;
    manager.createLog({ topicPartition: TOPIC_PARTITION, topicId: TOPIC_ID, config: tinyConfig });
  };
  await step(open);
  for (let index = 0; index < STEPS; index++) {
    await step(async () => {
      assert.ok(manager);
      const log = manager.getLog(TOPIC_PARTITION);
      assert.ok(log);
      await act({ log, manager, model, maker, random, open });
    });
  }
  return { disk, moments };
}

interface Acting {
  readonly log: PartitionLog;
  readonly manager: LogManager;
  readonly model: LogModel;
  readonly maker: BatchMaker;
  readonly random: SimulatedRandom;
  readonly open: () => Promise<void>;
}

async function act({ log, manager, model, maker, random, open }: Acting): Promise<void> {
  const kind = random.integer(20);
  if (kind < 10) {
    appendTo(log, model, maker);
  } else if (kind < 12) {
    await log.flush();
    model.durableEnd = model.logEnd;
  } else if (kind < 14) {
    await manager.checkpointRecoveryPoints();
    await manager.checkpointHighWatermarks();
  } else if (kind === 14) {
    log.updateHighWatermark(model.logEnd);
    model.highWatermark = model.logEnd;
  } else if (kind === 15) {
    const batch = model.batches[random.integer(model.batches.length + 1)];
    if (batch === undefined || batch.baseOffset < model.logStart) return;
    // The model first: a truncation that fails half-way has been asked for.
    model.truncateTo(batch.baseOffset);
    log.truncateTo(batch.baseOffset);
  } else if (kind === 16) {
    log.roll();
  } else if (kind === 17) {
    const offset = random.integer(model.highWatermark + 1);
    log.maybeIncrementLogStartOffset(offset);
    model.raiseStart(offset);
    await manager.checkpointLogStartOffsets();
    log.deleteOldSegments(0);
  } else if (kind === 18) {
    log.assignEpochStartOffset(++maker.epoch, log.logEndOffset);
  } else {
    await manager.shutdown({ brokerEpoch: 1 });
    model.durableEnd = model.logEnd;
    await open();
    model.highWatermark = manager.getLog(TOPIC_PARTITION)?.highWatermark ?? 0;
  }
}

/** Starts on what a crash left and says what is in the log, which must be a beginning of what was in it. */
async function checkRestart(disk: SimulatedDisk, { before, after }: Moment): Promise<void> {
  const manager = await startManager(simulatedEnvironment({ disk }));
  const log = manager.getLog(TOPIC_PARTITION);
  const durableEnd = Math.min(before.durableEnd, after.logEnd);
  if (log === undefined) {
    assert.equal(durableEnd, 0, 'a log that had something durable is there');
    return;
  }
  assert.ok(log.logEndOffset >= durableEnd, `what was flushed up to ${durableEnd} is there, not only up to ${log.logEndOffset}`);
  assert.ok(log.logStartOffset <= after.logStart || log.logStartOffset <= before.logStart, 'nothing more than asked was deleted');
  const found = contentOf(log);
  let expected = log.logStartOffset;
  for (const [index, batch] of found.entries()) {
    assert.ok(isKnown(batch, before) || isKnown(batch, after), `the batch at ${batch.baseOffset} was written there`);
    if (index === 0) assert.ok(batch.baseOffset <= expected);
    else assert.equal(batch.baseOffset, expected, 'there is no gap');
    expected = batch.nextOffset;
  }
  assert.equal(found.length === 0 ? log.logEndOffset : expected, log.logEndOffset);
  assert.ok(isOneHistory(found, before) || isOneHistory(found, after), 'two histories are not mixed');
  await manager.abandon();
}

const isKnown = (batch: ModelBatch, model: LogModel): boolean =>
  model.batches.some(
    (known) => known.baseOffset === batch.baseOffset && known.content === batch.content && known.epoch === batch.epoch,
  );

const isOneHistory = (found: readonly ModelBatch[], model: LogModel): boolean => found.every((batch) => isKnown(batch, model));

describe('an error of the disk at any operation', () => {
  test('stops the log at once; after a restart a correct beginning is there, and all that was flushed', async () => {
    let failed = 0;
    for (let nth = 10; ; nth += 3) {
      const disk = new SimulatedDisk();
      disk.makeDirectory(DATA);
      disk.syncDirectory('/');
      let count = 0;
      disk.failWhen(({ kind, path }) => {
        const isChange = kind !== 'open' && kind !== 'read' && kind !== 'list' && kind !== 'lock' && path.startsWith(DATA);
        return isChange && ++count === nth ? 'EIO' : null;
      });
      const outcome = await runUntilError(disk, nth);
      if (count < nth) break;
      failed++;
      const { log, before, after } = outcome;
      if (log !== null) assert.throws(() => appendTo(log, new LogModel(), new BatchMaker(new SimulatedRandom(1))), StorageError);
      await checkRestart(disk.crash({ unsynced: 'lost' }), { before, after });
    }
    assert.ok(failed > 50, `${failed} errors were met`);
  });
});

/** Works until the disk fails. The log is null if the failure came while it was opened, or outside of it. */
async function runUntilError(disk: SimulatedDisk, seed: number): Promise<Moment & { readonly log: PartitionLog | null }> {
  const random = new SimulatedRandom(seed);
  const model = new LogModel();
  const maker = new BatchMaker(random.fork());
  let manager: LogManager | null = null;
  const open = async (): Promise<void> => {
    manager = await startManager(simulatedEnvironment({ disk, seed }));
    if (manager.getLog(TOPIC_PARTITION) !== undefined) return;
    manager.createLog({ topicPartition: TOPIC_PARTITION, topicId: TOPIC_ID, config: tinyConfig });
  };
  let before = model.copy();
  try {
    await open();
    for (let index = 0; index < STEPS; index++) {
      before = model.copy();
      assert.ok(manager !== null);
      const opened: LogManager = manager;
      const log = opened.getLog(TOPIC_PARTITION);
      assert.ok(log);
      await act({ log, manager: opened, model, maker, random, open });
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const log = (manager as LogManager | null)?.getLog(TOPIC_PARTITION) ?? null;
    return { before, after: model, log };
  }
  return { before, after: model, log: null };
}

describe('a power loss at any change of the disk', () => {
  for (let seed = 1; seed <= Number(process.env['SEEDS'] ?? 3); seed++) {
    test(`leaves a correct beginning of the log, and all that was flushed (seed ${seed})`, async () => {
      const { disk, moments } = await runWorkload(seed);
      for (let index = 0; index <= disk.trace.length; index++) {
        // After the last step only flushes go on.
        const moment = moments[index] ?? moments.at(-1);
        assert.ok(moment);
        const modes: CrashMode[] = [
          { unsynced: 'lost' },
          { unsynced: 'kept' },
          { unsynced: 'torn', random: new SimulatedRandom(seed * 1000 + index) },
          { unsynced: 'torn', random: new SimulatedRandom(seed * 1000 + index + 500_000) },
        ];
        for (const mode of modes) {
          try {
            await checkRestart(disk.crashAt(index, mode), moment);
          } catch (error) {
            const change = disk.trace[index];
            throw new Error(`crash before change ${index} (${change?.kind} ${change?.path}), ${mode.unsynced}`, { cause: error });
          }
        }
      }
    });
  }

  test('may come again while the first one is being recovered from', async () => {
    const { disk, moments } = await runWorkload(99);
    for (let index = 0; index <= disk.trace.length; index += 12) {
      const moment = moments[index] ?? moments.at(-1);
      assert.ok(moment);
      const first = disk.crashAt(index, { unsynced: 'torn', random: new SimulatedRandom(index) }, { isTraced: true });
      await checkRestart(first, moment);
      for (let second = 0; second <= first.trace.length; second++) {
        await checkRestart(first.crashAt(second, { unsynced: 'torn', random: new SimulatedRandom(second) }), moment);
      }
    }
  });
});
