import type { Codec } from '../../src/protocol/compression/codec.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { NodeClient, Place } from '../cluster/node-client.ts';
import { batchOf } from './made-batch.ts';
import type { Actor, LastingTopic, Stage } from './stage.ts';

const CODECS: readonly Codec[] = ['none', 'none', 'gzip', 'lz4'];
const BATCH_RECORDS_MAX = 4;
const VALUE_FILLER_MAX = 120;
/** Produce requests of an actor that are under way at a time. */
const PIPELINE = 3;

/** An idempotent producer that sends without waiting for each answer. */
export class ProducingActor implements Actor {
  readonly #stage: Stage;
  readonly #topics: readonly LastingTopic[];
  readonly #name: string;
  readonly #sequences = new Map<string, number>();
  readonly #underWay: Promise<void>[] = [];
  #producerId: number | null = null;
  #count = 0;

  constructor(stage: Stage, name: string, topics: readonly LastingTopic[]) {
    this.#stage = stage;
    this.#name = name;
    this.#topics = topics;
  }

  async step(): Promise<void> {
    this.#producerId ??= await newProducerId(this.#stage);
    const sending = this.#send(this.#producerId);
    // Whoever waits for it later is told of a failure.
    sending.catch(() => undefined);
    this.#underWay.push(sending);
    if (this.#underWay.length >= PIPELINE) await this.#underWay.shift();
  }

  async settle(): Promise<void> {
    await Promise.all(this.#underWay.splice(0));
  }

  async #send(producerId: number): Promise<void> {
    const { random, history, client } = this.#stage;
    const topic = random.pick(this.#topics);
    const partition = random.integer(topic.partitions);
    const key = `${topic.name}-${partition}`;
    const baseSequence = this.#sequences.get(key) ?? 0;
    const values = Array.from({ length: 1 + random.integer(BATCH_RECORDS_MAX) }, () => this.#value());
    this.#sequences.set(key, baseSequence + values.length);
    const acks = random.pick([-1, -1, -1, 1, 1, 0]);
    const place = { topic: topic.name, partition };
    const identity = { producerId, baseSequence, values };
    const call = { ...place, ...identity, topicId: topic.id, acks, invokedAt: history.now, answeredAt: Infinity, baseOffset: -1 };
    history.produced.push(call);
    const batch = batchOf({ ...identity, codec: random.pick(CODECS), timestamp: this.#stage.now() });
    call.baseOffset = await client.produce(place, batch, acks);
    if (acks !== 0) call.answeredAt = history.now;
  }

  #value(): string {
    return `${this.#name}:${this.#count++}:${'v'.repeat(this.#stage.random.integer(VALUE_FILLER_MAX))}`;
  }
}

async function newProducerId({ client, history }: Stage): Promise<number> {
  const id = await client.newProducerId();
  history.producerIds.push({ at: history.now, id });
  return id;
}

/** Reads what is there, a piece at a time, and notes what it saw. */
export class ReadingActor implements Actor {
  readonly #stage: Stage;
  readonly #topics: readonly LastingTopic[];
  readonly #positions = new Map<string, number>();

  constructor(stage: Stage, topics: readonly LastingTopic[]) {
    this.#stage = stage;
    this.#topics = topics;
  }

  async step(): Promise<void> {
    const { random, history, client } = this.#stage;
    const { name: topic, id: topicId, partitions } = random.pick(this.#topics);
    const partition = random.integer(partitions);
    const key = `${topic}-${partition}`;
    const { records, logStartOffset } = await this.#fetch({ topic, partition }, this.#positions.get(key) ?? 0);
    let next = this.#positions.get(key) ?? logStartOffset;
    for (const batch of batchesOf(records)) {
      batch.ensureValid();
      for (const { offset, value } of recordsOf(batch)) {
        if (offset < next) continue;
        history.sightings.push({ at: history.now, topicId, partition, offset, value: Buffer.from(value ?? []).toString() });
        next = offset + 1;
      }
    }
    this.#positions.set(key, next);
    await client.offsets({ topic, partition });
  }

  /** From the start of the log where the position has been deleted. The start may move on meanwhile. */
  async #fetch(place: Place, offset: number): ReturnType<NodeClient['fetch']> {
    const { client } = this.#stage;
    for (let from = offset; ; ) {
      try {
        return await client.fetch(place, from);
      } catch (error) {
        if (!(error instanceof KafkaError && error.errorName === 'OFFSET_OUT_OF_RANGE')) throw error;
        const { start } = await client.offsets(place);
        if (start <= from) throw error;
        this.#positions.set(`${place.topic}-${place.partition}`, start);
        from = start;
      }
    }
  }
}

/** Deletes the oldest records of a topic. */
export class TrimmingActor implements Actor {
  readonly #stage: Stage;
  readonly #topic: LastingTopic;

  constructor(stage: Stage, topic: LastingTopic) {
    this.#stage = stage;
    this.#topic = topic;
  }

  async step(): Promise<void> {
    const { random, history, client } = this.#stage;
    const { name: topic, id: topicId, partitions } = this.#topic;
    const partition = random.integer(partitions);
    const { start, end } = await client.offsets({ topic, partition });
    const offset = start + random.integer(end - start + 1);
    const call = { topicId, partition, offset, invokedAt: history.now, answeredAt: Infinity };
    history.trims.push(call);
    await client.deleteRecords({ topic, partition }, offset);
    call.answeredAt = history.now;
  }
}
