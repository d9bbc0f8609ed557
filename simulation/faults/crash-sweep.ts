import type { Crash } from '../checkers/records-checker.ts';
import { SimulatedMachine } from '../cluster/simulated-machine.ts';
import { assert } from '../../src/base/assert.ts';
import type { CrashMode as UnsyncedFate } from '../disk-image.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import { SimulatedDisk } from '../simulated-disk.ts';
import { SimulatedRandom } from '../simulated-random.ts';
import { History } from '../workload/history.ts';
import { runWorkload, workloadProperties } from '../workload/node-workload.ts';
import { type RunOptions, withCommand } from './repeat-command.ts';
import { slowSyncs } from './slow-syncs.ts';
import { checkRecovery, glanceAfter, type RecoveryOptions } from './recovery.ts';

/** A run without faults, from which a crash at any of its changes of the disk can be looked at. */
export interface TracedRun {
  readonly options: RunOptions;
  readonly disk: SimulatedDisk;
  readonly history: History;
  /** When it ended, by the node's clock. */
  readonly endMs: number;
  readonly eventsRun: number;
}

export async function traceRun(options: RunOptions): Promise<TracedRun> {
  const { seed, flushes } = options;
  const machine = new SimulatedMachine({
    seed,
    properties: workloadProperties({ flushes }),
    diskOf: (clock) => new SimulatedDisk({ clock, isTraced: true }),
  });
  const { disk, clock, scheduler } = machine;
  slowSyncs(machine);
  const history = new History(() => disk.trace.length);
  await machine.run(() => runWorkload(machine, history, options));
  return { options, disk, history, endMs: clock.now(), eventsRun: scheduler.eventsRun };
}

/** What becomes of unsynced changes: only the process dies, the power goes, or it goes in the middle of things. */
export const crashModes = ['kept', 'lost', 'torn'] as const;
export type CrashMode = (typeof crashModes)[number];

/** A crash that comes just before a change of the disk. */
export interface CrashPoint {
  readonly at: number;
  readonly mode: CrashMode;
}

/** Starts a node on what a crash left and throws when it does not keep what was promised, or cannot be used. */
export async function checkCrash(run: TracedRun, point: CrashPoint): Promise<void> {
  try {
    await checkRecovery(recoveryFrom(run, point, (clock) => run.disk.crashAt(point.at, modeOf(run, point), { clock })));
  } catch (error) {
    const change = run.disk.trace[point.at];
    const where = `a crash before change ${point.at} (${change?.kind} ${change?.path}), unsynced changes ${point.mode}`;
    throw withCommand(`${where}: ${String(error)}`, run.options, `--crash ${point.at}:${point.mode}`);
  }
}

/** The same, with a second crash before every `stride`-th change that the start after the first one makes, and every change after that. */
export async function checkSecondCrashes(run: TracedRun, first: CrashPoint, stride: number): Promise<void> {
  const traced: { disk: SimulatedDisk | null } = { disk: null };
  const glance = await glanceAfter(
    recoveryFrom(run, first, (clock) => {
      traced.disk = run.disk.crashAt(first.at, modeOf(run, first), { clock, isTraced: true });
      return traced.disk;
    }),
  );
  const { disk } = traced;
  assert(disk !== null, 'the start after the first crash had a disk');
  for (let at = 0; at <= disk.trace.length; at += at < glance.at ? stride : 1) {
    const second = { at, mode: 'torn' } as const;
    // Whatever the first crash kept, the second one takes the power.
    const recovery = recoveryFrom(run, { ...first, mode: 'torn' }, (clock) => disk.crashAt(at, modeOf(run, second), { clock }));
    try {
      await checkRecovery(run.options.flushes && at >= glance.at ? { ...recovery, seen: glance.state } : recovery);
    } catch (error) {
      const where = `a second crash before change ${at} of the start after the one before change ${first.at}`;
      throw withCommand(`${where}: ${String(error)}`, run.options, `--second-crashes ${first.at}:${first.mode}`);
    }
  }
}

/** Everything that chance decides after a crash. */
const luckOf = (run: TracedRun, { at, mode }: CrashPoint): number =>
  run.options.seed * 1_000_003 + at * crashModes.length + crashModes.indexOf(mode);

const modeOf = (run: TracedRun, point: CrashPoint): UnsyncedFate =>
  point.mode === 'torn' ? { unsynced: point.mode, random: new SimulatedRandom(luckOf(run, point)) } : { unsynced: point.mode };

function recoveryFrom(run: TracedRun, point: CrashPoint, diskOf: (clock: SimulatedClock) => SimulatedDisk): RecoveryOptions {
  const { history, endMs: crashMs, options } = run;
  const crash: Crash = { at: point.at, kind: point.mode === 'kept' ? 'process' : 'power' };
  return { seed: luckOf(run, point), history, flushes: options.flushes, crash, crashMs, diskOf };
}
