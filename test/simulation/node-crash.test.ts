import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCrash, checkSecondCrashes, crashModes, traceRun } from '../../simulation/faults/crash-sweep.ts';
import { digestOf } from '../../simulation/faults/run-digest.ts';

const SMALL = { phases: 2, steps: 4 };
const SECOND_CRASH_EVERY = 131;
const SECOND_CRASH_STRIDE = 31;

for (const flushes of [true, false]) {
  describe(`a node ${flushes ? 'with' : 'without'} flush.messages=1 on a simulated disk`, () => {
    it('keeps what it promised after a crash before any change of its disk (the long form: npm run simulate)', async () => {
      const run = await traceRun({ ...SMALL, seed: 11, flushes });
      const { trace } = run.disk;
      assert.ok(trace.length > 300, `only ${trace.length} changes`);
      for (let at = flushes ? 0 : 1; at <= trace.length; at += 2)
        await checkCrash(run, { at, mode: crashModes[at % 3] ?? 'lost' });
    });

    it('keeps it when it crashes again while it recovers', async () => {
      const run = await traceRun({ ...SMALL, seed: 12, flushes });
      for (let at = 50; at <= run.disk.trace.length; at += SECOND_CRASH_EVERY) {
        await checkSecondCrashes(run, { at, mode: crashModes[at % 3] ?? 'lost' }, SECOND_CRASH_STRIDE);
      }
    });
  });
}

describe('the checks of a crash', () => {
  it('find what is lost when nothing was flushed and everything was promised', async () => {
    const run = await traceRun({ ...SMALL, seed: 13, flushes: false });
    const boastful = { ...run, options: { ...run.options, flushes: true } };
    const at = run.history.stops[0] ?? 0;
    const lastAnswer = Math.max(...run.history.produced.map(({ answeredAt }) => answeredAt).filter((answer) => answer < at));
    await checkCrash(run, { at: lastAnswer, mode: 'lost' });
    await assert.rejects(
      checkCrash(boastful, { at: lastAnswer, mode: 'lost' }),
      /was acknowledged at \d+ and is lost[^]*npm run simulate -- --seed 13 --phases 2 --steps 4 --flush --crash \d+:lost/,
    );
  });

  it('find a topic that is not there any more, and one that nobody made', async () => {
    const run = await traceRun({ ...SMALL, seed: 14, flushes: true });
    const at = run.disk.trace.length;
    run.history.topic('never-made').begin({ id: null, partitions: 1 }, 0).answeredAt = 1;
    await assert.rejects(checkCrash(run, { at, mode: 'kept' }), /topic never-made is null/);
    run.history.topics.delete('never-made');
    run.history.topics.delete('plain');
    await assert.rejects(checkCrash(run, { at, mode: 'kept' }), /nobody made topic plain/);
  });
});

describe('a run of a whole node', () => {
  it('is the same for the same seed, and another for another', async () => {
    const digests = [];
    for (const seed of [21, 21, 22]) digests.push(digestOf(await traceRun({ ...SMALL, seed, flushes: true })));
    assert.equal(digests[0], digests[1]);
    assert.notEqual(digests[0], digests[2]);
  });
});
