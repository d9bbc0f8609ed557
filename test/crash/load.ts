import type { Client } from '../../src/client/client.ts';
import { Producer } from '../../src/client/producer.ts';
import type { ProducerOptions } from '../../src/client/producer-options.ts';
import type { Codec } from '../../src/protocol/compression/codec.ts';
import type { SimulatedRandom } from '../../simulation/simulated-random.ts';
import type { Ledger } from './ledger.ts';
import { between, valueOf } from './sequenced-value.ts';

export interface LoadTopic {
  readonly name: string;
  readonly partitions: number;
  /** Its oldest records may be deleted by retention. */
  readonly isShortened?: boolean;
}

/** Bursts of a producer that may be unacknowledged at one time. */
const BURSTS_MAX = 3;
const BURST_RECORDS_MAX = 300;
const CODECS: readonly Codec[] = ['none', 'lz4', 'gzip', 'zstd', 'snappy'];
/** Long enough for a broker that is killed and started several times. */
const DELIVERY_TIMEOUT_MS = 60_000;

/** One producer that sends without end, a few bursts ahead of the acknowledgements. */
export class LoadProducer {
  readonly index: number;
  readonly isIdempotent: boolean;
  readonly #client: Client;
  readonly #options: ProducerOptions;
  readonly #topics: readonly LoadTopic[];
  readonly #random: SimulatedRandom;
  readonly #ledger: Ledger;
  #producer: Producer | null = null;
  #sequence = 0;
  #isSending = false;
  #sending: Promise<void> | null = null;
  #acknowledged: () => void = () => undefined;
  /** What must never happen: an idempotent record that was given up, an answer that contradicts another. */
  failure: unknown = null;

  constructor(
    client: Client,
    options: { index: number; acks: 'all' | 1; topics: readonly LoadTopic[]; random: SimulatedRandom; ledger: Ledger },
  ) {
    const { index, acks, topics, random, ledger } = options;
    this.#client = client;
    this.index = index;
    this.isIdempotent = acks === 'all';
    this.#topics = topics;
    this.#random = random;
    this.#ledger = ledger;
    this.#options = {
      acks,
      compression: CODECS[index % CODECS.length] ?? 'none',
      lingerMs: [0, 5, 1, 10][index % 4] ?? 0,
      batchSize: [16_384, 4_000, 65_536][index % 3] ?? 16_384,
      deliveryTimeoutMs: DELIVERY_TIMEOUT_MS,
      // Without idempotence a repeated batch may be there twice: what fails is left.
      ...(acks === 1 ? { retries: 0 } : {}),
    };
  }

  /** Sends until `pause`; resolves at the first acknowledgement. */
  async run(): Promise<void> {
    this.#producer ??= new Producer(this.#client, this.#options);
    for (const { name } of this.#topics) await this.#producer.prepare(name);
    this.#isSending = true;
    const first = new Promise<void>((resolve) => {
      this.#acknowledged = resolve;
    });
    this.#sending = this.#send(this.#producer);
    await first;
  }

  /** Sends no more; resolves when every record has its fate. */
  async pause(): Promise<void> {
    this.#isSending = false;
    await this.#sending;
    await this.#producer?.flush();
  }

  async close(): Promise<void> {
    await this.pause();
    await this.#producer?.close();
    this.#producer = null;
  }

  async #send(producer: Producer): Promise<void> {
    const bursts: Promise<void>[] = [];
    while (this.#isSending) {
      bursts.push(this.#burst(producer));
      if (bursts.length >= BURSTS_MAX) await bursts.shift();
    }
  }

  async #burst(producer: Producer): Promise<void> {
    const count = between(this.#random, 1, BURST_RECORDS_MAX);
    const deliveries = Array.from({ length: count }, () => this.#sendOne(producer));
    await Promise.all(deliveries);
  }

  async #sendOne(producer: Producer): Promise<void> {
    const topic = this.#random.pick(this.#topics);
    const partition = this.#random.integer(topic.partitions);
    const id = { producer: this.index, sequence: this.#sequence++ };
    this.#ledger.sent(topic.name, partition, id);
    const delivery = await producer
      .send({ topic: topic.name, partition, value: valueOf(id) })
      .catch((error: unknown) => void (this.isIdempotent && (this.failure ??= error)));
    if (delivery === undefined) return;
    try {
      this.#ledger.acknowledge(delivery, id);
    } catch (error) {
      this.failure ??= error;
    }
    this.#acknowledged();
  }
}
