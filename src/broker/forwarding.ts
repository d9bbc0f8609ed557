import type { Api, RequestOf, ResponseOf } from '../protocol/schema.ts';
import type { RequestContext } from './request-context.ts';

/**
 * The way to the active controller, whether it is in this process or behind a connection. Rejects with a KafkaError when the controller could not be
 * asked; what the controller refuses is in its response.
 */
export interface ControllerChannel {
  send<A extends Api>(api: A, request: RequestOf<A>, options: ForwardingOptions): Promise<ResponseOf<A>>;
}

export interface ForwardingOptions {
  /** The version whose meaning the request has. */
  readonly version: number;
  /** On whose behalf the broker asks; absent when it asks on its own. */
  readonly onBehalfOf?: RequestContext;
  readonly timeoutMs?: number;
}

/** Has the controller answer a client's request. */
export const forward = <A extends Api>(
  channel: ControllerChannel,
  api: A,
  request: RequestOf<A>,
  context: RequestContext,
): Promise<ResponseOf<A>> => channel.send(api, request, { version: context.apiVersion, onBehalfOf: context });
