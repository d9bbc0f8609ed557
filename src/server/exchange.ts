import type { Millis } from '../base/clock.ts';
import type { Handler } from '../broker/handler.ts';
import type { RequestContext } from '../broker/request-context.ts';
import type { Connection } from '../network/connection.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { Api } from '../protocol/schema.ts';

/** One request on its way through the pipeline. Times are on the monotonic clock. */
export interface Exchange {
  readonly connection: Connection;
  readonly handler: Handler;
  readonly context: RequestContext;
  readonly request: RequestOf<Api>;
  /** The bytes that the request is a view of. */
  readonly frame: Buffer;
  /** When its last byte had come. */
  readonly receivedAt: Millis;
  /** When its handler was called, had returned, and had its result. */
  startedAt: Millis;
  returnedAt: Millis;
  completedAt: Millis;
  /** When the response was given to the socket, and when the system had taken it. */
  writtenAt: Millis;
  sentAt: Millis;
  throttleMs: Millis;
  /** Null when the request has no answer. */
  response: ResponseInput<Api> | null;
}
