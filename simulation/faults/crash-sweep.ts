import type { Crash } from '../checkers/records-checker.ts';
import { SimulatedMachine } from '../cluster/simulated-machine.ts';
import type { CrashMode } from '../disk-image.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import { SimulatedDisk } from '../simulated-disk.ts';
import { SimulatedRandom } from '../simulated-random.ts';
import { History } from '../workload/history.ts';
import { runWorkload, type WorkloadOptions, workloadProperties } from '../workload/node-workload.ts';
import { slowSyncs } from './slow-syncs.ts';
import { checkRecovery, glanceAfter, type RecoveryOptions } from './recovery.ts';

export interface TracedRunOptions extends WorkloadOptions {
  readonly seed: number;
  /** flush.messages=1 for all topics. */
  readonly flushes: boolean;
}

/** A run without faults, from which a crash at any of its changes of the disk can be looked at. */
export interface TracedRun {
  readonly options: TracedRunOptions;
  readonly disk: SimulatedDisk;
  readonly history: History;
  /** When it ended, by the node's clock. */
  readonly endMs: number;
  readonly eventsRun: number;
}

export async function traceRun(options: TracedRunOptions): Promise<TracedRun> {
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

/** How the power goes, or only the process. */
export const crashModes = ['kept', 'lost', 'torn'] as const;
export type CrashModeName = (typeof crashModes)[number];

export interface CrashPoint {
  /** The crash comes just before this change of the disk. */
  readonly at: number;
  readonly mode: CrashModeName;
  /** Chance that decides what is torn, and what happens afterwards. */
  readonly luck: number;
}

/** Starts a node on what a crash left and throws when it does not keep what was promised, or cannot be used. */
export async function checkCrash(run: TracedRun, point: CrashPoint): Promise<void> {
  await checkRecovery(recoveryFrom(run, point, (clock) => run.disk.crashAt(point.at, modeOf(point), { clock })));
}

/** The same, with a second crash before every `stride`-th change that the start after the first one makes, and every change after that. */
export async function checkSecondCrashes(run: TracedRun, first: CrashPoint, stride: number): Promise<void> {
  const traced: { disk: SimulatedDisk | null } = { disk: null };
  const glance = await glanceAfter(
    recoveryFrom(run, first, (clock) => (traced.disk = run.disk.crashAt(first.at, modeOf(first), { clock, isTraced: true }))),
  );
  const { disk } = traced;
  if (disk === null) return;
  for (let at = 0; at <= disk.trace.length; at += at < glance.at ? stride : 1) {
    const second = { at, mode: 'torn', luck: first.luck + at } as const;
    const recovery = recoveryFrom(run, { ...first, mode: 'torn' }, (clock) => disk.crashAt(at, modeOf(second), { clock }));
    try {
      await checkRecovery(run.options.flushes && at >= glance.at ? { ...recovery, seen: glance.state } : recovery);
    } catch (error) {
      throw new Error(`a second crash before change ${at} of the start after the first one: ${String(error)}`, { cause: error });
    }
  }
}

const modeOf = ({ mode, luck }: CrashPoint): CrashMode =>
  mode === 'torn' ? { unsynced: mode, random: new SimulatedRandom(luck) } : { unsynced: mode };

function recoveryFrom(run: TracedRun, point: CrashPoint, diskOf: (clock: SimulatedClock) => SimulatedDisk): RecoveryOptions {
  const { history, endMs: crashMs, options } = run;
  const crash: Crash = { at: point.at, kind: point.mode === 'kept' ? 'process' : 'power' };
  return { seed: point.luck, history, flushes: options.flushes, crash, crashMs, diskOf };
}
