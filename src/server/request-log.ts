import type { LogFacts, Logger } from '../base/logger.ts';
import { toJson } from '../protocol/json.ts';
import { principalText } from '../security/principal.ts';
import type { Exchange } from './exchange.ts';

const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Writes every request with its answer, both as JSON, and where its time went. Off unless the logger `request` is at debug. */
export class RequestLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger.named('request');
  }

  completed(exchange: Exchange): void {
    if (this.#logger.isDebugEnabled) this.#logger.debug('Completed request', factsOf(exchange));
  }
}

function factsOf(exchange: Exchange): LogFacts {
  const { connection, handler, context, request, response } = exchange;
  const { api } = handler;
  const { apiVersion, correlationId, clientId } = context;
  const { local, remote } = connection;
  return {
    requestHeader: { apiKey: api.key, apiName: api.name, apiVersion, correlationId, clientId },
    request: toJson(api.request, apiVersion, request, { records: 'size' }),
    response: response === null ? null : toJson(api.response, apiVersion, response, { records: 'size' }),
    connection: `${local.host}:${local.port}-${remote.host}:${remote.port}-${connection.id}`,
    ...timesOf(exchange),
    securityProtocol: connection.isTls ? 'SSL' : 'PLAINTEXT',
    principal: principalText(context.principal),
    listener: context.listenerName,
  };
}

function timesOf(exchange: Exchange): LogFacts {
  const { receivedAt, startedAt, returnedAt, completedAt, writtenAt, sentAt, throttleMs } = exchange;
  return {
    totalTimeMs: roundMs(sentAt - receivedAt),
    requestQueueTimeMs: roundMs(startedAt - receivedAt),
    localTimeMs: roundMs(returnedAt - startedAt),
    remoteTimeMs: roundMs(completedAt - returnedAt),
    throttleTimeMs: throttleMs,
    responseQueueTimeMs: roundMs(writtenAt - completedAt),
    sendTimeMs: roundMs(sentAt - writtenAt),
  };
}
