import { KafkaError, errorNameOf } from '../protocol/errors.ts';
import { allocateProducerIds } from '../protocol/messages/67-allocate-producer-ids.ts';
import type { ControllerChannel } from './forwarding.ts';

/** Fetch the next block when this share of the current one is used. */
const PREFETCH_SHARE = 0.9;

interface Block {
  readonly end: number;
  readonly prefetchAt: number;
  next: number;
}

/** Gives out producer ids that no other broker gives out: blocks of them come from the controller, the next one in advance (KIP-730). */
export class ProducerIds {
  readonly #channel: ControllerChannel;
  readonly #brokerId: number;
  readonly #brokerEpoch: () => number;
  #current: Block | null = null;
  #following: Block | null = null;
  #request: Promise<void> | null = null;

  constructor(options: { readonly channel: ControllerChannel; readonly brokerId: number; readonly brokerEpoch: () => number }) {
    this.#channel = options.channel;
    this.#brokerId = options.brokerId;
    this.#brokerEpoch = options.brokerEpoch;
  }

  /** Rejects with COORDINATOR_LOAD_IN_PROGRESS, which clients retry, when the controller gives no block. */
  async next(): Promise<number> {
    for (;;) {
      const id = this.#take();
      if (id !== null) return id;
      await this.#fetchBlock();
    }
  }

  #take(): number | null {
    if (this.#current === null || this.#current.next >= this.#current.end) {
      this.#current = this.#following;
      this.#following = null;
    }
    const block = this.#current;
    if (block === null) return null;
    const id = block.next++;
    if (block.next >= block.prefetchAt && this.#following === null) {
      // Whoever finds no block later asks again and is told of the failure then.
      this.#fetchBlock().catch(() => undefined);
    }
    return id;
  }

  /** However many ask, one request is under way. */
  #fetchBlock(): Promise<void> {
    this.#request ??= this.#allocate().finally(() => {
      this.#request = null;
    });
    return this.#request;
  }

  async #allocate(): Promise<void> {
    const request = { brokerId: this.#brokerId, brokerEpoch: this.#brokerEpoch() };
    const response = await this.#channel.send(allocateProducerIds, request, { version: 0 }).catch((error: unknown) => {
      throw unavailable(error);
    });
    if (response.errorCode !== 0) throw unavailable(new KafkaError(errorNameOf(response.errorCode)));
    const { producerIdStart: start, producerIdLen: count } = response;
    this.#following = { next: start, end: start + count, prefetchAt: start + Math.floor(count * PREFETCH_SHARE) };
  }
}

const unavailable = (cause: unknown): KafkaError =>
  new KafkaError('COORDINATOR_LOAD_IN_PROGRESS', 'The controller has not given out producer ids yet', { cause });
