import type { Clock, Millis } from '../base/clock.ts';
import { decode, encode } from '../protocol/codec.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { Api, RequestOf, ResponseOf } from '../protocol/schema.ts';
import type { QuorumController } from './quorum-controller.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * The way to a controller in the same process. Requests and answers pass through their bytes, so that both sides see exactly what they would see
 * through a connection: fields of the version alone, defaults filled in, nothing shared.
 */
export class LoopbackChannel {
  readonly #controller: QuorumController;
  readonly #clock: Clock;

  constructor(controller: QuorumController, clock: Clock) {
    this.#controller = controller;
    this.#clock = clock;
  }

  /** Rejects with NOT_CONTROLLER when no controller is active within the time. */
  async send<A extends Api>(
    api: A,
    request: RequestOf<A>,
    options: { readonly version: number; readonly timeoutMs?: Millis },
  ): Promise<ResponseOf<A>> {
    const { version, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    if (!this.#controller.isActive) await this.#becomesActive(timeoutMs);
    const asked = decode(api.request, version, encode(api.request, version, request)) as RequestOf<A>;
    const answer = await this.#controller.handle(api, asked, version);
    return decode(api.response, version, encode(api.response, version, answer)) as ResponseOf<A>;
  }

  #becomesActive(timeoutMs: Millis): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.schedule(timeoutMs, () =>
        reject(new KafkaError('NOT_CONTROLLER', 'No controller appears to be active.')),
      );
      this.#controller
        .whenActive()
        .finally(() => timer.cancel())
        .then(resolve, reject);
    });
  }
}
