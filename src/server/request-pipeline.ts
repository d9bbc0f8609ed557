import type { Millis } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import { CLOSE_CONNECTION, type Handler, type HandlerResult, NO_RESPONSE } from '../broker/handler.ts';
import type { RequestContext } from '../broker/request-context.ts';
import type { Connection, Serve } from '../network/connection.ts';
import { decode } from '../protocol/codec.ts';
import { codeOf, KafkaError } from '../protocol/errors.ts';
import { decodeRequestHeader, encodeResponse, type RequestHeader } from '../protocol/header.ts';
import { apiVersions } from '../protocol/messages/18-api-versions.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Api, ResponseInput } from '../protocol/schema.ts';
import { includesVersion } from '../protocol/versions.ts';
import { type Principal, principalOf } from '../security/principal.ts';
import type { Exchange } from './exchange.ts';
import { releaseRegions } from './release-regions.ts';
import { RequestLog } from './request-log.ts';
import { RequestMetrics } from './request-metrics.ts';

/**
 * The arrays of one request together have no more elements. An element takes as little as one byte of a frame and some hundred bytes of memory, and the answer
 * has one for it, too: without this limit a few megabytes would cost a gigabyte, and seconds in which nobody else is served. A follower of 100,000 partitions
 * in as many topics asks for all of them at once within it.
 */
export const REQUEST_ELEMENTS_MAX = 250_000;

/** How long a client has to be held back after this request; 0 for not at all. */
export type Throttle = (exchange: Exchange) => Millis;

export interface RequestPipelineOptions {
  /** What is served. Everything else closes the connection. */
  readonly handlers: readonly Handler[];
  /** Whether versions are served that Kafka calls unstable (unstable.api.versions.enable). */
  readonly servesUnstableVersions?: boolean;
  /** The listener between brokers. */
  readonly isPrivilegedListener?: boolean;
  readonly throttle?: Throttle;
}

/**
 * What every request of a listener shares: header, version check, decoding, its handler, errors to codes, encoding, answering in
 * order, metrics and log. Bytes that are no request close the connection in an orderly way, as Apache Kafka does.
 */
export class RequestPipeline {
  readonly #environment: Environment;
  readonly #options: RequestPipelineOptions;
  readonly #handlers: ReadonlyMap<number, Handler>;
  readonly #log: Logger;
  readonly #requestLog: RequestLog;
  readonly #metrics: RequestMetrics;

  constructor(environment: Environment, options: RequestPipelineOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#handlers = new Map(options.handlers.map((handler) => [handler.api.key, handler]));
    this.#log = environment.logger.named('network');
    this.#requestLog = new RequestLog(environment.logger);
    this.#metrics = new RequestMetrics(environment.metrics);
  }

  /** For a listener: takes the requests of its connections. */
  readonly serve: Serve = (connection) => {
    // Who a client is can be known once it has sent something.
    let principal: Principal | null = null;
    return (frame) => this.#take(connection, (principal ??= principalOf(connection.peerCertificate)), frame);
  };

