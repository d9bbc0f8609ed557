import type { BrokerChannel } from '../broker/broker-channel.ts';
import { CLOSE_CONNECTION, type Handler, type HandlerResult, NO_RESPONSE } from '../broker/handler.ts';
import type { RequestContext } from '../broker/request-context.ts';
import { decode, encode } from '../protocol/codec.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { Api, RequestInput, RequestOf, ResponseOf } from '../protocol/schema.ts';
import { anonymous } from '../security/principal.ts';

export interface LoopbackBrokerOptions {
  readonly brokerId: number;
  /** The listener between brokers. */
  readonly listenerName: string;
  readonly handlers: () => readonly Handler[];
}

/**
 * The way of a broker to itself. Requests and answers pass through their bytes, so that both sides see exactly what they would see through a connection. Other
 * brokers cannot be asked yet.
 */
export class LoopbackBroker implements BrokerChannel {
  readonly #options: LoopbackBrokerOptions;
  #correlationId = 0;

  constructor(options: LoopbackBrokerOptions) {
    this.#options = options;
  }

  async send<A extends Api>(brokerId: number, api: A, request: RequestInput<A>, version: number): Promise<ResponseOf<A>> {
    const handler = this.#options.handlers().find((each) => each.api === api);
    if (brokerId !== this.#options.brokerId || handler === undefined)
      throw new KafkaError('NETWORK_EXCEPTION', `Broker ${brokerId} cannot be asked for ${api.name}.`);
    const asked = decode(api.request, version, encode(api.request, version, request)) as RequestOf<A>;
    const answer = await answerOf(handler, asked, this.#context(api, version));
    if (answer === NO_RESPONSE || answer === CLOSE_CONNECTION) throw new KafkaError('NETWORK_EXCEPTION');
    return decode(api.response, version, encode(api.response, version, answer)) as ResponseOf<A>;
  }

  #context(api: Api, apiVersion: number): RequestContext {
    return {
      apiKey: api.key,
      apiVersion,
      correlationId: ++this.#correlationId,
      clientId: `broker-${this.#options.brokerId}`,
      listenerName: this.#options.listenerName,
      principal: anonymous,
      clientHost: '127.0.0.1',
      connectionId: -1,
      isPrivilegedListener: true,
    };
  }
}

async function answerOf(handler: Handler, request: RequestOf<Api>, context: RequestContext): Promise<HandlerResult<Api>> {
  try {
    return await handler.handle(request, context);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return handler.failed(request, error, context);
  }
}
