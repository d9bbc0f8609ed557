import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { initProducerId } from '../protocol/messages/22-init-producer-id.ts';
import type { Client } from './client.ts';
import type { ProducerIdentity } from './partition-queue.ts';

/** A transaction of no length: what Kafka's idempotent producer sends, too. */
const NO_TRANSACTION_TIMEOUT_MS = 2_147_483_647;

/** Who the producer is to the brokers at the moment. */
export interface IdentitySource {
  readonly current: ProducerIdentity | null;
  /** Another identity is on its way. */
  readonly isAsking: boolean;
  /** Gets an identity other than `old` (null: any at all). */
  renew(old: ProducerIdentity | null): Promise<void>;
}

/** Asks the cluster for the producer's identity, again whenever the one it has is of no use any more. */
export class IdempotentIdentity implements IdentitySource {
  readonly #client: Client;
  readonly #timeoutMs: number;
  current: ProducerIdentity | null = null;
  #asking: Promise<void> | null = null;

  constructor(client: Client, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  get isAsking(): boolean {
    return this.#asking !== null;
  }

  async renew(old: ProducerIdentity | null): Promise<void> {
    if (this.current !== null && this.current !== old) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    await this.#asking;
  }

  async #ask(): Promise<void> {
    this.current = await this.#client.retrying(
      async () => {
        const answer = await this.#client.sendToAny(initProducerId, {
          transactionalId: null,
          transactionTimeoutMs: NO_TRANSACTION_TIMEOUT_MS,
        });
        if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
        return { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
      },
      { timeoutMs: this.#timeoutMs },
    );
  }
}
