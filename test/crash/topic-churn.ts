import { deleteTopics } from '../../src/protocol/messages/20-delete-topics.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { listTopics } from '../../src/client/admin-topics.ts';
import type { Client } from '../../src/client/client.ts';
import type { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { ZERO_UUID } from '../../src/base/uuid.ts';

const PREFIX = 'churn-';
const TOPICS_MAX = 12;
const TIMEOUT_MS = 5_000;

/** What the controller has promised about a topic; `unknown` while a request about it has no answer. */
type Fate = { readonly kind: 'exists'; readonly id: string; readonly partitions: number } | { readonly kind: 'gone' | 'unknown' };

/** Makes and deletes topics without end and remembers what was answered. */
export class TopicChurn {
  readonly #client: Client;
  readonly #random: SimulatedRandom;
  readonly #fates = new Map<string, Fate>();
  #count = 0;
  #isRunning = false;
  #running: Promise<void> | null = null;
  answered = 0;

  constructor(client: Client, random: SimulatedRandom) {
    this.#client = client;
    this.#random = random;
  }

  run(): void {
    this.#isRunning = true;
    this.#running = this.#churn();
  }

  async pause(): Promise<void> {
    this.#isRunning = false;
    await this.#running;
  }

  /** Throws when a topic that was answered as made is not there, or one that was answered as deleted is. */
  async check(): Promise<void> {
    const found = new Map((await listTopics(this.#client)).map((topic) => [topic.name, topic]));
    for (const [name, fate] of this.#fates) {
      const topic = found.get(name);
      if (fate.kind === 'gone' && topic !== undefined) throw new Error(`topic ${name} was deleted and is there again`);
      if (fate.kind === 'exists') {
        if (topic === undefined) throw new Error(`topic ${name} was created and is gone`);
        if (topic.id !== fate.id || topic.partitions.length !== fate.partitions) throw new Error(`topic ${name} is another one`);
      }
      if (fate.kind === 'unknown') {
        const { partitions, id } = topic ?? { partitions: [], id: ZERO_UUID };
        this.#fates.set(name, topic === undefined ? { kind: 'gone' } : { kind: 'exists', id, partitions: partitions.length });
      }
    }
  }

  async #churn(): Promise<void> {
    while (this.#isRunning) {
      const existing = [...this.#fates].filter(([, fate]) => fate.kind === 'exists').map(([name]) => name);
      const isFull = existing.length >= TOPICS_MAX;
      const name = isFull || (existing.length > 0 && this.#random.oneIn(3)) ? this.#random.pick(existing) : null;
      try {
        await (name === null ? this.#create() : this.#delete(name));
        this.answered++;
      } catch {
        // The broker died: whether it was done is seen when it is back.
        return;
      }
    }
  }

  async #create(): Promise<void> {
    const name = `${PREFIX}${this.#count++}`;
    const partitions = 1 + this.#random.integer(3);
    this.#fates.set(name, { kind: 'unknown' });
    const topic = { name, numPartitions: partitions, replicationFactor: 1, assignments: [], configs: [] };
    const answer = await this.#client.sendToAny(createTopics, { topics: [topic], timeoutMs: TIMEOUT_MS, validateOnly: false });
    const [result] = answer.topics;
    if (result?.errorCode === 0) this.#fates.set(name, { kind: 'exists', id: result.topicId, partitions });
  }

  async #delete(name: string): Promise<void> {
    this.#fates.set(name, { kind: 'unknown' });
    const topics = [{ name, topicId: ZERO_UUID }];
    const answer = await this.#client.sendToAny(deleteTopics, { topics, topicNames: [name], timeoutMs: TIMEOUT_MS });
    if (answer.responses[0]?.errorCode === 0) this.#fates.set(name, { kind: 'gone' });
  }
}
