import type { WorkloadOptions } from '../workload/node-workload.ts';

/** What a run is made of: the same gives the same run. */
export interface RunOptions extends Pick<WorkloadOptions, 'phases' | 'steps'> {
  readonly seed: number;
  /** flush.messages=1 for all topics. */
  readonly flushes: boolean;
}

/** The command that does one thing of a run again. */
export const repeatCommand = ({ seed, phases, steps, flushes }: RunOptions, what: string): string =>
  `npm run simulate -- --seed ${seed} --phases ${phases} --steps ${steps}${flushes ? ' --flush' : ''} ${what}`;

/** The same failure, with the way to see it again. */
export const withCommand = (error: unknown, options: RunOptions, what: string): Error =>
  new Error(`${String(error)}\nto repeat: ${repeatCommand(options, what)}`, { cause: error });
