import type { NodeClient } from '../cluster/node-client.ts';
import type { SimulatedRandom } from '../simulated-random.ts';
import type { History } from './history.ts';

/** A topic that lives through the whole run. */
export interface LastingTopic {
  readonly name: string;
  readonly id: string;
  readonly partitions: number;
}

/** What all actors have. */
export interface Stage {
  /** Another one after each start of the node. */
  client: NodeClient;
  readonly random: SimulatedRandom;
  readonly history: History;
  /** What time it is for the node, whose records have such timestamps. */
  readonly now: () => number;
}

/** Something that does one thing after the other. */
export interface Actor {
  step(): Promise<void>;
  /** Resolves when nothing of it is under way. */
  settle?(): Promise<void>;
}
