import type { KafkaError } from '../protocol/errors.ts';
import type { Api, RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { RequestContext } from './request-context.ts';

/** The request is served and gets no answer: Produce with acks=0. */
export const NO_RESPONSE = Symbol('no response');
/** The request cannot be answered, and its sender has to notice: an error of Produce with acks=0. */
export const CLOSE_CONNECTION = Symbol('close connection');

/** What becomes of a request: the answer's body, or one of the two ways of having none. */
export type HandlerResult<A extends Api> = ResponseInput<A> | typeof NO_RESPONSE | typeof CLOSE_CONNECTION;

/**
 * One API: translates the request, asks whoever knows, and shapes the answer. The request pipeline has done everything that all
 * requests share.
 */
export interface Handler<A extends Api = Api> {
  readonly api: A;
  /**
   * True where nothing looks at the bytes of a request any more once its result is there: they are overwritten. Byte fields of a request
   * are views of it, so whoever keeps one of them must not say so.
   */
  readonly isDoneWithRequest?: boolean;
  handle(request: RequestOf<A>, context: RequestContext): HandlerResult<A> | Promise<HandlerResult<A>>;
  /** The answer when `handle` threw: what Kafka's own answer to the same error looks like for this API. */
  failed(request: RequestOf<A>, error: KafkaError, context: RequestContext): HandlerResult<A>;
}

/** Checks a handler against its own API and gives it the type of the table. */
export const defineHandler = <const A extends Api>(handler: Handler<A>): Handler => handler;
