import { NodeClient } from '../cluster/node-client.ts';
import type { SimulatedMachine } from '../cluster/simulated-machine.ts';
import type { RunningNode } from '../../src/server/start-node.ts';
import type { History } from './history.ts';
import { ProducingActor, ReadingActor, TrimmingActor } from './record-actors.ts';
import type { Actor, LastingTopic, Stage } from './stage.ts';
import { TopicActor } from './topic-actor.ts';

export interface WorkloadOptions {
  /** How often the node is started, loaded and stopped in order. */
  readonly phases: number;
  /** What each actor does in a phase. */
  readonly steps: number;
  /** Takes what clients fail with; each leaves the stage with its first failure. Without it the first failure ends everything. */
  readonly failed?: (error: unknown) => void;
  /** Told of each node that has started. */
  readonly started?: (node: RunningNode) => void;
  /** Asked before a node is started again. */
  readonly mayStartAgain?: () => boolean;
}

/** Small enough that a few records roll, index and delete. */
const SMALL_SEGMENTS = { 'internal.segment.bytes': '1500', 'index.interval.bytes': '200', 'file.delete.delay.ms': '20' };
/** `short` keeps this much, or a segment more. */
export const RETENTION_BYTES = 4_000;
export const SHORTENED_TOPIC = 'short';
export const TRIMMED_TOPIC = 'trimmed';

const LASTING: readonly { readonly name: string; readonly partitions: number; readonly configs: Record<string, string> }[] = [
  { name: 'plain', partitions: 1, configs: {} },
  { name: 'small', partitions: 2, configs: SMALL_SEGMENTS },
  { name: TRIMMED_TOPIC, partitions: 1, configs: SMALL_SEGMENTS },
  { name: SHORTENED_TOPIC, partitions: 1, configs: { ...SMALL_SEGMENTS, 'retention.bytes': String(RETENTION_BYTES) } },
];

/** Everything that goes on in the background does so within a phase. */
export const workloadProperties = ({ flushes }: { readonly flushes: boolean }): Readonly<Record<string, string>> => ({
  'log.retention.check.interval.ms': '30',
  'log.initial.task.delay.ms': '10',
  'log.flush.offset.checkpoint.interval.ms': '40',
  'log.flush.start.offset.checkpoint.interval.ms': '40',
  'replica.high.watermark.checkpoint.interval.ms': '50',
  'metadata.log.max.record.bytes.between.snapshots': '3000',
  ...(flushes ? { 'log.flush.interval.messages': '1' } : {}),
});

const THINKING_MS = 4;
/** Long enough for deletions that wait and for checkpoints. */
const QUIET_MS = 60;

/** Lets clients use a node in every way there is, and notes what they were told. Rejects with the first failure of any of them. */
export async function runWorkload(machine: SimulatedMachine, history: History, options: WorkloadOptions): Promise<void> {
  let cast: Cast | null = null;
  for (let phase = 0; phase < options.phases; phase++) {
    await machine.start();
    const { node } = machine;
    let hasFailed = false;
    void node.failed.then(() => (hasFailed = true));
    options.started?.(node);
    try {
      if (phase === 0) cast = await Cast.assemble(machine, history);
      await cast?.play(options);
    } catch (error) {
      if (options.failed === undefined) throw error;
      options.failed(error);
    }
    await machine.pause(QUIET_MS);
    await machine.stop();
    if (!hasFailed) history.stops.push(history.now);
    if (options.mayStartAgain?.() === false) return;
  }
}

async function makeTopics(client: NodeClient, history: History): Promise<LastingTopic[]> {
  const topics: LastingTopic[] = [];
  for (const { name, partitions, configs } of LASTING) {
    const change = history.topic(name).begin({ id: null, partitions }, history.now);
    const id = await client.createTopic(name, partitions, configs);
    change.value = { id, partitions };
    change.answeredAt = history.now;
    topics.push({ name, id, partitions });
  }
  return topics;
}

/** All actors, each with a connection of its own. */
class Cast {
  readonly #machine: SimulatedMachine;
  readonly #history: History;
  readonly #stages: Stage[] = [];
  readonly #actors: Set<Actor>;

  private constructor(
    machine: SimulatedMachine,
    history: History,
    { topics, client }: { topics: LastingTopic[]; client: NodeClient },
  ) {
    this.#machine = machine;
    this.#history = history;
    const stage = (): Stage => this.#stage(client);
    this.#actors = new Set<Actor>([
      new ProducingActor(stage(), 'one', topics),
      new ProducingActor(stage(), 'two', topics),
      new ReadingActor(stage(), topics),
      ...topics.filter(({ name }) => name === TRIMMED_TOPIC).map((topic) => new TrimmingActor(stage(), topic)),
      new TopicActor(stage(), 'come-and-go'),
    ]);
  }

  static async assemble(machine: SimulatedMachine, history: History): Promise<Cast> {
    const client = new NodeClient(await machine.connect());
    return new Cast(machine, history, { topics: await makeTopics(client, history), client });
  }

  async play({ steps, failed }: WorkloadOptions): Promise<void> {
    for (const stage of this.#stages) stage.client = new NodeClient(await this.#machine.connect());
    const playing = [...this.#actors].map(async (actor) => {
      try {
        await this.#playOne(actor, steps);
      } catch (error) {
        if (failed === undefined) throw error;
        failed(error);
        this.#actors.delete(actor);
      }
    });
    await Promise.all(playing);
    for (const { client } of this.#stages) client.close();
  }

  async #playOne(actor: Actor, steps: number): Promise<void> {
    const { random } = this.#machine;
    for (let step = 0; step < steps; step++) {
      await actor.step();
      await this.#machine.pause(random.integer(THINKING_MS));
    }
    await actor.settle?.();
  }

  #stage(client: NodeClient): Stage {
    const { random, clock } = this.#machine;
    const stage = { client, random: random.fork(), history: this.#history, now: () => clock.now() };
    this.#stages.push(stage);
    return stage;
  }
}