  #take(connection: Connection, principal: Principal, frame: Buffer): void {
    const receivedAt = this.#environment.clock.monotonic();
    let exchange: Exchange | null;
    try {
      const header = decodeRequestHeader(frame);
      exchange = this.#admit(connection, principal, { header, frame, receivedAt });
    } catch (error) {
      if (error instanceof ProtocolError) {
        connection.close(`not a request: ${error.message}`);
      } else {
        this.#log.error('A request cannot be read', { connection: connection.id, client: connection.remote.host, error });
        connection.destroy('a request cannot be read');
      }
      return;
    }
    if (exchange !== null) this.#handle(exchange);
  }

  /** Null when the request was dealt with already. Throws ProtocolError. */
  #admit(connection: Connection, principal: Principal, request: Received): Exchange | null {
    const { header, frame, receivedAt } = request;
    const { apiKey, apiVersion } = header;
    const handler = this.#handlers.get(apiKey);
    if (handler === undefined) throw new ProtocolError(`API ${apiKey} is not served here`);
    if (!this.#servesVersion(handler.api, apiVersion)) {
      if (apiKey !== apiVersions.key) throw new ProtocolError(`${handler.api.name} has no version ${apiVersion}`);
      connection.respond(unsupportedApiVersions(header.correlationId));
      return null;
    }
    return {
      connection,
      handler,
      context: this.#contextOf(connection, principal, header),
      request: decode(handler.api.request, apiVersion, frame.subarray(header.bodyOffset), REQUEST_ELEMENTS_MAX),
      frame,
      receivedAt,
      startedAt: receivedAt,
      returnedAt: receivedAt,
      completedAt: receivedAt,
      writtenAt: receivedAt,
      sentAt: receivedAt,
      throttleMs: 0,
      response: null,
    };
  }

  #servesVersion({ minVersion, maxVersion, unstable }: Api, version: number): boolean {
    if (version < minVersion || version > maxVersion) return false;
    return unstable === undefined || this.#options.servesUnstableVersions === true || !includesVersion(unstable, version);
  }

  #contextOf(connection: Connection, principal: Principal, header: RequestHeader): RequestContext {
    const { apiKey, apiVersion, correlationId, clientId } = header;
    return {
      apiKey,
      apiVersion,
      correlationId,
      clientId,
      listenerName: connection.listenerName,
      principal,
      clientHost: connection.remote.host,
      connectionId: connection.id,
      isPrivilegedListener: this.#options.isPrivilegedListener ?? false,
      onDisconnected: (callback) => connection.onClosed(callback),
      onEnded: (callback) => connection.onEnded(callback),
    };
  }

  #handle(exchange: Exchange): void {
    const { clock } = this.#environment;
    const { handler, request, context } = exchange;
    exchange.startedAt = clock.monotonic();
    let result: HandlerResult<Api> | Promise<HandlerResult<Api>>;
    try {
      result = handler.handle(request, context);
    } catch (error) {
      result = this.#failed(exchange, error);
    }
    exchange.returnedAt = clock.monotonic();
    if (!(result instanceof Promise)) {
      exchange.completedAt = exchange.returnedAt;
      this.#finish(exchange, result);
      return;
    }
    const complete = (settled: HandlerResult<Api>): void => {
      exchange.completedAt = clock.monotonic();
      this.#finish(exchange, settled);
    };
    void result.then(complete, (error: unknown) => complete(this.#failed(exchange, error)));
  }

  /** What a request is answered whose handler threw. What is not told on purpose is a bug, and the client learns no more of it. */
  #failed(exchange: Exchange, error: unknown): HandlerResult<Api> {
    const { handler, request, context } = exchange;
    if (!(error instanceof KafkaError)) this.#logBug(exchange, 'A request failed in a way that was not foreseen', error);
    try {
      return handler.failed(request, error instanceof KafkaError ? error : new KafkaError('UNKNOWN_SERVER_ERROR'), context);
    } catch (second) {
      this.#logBug(exchange, 'A request failed and so did telling so', second);
      return CLOSE_CONNECTION;
    }
  }

  /** A mistake of ours costs the one who met it the connection, and nobody else anything. */
  #finish(exchange: Exchange, result: HandlerResult<Api>): void {
    try {
      this.#complete(exchange, result);
    } catch (error) {
      this.#logBug(exchange, 'A request could not be finished', error);
      exchange.connection.destroy('a request could not be finished');
    }
  }

  #complete(exchange: Exchange, result: HandlerResult<Api>): void {
    const { connection } = exchange;
    if (result === CLOSE_CONNECTION) {
      this.#metrics.completed(exchange);
      connection.close('a request failed that has no answer');
      return;
    }
    exchange.throttleMs = this.#options.throttle?.(exchange) ?? 0;
    if (result === NO_RESPONSE) {
      this.#metrics.completed(exchange);
      this.#sent(exchange);
      connection.proceed({ muteMs: exchange.throttleMs });
      return;
    }
    this.#respond(exchange, withThrottle(result, exchange.throttleMs));
  }

  #respond(exchange: Exchange, response: ResponseInput<Api>): void {
    const { connection, handler, context, throttleMs } = exchange;
    exchange.response = response;
    this.#metrics.completed(exchange);
    let parts: ReturnType<typeof encodeResponse>;
    try {
      parts = encodeResponse(handler.api, context.apiVersion, context.correlationId, response);
    } catch (error) {
      releaseRegions(response);
      this.#logBug(exchange, 'An answer cannot be written', error);
      connection.close('an answer cannot be written');
      return;
    }
    exchange.writtenAt = this.#environment.clock.monotonic();
    connection.respond(parts, { onSent: () => this.#sent(exchange), muteMs: throttleMs });
  }

  #sent(exchange: Exchange): void {
    exchange.sentAt = this.#environment.clock.monotonic();
    if (exchange.response === null) exchange.writtenAt = exchange.sentAt;
    this.#metrics.sent(exchange);
    this.#requestLog.completed(exchange);
    if (exchange.handler.isDoneWithRequest === true) exchange.connection.giveBack(exchange.frame);
  }

  #logBug({ handler, context }: Exchange, message: string, error: unknown): void {
    const { apiVersion, clientId, clientHost, connectionId } = context;
    this.#log.error(message, { api: handler.api.name, apiVersion, clientId, clientHost, connection: connectionId, error });
  }
}

interface Received {
  readonly header: RequestHeader;
  readonly frame: Buffer;
  readonly receivedAt: Millis;
}

/** The one version that every client can read, and what to ask with instead (KIP-511). */
function unsupportedApiVersions(correlationId: number): ReturnType<typeof encodeResponse> {
  const { key, minVersion, maxVersion } = apiVersions;
  return encodeResponse(apiVersions, 0, correlationId, {
    errorCode: codeOf('UNSUPPORTED_VERSION'),
    apiKeys: [{ apiKey: key, minVersion, maxVersion }],
  });
}

/** Tells the client how long it is held back, where the answer has a field for it. */
function withThrottle(response: ResponseInput<Api>, throttleMs: Millis): ResponseInput<Api> {
  if (throttleMs === 0) return response;
  return { ...response, throttleTimeMs: Math.ceil(throttleMs) };
}
