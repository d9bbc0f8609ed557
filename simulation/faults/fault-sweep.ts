import { KafkaError } from '../../src/protocol/errors.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { DiskError } from '../../src/base/disk.ts';
import { SimulatedMachine } from '../cluster/simulated-machine.ts';
import type { CrashMode } from '../disk-image.ts';
import { type DiskFault, type DiskOperation, SimulatedDisk } from '../simulated-disk.ts';
import { SimulatedRandom } from '../simulated-random.ts';
import { History } from '../workload/history.ts';
import { runWorkload, workloadProperties } from '../workload/node-workload.ts';
import { checkRecovery, type RecoveryOptions } from './recovery.ts';
import { type RunOptions, withCommand } from './repeat-command.ts';
import { slowSyncs } from './slow-syncs.ts';

export const faultKinds = ['error', 'bad-file', 'full'] as const;
/**
 * `error`: one operation fails with EIO. `bad-file`: so do all later ones on the same file. `full`: from the operation on nothing can be written
 * or made any more (ENOSPC).
 */
export type FaultKind = (typeof faultKinds)[number];

export interface FaultPoint {
  /** The fault comes with this operation of the disk, counted from the start. */
  readonly at: number;
  readonly kind: FaultKind;
}

/** How a run with a fault went. */
export interface FaultOutcome {
  /** What failed; null if the node never came to the operation. */
  readonly operation: DiskOperation | null;
  /** A start was refused, or a stop did not end well. */
  readonly wasRefused: boolean;
  readonly callsFailed: number;
  /** The node has stopped by itself. */
  readonly nodeFailed: boolean;
}

/** What a client may be told while the disk fails, or has failed. */
const TOLD: ReadonlySet<string> = new Set([
  'KAFKA_STORAGE_ERROR',
  'NETWORK_EXCEPTION',
  'REQUEST_TIMED_OUT',
  'NOT_LEADER_OR_FOLLOWER',
  'LEADER_NOT_AVAILABLE',
  'NOT_CONTROLLER',
  'COORDINATOR_NOT_AVAILABLE',
  'BROKER_NOT_AVAILABLE',
]);
const NEEDS_ROOM: ReadonlySet<DiskOperation['kind']> = new Set(['write', 'create', 'makeDirectory']);
/** Later than whatever happened. */
const END = Number.MAX_SAFE_INTEGER;

/** How many operations of the disk a run without faults makes. */
export async function countOperations(options: RunOptions): Promise<number> {
  const run = new FaultRun(options, null);
  await run.play();
  return run.operations;
}

/**
 * Runs the workload with one fault. Throws when a client is told something else than that the disk failed, when the node goes on where it must not,
 * or when a start on the mended disk does not have what was acknowledged.
 */
export async function checkFault(options: RunOptions, point: FaultPoint): Promise<FaultOutcome> {
  const run = new FaultRun(options, point);
  try {
    const outcome = await run.play();
    const random = new SimulatedRandom(options.seed + point.at);
    for (const fate of [{ unsynced: 'kept' }, { unsynced: 'lost' }, { unsynced: 'torn', random }] as const)
      await run.checkRestart(fate);
    return outcome;
  } catch (error) {
    const { kind, path } = run.failedOperation ?? { kind: 'nothing', path: '' };
    const where = `${point.kind} at operation ${point.at} (${kind} ${path})`;
    throw withCommand(`${where}: ${String(error)}`, options, `--fault ${point.at}:${point.kind}`);
  }
}

class FaultRun {
  readonly #options: RunOptions;
  readonly #point: FaultPoint | null;
  readonly #machine: SimulatedMachine;
  readonly #history: History;
  #failed: DiskOperation | null = null;
  operations = 0;

  constructor(options: RunOptions, point: FaultPoint | null) {
    const { seed, flushes } = options;
    this.#options = options;
    this.#point = point;
    this.#machine = new SimulatedMachine({
      seed,
      properties: workloadProperties({ flushes }),
      diskOf: (clock) => new SimulatedDisk({ clock }),
    });
    slowSyncs(this.#machine);
    this.#machine.disk.failWhen((operation) => this.#faultOf(operation));
    this.#history = new History(() => this.operations);
  }

  async play(): Promise<FaultOutcome> {
    const machine = this.#machine;
    const failures: unknown[] = [];
    let wasRefused = false;
    let nodeFailed = false;
    await machine.run(async () => {
      try {
        await runWorkload(machine, this.#history, {
          ...this.#options,
          failed: (error) => void failures.push(error),
          started: (node) => void node.failed.then(() => (nodeFailed = true)),
          // What a failed sync leaves in the page cache looks durable to the next process and is not: only a reboot tells what is there.
          mayStartAgain: () => this.#failed?.kind !== 'sync',
        });
      } catch (error) {
        this.#checkNodeFailure(error);
        wasRefused = true;
      }
    });
    for (const failure of failures) this.#checkTold(failure);
    machine.die();
    return { operation: this.#failed, wasRefused, callsFailed: failures.length, nodeFailed };
  }

  get failedOperation(): DiskOperation | null {
    return this.#failed;
  }

  async checkRestart(mode: CrashMode): Promise<void> {
    try {
      await checkRecovery(this.#recovery(mode));
    } catch (error) {
      throw new Error(`after the fault, unsynced changes ${mode.unsynced}: ${String(error)}`, { cause: error });
    }
  }

  #recovery(mode: CrashMode): RecoveryOptions {
    const machine = this.#machine;
    return {
      seed: this.#options.seed + 1,
      history: this.#history,
      flushes: this.#options.flushes,
      crash: { at: END, kind: mode.unsynced === 'kept' ? 'process' : 'power' },
      crashMs: machine.clock.now(),
      diskOf: (clock) => machine.disk.crash(mode, { clock }),
    };
  }

  #faultOf(operation: DiskOperation): DiskFault | null {
    const index = this.operations++;
    if (this.#point === null || index < this.#point.at) return null;
    const { at, kind } = this.#point;
    if (kind === 'full') {
      if (!NEEDS_ROOM.has(operation.kind)) return null;
      // What fits is written.
      const bytesWritten = this.#failed === null ? (operation.length ?? 0) >>> 1 : 0;
      this.#failed ??= operation;
      return { code: 'ENOSPC', bytesWritten };
    }
    if (index === at) this.#failed = operation;
    const isHit = index === at || (kind === 'bad-file' && operation.path === this.#failed?.path);
    return isHit ? { code: 'EIO', bytesWritten: (operation.length ?? 0) >>> 1 } : null;
  }

  #checkTold(failure: unknown): void {
    if (failure instanceof KafkaError && TOLD.has(failure.errorName)) return;
    throw new Error(`a client was told something strange: ${String(failure)}`, { cause: failure });
  }

  #checkNodeFailure(error: unknown): void {
    if (error instanceof StorageError || error instanceof DiskError) return;
    if (error instanceof KafkaError && error.errorName === 'KAFKA_STORAGE_ERROR') return;
    throw new Error(`a start or a stop failed with something else than what the disk said: ${String(error)}`, { cause: error });
  }
}
