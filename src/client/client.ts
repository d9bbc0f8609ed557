import type { Environment } from '../base/environment.ts';
import type { Millis } from '../base/clock.ts';
import { type ErrorName, KafkaError } from '../protocol/errors.ts';
import type { Api, RequestInput, ResponseOf } from '../protocol/schema.ts';
import { Backoff } from './backoff.ts';
import { ClientError } from './client-error.ts';
import { type ClientOptions, type ClientSettings, clientSettings } from './client-options.ts';
import { ClusterMetadata, type TopicFacts } from './cluster-metadata.ts';
import type { Connection, RequestOptions } from './connection.ts';
import { Connections } from './connections.ts';

interface RetryOptions {
  readonly timeoutMs?: Millis;
  /** Whether another attempt may help; by default what the failure itself says. */
  readonly mayRetry?: (error: unknown) => boolean;
}

/** What producers, consumers and admins of one program share: connections and knowledge of the cluster. */
export class Client {
  readonly environment: Environment;
  readonly settings: ClientSettings;
  readonly connections: Connections;
  readonly metadata: ClusterMetadata;

  constructor(environment: Environment, options: ClientOptions) {
    this.environment = environment;
    this.settings = clientSettings(options);
    this.connections = new Connections(environment, this.settings);
    this.metadata = new ClusterMetadata(environment, this.settings, this.connections);
  }

  /** Connects to a bootstrap server and learns the brokers: the first thing to do where a dead cluster should be told at once. */
  async connect(): Promise<void> {
    await this.metadata.refresh();
  }

  /** The connection to a broker of the cluster. */
  async connectionTo(nodeId: number): Promise<Connection> {
    const broker = this.metadata.broker(nodeId);
    if (broker === null) throw new ClientError('unreachable', `The cluster has no broker ${nodeId} at the moment`);
    return await this.connections.get(broker);
  }

  async sendTo<A extends Api>(nodeId: number, api: A, input: RequestInput<A>, options?: RequestOptions): Promise<ResponseOf<A>> {
    const connection = await this.connectionTo(nodeId);
    return await connection.request(api, input, options);
  }

  /** Sends to whichever broker is least busy. Brokers pass what only the controller can do on to it. */
  async sendToAny<A extends Api>(api: A, input: RequestInput<A>, options?: RequestOptions): Promise<ResponseOf<A>> {
    const connection = await this.connections.any(this.metadata.endpoints);
    return await connection.request(api, input, options);
  }

  /** Knows a topic, through network failures. Throws KafkaError if there is none. */
  async loadTopic(name: string, options: { readonly timeoutMs?: Millis } = {}): Promise<TopicFacts> {
    const mayRetry = (error: unknown): boolean => error instanceof ClientError && error.retriable;
    return await this.retrying(() => this.metadata.load(name), { ...options, mayRetry });
  }

  /** Knows topics, through network failures; gives the errors of those that cannot be known. */
  async loadTopics(names: Iterable<string>): Promise<ReadonlyMap<string, ErrorName>> {
    const wanted = [...names];
    return await this.retrying(() => this.metadata.loadAll(wanted));
  }

  /** Does something until it succeeds, fails for good, or the time is over. The last failure is the one that is told. */
  async retrying<T>(action: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
    const { clock, random } = this.environment;
    const deadline = clock.monotonic() + (options.timeoutMs ?? this.settings.operationTimeoutMs);
    const backoff = new Backoff(random, this.settings.retryBackoffMs, this.settings.retryBackoffMaxMs);
    for (;;) {
      try {
        return await action();
      } catch (error) {
        const pause = backoff.next();
        if (!(options.mayRetry ?? isRetriableFailure)(error) || clock.monotonic() + pause >= deadline) throw error;
        await this.sleep(pause);
        await this.refreshQuietly();
      }
    }
  }

  sleep(ms: Millis): Promise<void> {
    return new Promise((resolve) => this.environment.clock.schedule(ms, resolve));
  }

  /** Asks for metadata; a failure is left to the next attempt of whatever needed it. */
  async refreshQuietly(): Promise<void> {
    try {
      await this.metadata.refresh();
    } catch (error) {
      this.environment.logger.debug('metadata could not be refreshed', { error });
    }
  }

  close(): void {
    this.connections.close();
  }
}

/** Whether trying again may help. */
export const isRetriableFailure = (error: unknown): boolean =>
  (error instanceof KafkaError && error.retriable) || (error instanceof ClientError && error.retriable);
