import type { Counter, Histogram, Metrics } from '../base/metrics.ts';
import { errorNameOf } from '../protocol/errors.ts';
import { fetch } from '../protocol/messages/01-fetch.ts';
import type { RequestOf } from '../protocol/schema.ts';
import { countErrors } from './error-counts.ts';
import type { Exchange } from './exchange.ts';

const HISTOGRAMS = [
  'RequestQueueTimeMs',
  'LocalTimeMs',
  'RemoteTimeMs',
  'ThrottleTimeMs',
  'ResponseQueueTimeMs',
  'ResponseSendTimeMs',
  'TotalTimeMs',
  'RequestBytes',
] as const;

/** Counts and times of one kind of request, under Kafka's names. Made when the first one comes. */
class MetricsOfRequest {
  readonly #metrics: Metrics;
  readonly #name: string;
  readonly #byVersion = new Map<number, Counter>();
  readonly #byError = new Map<number, Counter>();
  readonly #histograms: readonly Histogram[];

  constructor(metrics: Metrics, name: string) {
    this.#metrics = metrics;
    this.#name = name;
    this.#histograms = HISTOGRAMS.map((kind) =>
      metrics.histogram(`kafka.network:type=RequestMetrics,name=${kind},request=${name}`),
    );
  }

  count(exchange: Exchange, errors: ReadonlyMap<number, number>): void {
    this.#versionCounter(exchange.context.apiVersion).add(1);
    for (const [code, count] of errors) this.#errorCounter(code).add(count);
  }

  time(exchange: Exchange): void {
    const { receivedAt, startedAt, returnedAt, completedAt, writtenAt, sentAt } = exchange;
    const values = [
      startedAt - receivedAt,
      returnedAt - startedAt,
      completedAt - returnedAt,
      exchange.throttleMs,
      writtenAt - completedAt,
      sentAt - writtenAt,
      sentAt - receivedAt,
      exchange.frame.byteLength,
    ];
    values.forEach((value, at) => this.#histograms[at]?.record(value));
  }

  #versionCounter(version: number): Counter {
    let counter = this.#byVersion.get(version);
    if (counter === undefined) {
      const name = `kafka.network:type=RequestMetrics,name=RequestsPerSec,request=${this.#name},version=${version}`;
      this.#byVersion.set(version, (counter = this.#metrics.counter(name)));
    }
    return counter;
  }

  #errorCounter(code: number): Counter {
    let counter = this.#byError.get(code);
    if (counter === undefined) {
      const name = `kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=${this.#name},error=${errorNameOf(code)}`;
      this.#byError.set(code, (counter = this.#metrics.counter(name)));
    }
    return counter;
  }
}

/** The request metrics of a node. */
export class RequestMetrics {
  readonly #metrics: Metrics;
  readonly #byName = new Map<string, MetricsOfRequest>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** The handler has its result. */
  completed(exchange: Exchange): void {
    const { response, handler } = exchange;
    const errors = response === null ? NO_ERRORS : countErrors(handler.api.response.fields, response);
    for (const metrics of this.#of(exchange)) metrics.count(exchange, errors);
  }

  /** The response has been handed to the operating system, or there was none. */
  sent(exchange: Exchange): void {
    for (const metrics of this.#of(exchange)) metrics.time(exchange);
  }

  #of({ handler, request }: Exchange): readonly MetricsOfRequest[] {
    const { api } = handler;
    return api.key === fetch.key ? this.#ofFetch(request as RequestOf<typeof fetch>) : [this.#named(api.name)];
  }

  /** Fetches count twice: all together, and by who sent them. */
  #ofFetch({ replicaId, replicaState }: RequestOf<typeof fetch>): readonly MetricsOfRequest[] {
    const isFollower = Math.max(replicaId, replicaState.replicaId) >= 0;
    return [this.#named(fetch.name), this.#named(isFollower ? 'FetchFollower' : 'FetchConsumer')];
  }

  #named(name: string): MetricsOfRequest {
    let metrics = this.#byName.get(name);
    if (metrics === undefined) this.#byName.set(name, (metrics = new MetricsOfRequest(this.#metrics, name)));
    return metrics;
  }
}

const NO_ERRORS: ReadonlyMap<number, number> = new Map();
