import { parseArgs } from 'node:util';
import { type CrashPoint, checkCrash, checkSecondCrashes, crashModes, traceRun } from '../simulation/faults/crash-sweep.ts';
import { checkFault, countOperations, type FaultPoint, faultKinds } from '../simulation/faults/fault-sweep.ts';
import { digestOf } from '../simulation/faults/run-digest.ts';
import type { RunOptions } from '../simulation/faults/repeat-command.ts';

/**
 * Runs whole nodes on a simulated disk, clock and network: a crash before every change of the disk, crashes while a start recovers from
 * one, and a fault at every operation of the disk. A failure tells the command that repeats it.
 *
 * `npm run simulate -- [--seed N] [--seeds COUNT] [--phases N] [--steps N] [--stride N] [--flush]`
 * `npm run simulate -- --seed N … [--crash AT:MODE | --second-crashes AT:MODE | --fault AT:KIND]`
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    phases: { type: 'string', default: '2' },
    steps: { type: 'string', default: '12' },
    /** Only every so many-th crash and fault. */
    stride: { type: 'string', default: '1' },
    /** Only with flush.messages=1; otherwise both ways. */
    flush: { type: 'boolean', default: false },
    crash: { type: 'string' },
    'second-crashes': { type: 'string' },
    fault: { type: 'string' },
  },
});

const SECOND_CRASH_EVERY = 61;
const SECOND_CRASH_STRIDE = 9;
const stride = Number(values.stride);

function crashPoint(text: string): CrashPoint {
  const [at = '', mode] = text.split(':');
  return { at: Number(at), mode: crashModes.find((known) => known === mode) ?? 'lost' };
}

function faultPoint(text: string): FaultPoint {
  const [at = '', kind] = text.split(':');
  return { at: Number(at), kind: faultKinds.find((known) => known === kind) ?? 'error' };
}

/** Does what was asked for alone. */
async function runOne(options: RunOptions): Promise<void> {
  if (values.crash !== undefined) await checkCrash(await traceRun(options), crashPoint(values.crash));
  const second = values['second-crashes'];
  if (second !== undefined) await checkSecondCrashes(await traceRun(options), crashPoint(second), SECOND_CRASH_STRIDE);
  if (values.fault !== undefined) console.log(await checkFault(options, faultPoint(values.fault)));
  console.log('all is well');
}

async function crashes(options: RunOptions): Promise<void> {
  const run = await traceRun(options);
  const { trace } = run.disk;
  const { produced, sightings } = run.history;
  console.log(
    `  ${trace.length} changes of the disk, ${produced.length} batches sent, ${sightings.length} records seen (${digestOf(run)})`,
  );
  let count = 0;
  for (let at = 0; at <= trace.length; at += stride) {
    for (const mode of crashModes) {
      await checkCrash(run, { at, mode });
      count++;
    }
  }
  console.log(`  ${count} crashes`);
  count = 0;
  for (let at = 0; at <= trace.length; at += SECOND_CRASH_EVERY * stride) {
    for (const mode of crashModes) {
      await checkSecondCrashes(run, { at, mode }, SECOND_CRASH_STRIDE);
      count++;
    }
  }
  console.log(`  ${count} starts after a crash that were crashed again at many places`);
}

async function faults(options: RunOptions): Promise<void> {
  const operations = await countOperations(options);
  const counts = { all: 0, refused: 0, stopped: 0, told: 0 };
  for (let at = 0; at < operations; at += stride) {
    for (const kind of faultKinds) {
      const outcome = await checkFault(options, { at, kind });
      counts.all++;
      if (outcome.wasRefused) counts.refused++;
      if (outcome.nodeFailed) counts.stopped++;
      if (outcome.callsFailed > 0) counts.told++;
    }
  }
  const { all, refused, stopped, told } = counts;
  console.log(
    `  ${all} faults at ${operations} operations: the node stopped ${stopped} times, clients were told ${told} times, a start or stop failed ${refused} times`,
  );
}

const firstSeed = Number(values.seed);
const runs = { phases: Number(values.phases), steps: Number(values.steps) };
if ([values.crash, values['second-crashes'], values.fault].some((one) => one !== undefined)) {
  await runOne({ ...runs, seed: firstSeed, flushes: values.flush });
} else {
  for (let seed = firstSeed; seed < firstSeed + Number(values.seeds); seed++) {
    for (const flushes of values.flush ? [true] : [true, false]) {
      console.log(`seed ${seed}, ${flushes ? 'with' : 'without'} flush.messages=1`);
      await crashes({ ...runs, seed, flushes });
      await faults({ ...runs, seed, flushes });
    }
  }
  console.log('Every promise was kept.');
}
