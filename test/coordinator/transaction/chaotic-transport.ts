import type { BrokerChannel } from '../../../src/broker/broker-channel.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import type { Api, RequestInput, ResponseOf } from '../../../src/protocol/schema.ts';
import type { SimulatedClock } from '../../../simulation/simulated-clock.ts';
import type { SimulatedRandom } from '../../../simulation/simulated-random.ts';

/** There was no answer in time. */
export class NoAnswer extends Error {}

/** How long a client waits for an answer. */
const PATIENCE_MS = 400;

/** Has messages come late, twice, in another order, and loses answers. */
export class ChaoticTransport {
  readonly #clock: SimulatedClock;
  readonly #random: SimulatedRandom;
  isCalm = false;

  constructor(clock: SimulatedClock, random: SimulatedRandom) {
    this.#clock = clock;
    this.#random = random;
  }

  pass(durationMs: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.schedule(durationMs, resolve));
  }

  /** Delivers a request, perhaps more than once and perhaps long after its sender has given up. Rejects with NoAnswer. */
  async ask<Answer>(deliver: () => Promise<Answer>, { isInOrder = false } = {}): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (isInOrder) {
      this.#clock.schedule(PATIENCE_MS, () => reject(new NoAnswer()));
      void deliver().then((answer) => this.#answer(answer, resolve));
      return promise;
    }
    const times = this.#happens(8) ? 2 : 1;
    for (let time = 0; time < times; time++) void this.#deliver(deliver, resolve);
    this.#clock.schedule(PATIENCE_MS, () => reject(new NoAnswer()));
    return promise;
  }

  async #deliver<Answer>(deliver: () => Promise<Answer>, resolve: (answer: Answer) => void): Promise<void> {
    await this.pass(this.#delay());
    await this.#answer(await deliver(), resolve);
  }

  async #answer<Answer>(answer: Answer, resolve: (answer: Answer) => void): Promise<void> {
    if (this.#happens(12)) return;
    await this.pass(this.#delay());
    resolve(answer);
  }

  /** The way between brokers under the same conditions. */
  between(channel: BrokerChannel): BrokerChannel {
    return {
      send: async <A extends Api>(
        brokerId: number,
        api: A,
        request: RequestInput<A>,
        version: number,
      ): Promise<ResponseOf<A>> => {
        try {
          return await this.ask(() => channel.send(brokerId, api, request, version), { isInOrder: isOldEnd(request) });
        } catch (error) {
          throw error instanceof NoAnswer ? new KafkaError('NETWORK_EXCEPTION') : error;
        }
      },
    };
  }

  #delay(): number {
    if (this.isCalm) return 1;
    return this.#happens(15) ? 200 + this.#random.integer(3_000) : this.#random.integer(15);
  }

  #happens(once: number): boolean {
    return !this.isCalm && this.#random.oneIn(once);
  }
}

/** A marker of a transaction whose epoch the next one has as well: one that came late would end that, in Kafka too (KIP-890). */
const isOldEnd = (request: object): boolean =>
  'markers' in request &&
  Array.isArray(request.markers) &&
  request.markers.some((marker: { readonly transactionVersion?: number }) => (marker.transactionVersion ?? 0) < 2);
