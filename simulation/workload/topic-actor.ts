import type { Call, TopicState } from './history.ts';
import { batchOf } from './made-batch.ts';
import type { Actor, Stage } from './stage.ts';

const CHANGED_CONFIGS = ['retention.ms', 'max.message.bytes'] as const;
const PARTITIONS_MAX = 3;
const CONFIG_VALUE_LEAST = 1_000_000;

/** Makes topics, changes them, writes a little into them, deletes them, and makes them again under the same name. */
export class TopicActor implements Actor {
  readonly #stage: Stage;
  readonly #name: string;
  #state: TopicState | null = null;
  #batches = 0;

  constructor(stage: Stage, name: string) {
    this.#stage = stage;
    this.#name = name;
  }

  async step(): Promise<void> {
    const state = this.#state;
    if (state === null) return this.#create();
    const { random } = this.#stage;
    const kind = random.integer(8);
    if (kind < 2) return this.#delete();
    if (kind < 4 && state.partitions < PARTITIONS_MAX) return this.#grow(state);
    if (kind < 6) return this.#configure();
    return this.#produce(state);
  }

  async #create(): Promise<void> {
    const { client, history, random } = this.#stage;
    const partitions = 1 + random.integer(2);
    const change = history.topic(this.#name).begin({ id: null, partitions }, history.now);
    const id = await client.createTopic(this.#name, partitions);
    this.#state = change.value = { id, partitions };
    this.#done([change]);
  }

  async #delete(): Promise<void> {
    const { client, history } = this.#stage;
    // The topic's configs go with it.
    const configs = CHANGED_CONFIGS.map((key) => history.config(this.#name, key).begin(null, history.now));
    const change = history.topic(this.#name).begin(null, history.now);
    await client.deleteTopic(this.#name);
    this.#state = null;
    this.#done([change, ...configs]);
  }

  async #grow({ id, partitions }: TopicState): Promise<void> {
    const { client, history } = this.#stage;
    const grown = { id, partitions: partitions + 1 };
    const change = history.topic(this.#name).begin(grown, history.now);
    await client.growTopic(this.#name, grown.partitions);
    this.#state = grown;
    this.#done([change]);
  }

  async #configure(): Promise<void> {
    const { client, history, random } = this.#stage;
    const key = random.pick(CHANGED_CONFIGS);
    const value = random.oneIn(4) ? null : String(CONFIG_VALUE_LEAST + random.integer(1000));
    const change = history.config(this.#name, key).begin(value, history.now);
    await client.setTopicConfig(this.#name, key, value);
    this.#done([change]);
  }

  async #produce({ id, partitions }: TopicState): Promise<void> {
    const { client, history, random } = this.#stage;
    const place = { topic: this.#name, partition: random.integer(partitions) };
    const content = { producerId: -1, baseSequence: -1, values: [`${this.#name}:${this.#batches++}`] };
    const topicId = id ?? '';
    const call = { ...place, ...content, topicId, acks: -1, invokedAt: history.now, answeredAt: Infinity, baseOffset: -1 };
    history.produced.push(call);
    call.baseOffset = await client.produce(place, batchOf({ ...content, timestamp: this.#stage.now() }), -1);
    call.answeredAt = history.now;
  }

  #done(calls: readonly Call[]): void {
    const { now } = this.#stage.history;
    for (const call of calls) call.answeredAt = now;
  }
}
