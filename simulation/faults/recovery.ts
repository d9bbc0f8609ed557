import { checkMetadata, checkProducerId } from '../checkers/metadata-checker.ts';
import { type NodeState, readState } from '../checkers/node-state.ts';
import { type Crash, RecordsChecker } from '../checkers/records-checker.ts';
import { checkStillThere } from '../checkers/still-there.ts';
import { checkSurvivors, survivingEnds } from '../checkers/surviving-records.ts';
import { NodeClient } from '../cluster/node-client.ts';
import { DATA_DIRECTORY, SimulatedMachine } from '../cluster/simulated-machine.ts';
import type { SimulatedClock } from '../simulated-clock.ts';
import type { SimulatedDisk } from '../simulated-disk.ts';
import type { History } from '../workload/history.ts';
import { batchOf } from '../workload/made-batch.ts';
import { slowSyncs } from './slow-syncs.ts';
import { workloadProperties } from '../workload/node-workload.ts';

export interface RecoveryOptions {
  readonly seed: number;
  readonly history: History;
  /** flush.messages=1 for all topics. */
  readonly flushes: boolean;
  readonly crash: Crash;
  /** When it happened, by the node's clock. */
  readonly crashMs: number;
  readonly diskOf: (clock: SimulatedClock) => SimulatedDisk;
  /** What consumers saw of the node after an earlier crash, where that had to be durable. */
  readonly seen?: NodeState;
}

/** Time for what goes on in the background after a start. */
const QUIET_MS = 60;

/** A start after a crash: throws when the node does not keep what was promised, or cannot be used. */
export async function checkRecovery(options: RecoveryOptions): Promise<void> {
  await new Recovery(options).check();
}

/** What consumers saw of a node, and how many changes of the disk had been made by then. */
export interface Glance {
  readonly state: NodeState;
  readonly at: number;
}

/** A start after a crash and nothing but a look at everything. Then time passes, and the machine dies. */
export function glanceAfter(options: RecoveryOptions): Promise<Glance> {
  return new Recovery(options).glance();
}

class Recovery {
  readonly #machine: SimulatedMachine;
  readonly #options: RecoveryOptions;

  constructor(options: RecoveryOptions) {
    const { seed, crashMs, flushes, diskOf } = options;
    this.#options = options;
    this.#machine = new SimulatedMachine({ seed, startMs: crashMs + 1, properties: workloadProperties({ flushes }), diskOf });
    slowSyncs(this.#machine);
  }

  async glance(): Promise<Glance> {
    const machine = this.#machine;
    const glance = await machine.run(async () => {
      await machine.start();
      const client = new NodeClient(await machine.connect());
      const state = await readState(client);
      const at = machine.disk.trace.length;
      await machine.pause(QUIET_MS);
      return { state, at };
    });
    machine.die();
    return glance;
  }

  async check(): Promise<void> {
    const { history, crash, flushes, seen } = this.#options;
    const machine = this.#machine;
    const survivors = survivingEnds(machine.disk, DATA_DIRECTORY);
    await machine.run(async () => {
      await machine.start();
      const client = new NodeClient(await machine.connect());
      const state = await readState(client);
      checkSurvivors(survivors, state);
      checkMetadata(history, state, crash.at);
      new RecordsChecker(history, { flushes }).check(state, crash);
      if (seen !== undefined) checkStillThere(seen, state);
      await this.#checkUsable(client, state);
      client.close();
      await machine.stop();
    });
    machine.die();
  }

  /** The node takes new records, gives out new producer ids, and knows which batches it has. */
  async #checkUsable(client: NodeClient, state: NodeState): Promise<void> {
    const { history, crash } = this.#options;
    const id = await client.newProducerId();
    checkProducerId(history, crash.at, id);
    const timestamp = this.#machine.clock.now();
    for (const [topic, { contents }] of state) {
      for (const [partition, { end }] of contents.entries()) {
        const place = { topic, partition };
        const batch = batchOf({ producerId: id, baseSequence: 0, values: ['after the crash'], timestamp });
        const offset = await client.produce(place, batch, -1);
        if (offset !== end) throw new Error(`${topic}-${partition} ended at ${end}, and the next record went to ${offset}`);
        const again = await client.produce(
          place,
          batchOf({ producerId: id, baseSequence: 0, values: ['after the crash'], timestamp }),
          -1,
        );
        if (again !== offset) throw new Error(`${topic}-${partition} has taken the batch at ${offset} again, at ${again}`);
      }
    }
    await this.#checkRepeats(client, state);
  }

  /** A producer that had no answer sends its last batch again: it is known, and told its place. */
  async #checkRepeats(client: NodeClient, state: NodeState): Promise<void> {
    const { produced } = this.#options.history;
    for (const [topic, { id, contents }] of state) {
      for (const [partition, { records }] of contents.entries()) {
        const offsets = new Map(records.map(({ value, offset }) => [value, offset]));
        const there = produced.filter((call) => call.topicId === id && call.partition === partition && call.producerId >= 0);
        const lastByProducer = new Map(
          there.filter(({ values }) => offsets.has(values[0] ?? '')).map((call) => [call.producerId, call]),
        );
        for (const { producerId, baseSequence, values } of lastByProducer.values()) {
          const batch = batchOf({ producerId, baseSequence, values, timestamp: this.#machine.clock.now() });
          const offset = await client.produce({ topic, partition }, batch, -1);
          const expected = offsets.get(values[0] ?? '');
          if (offset !== expected) {
            throw new Error(
              `${topic}-${partition} has a batch of producer ${producerId} at ${expected}, and took it again at ${offset}`,
            );
          }
        }
      }
    }
  }
}
