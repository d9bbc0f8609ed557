import type { Environment } from '../base/environment.ts';
import type { Timer } from '../base/clock.ts';
import type { Part } from '../base/disk.ts';
import type { Endpoint, Socket } from '../base/network.ts';
import { KafkaError, errorNameOf } from '../protocol/errors.ts';
import { decodeResponse } from '../protocol/header.ts';
import { apiVersions } from '../protocol/messages/18-api-versions.ts';
import type { Api, RequestInput, ResponseOf } from '../protocol/schema.ts';
import { ClientError } from './client-error.ts';
import { type ClientSettings, endpointText } from './client-options.ts';
import { FrameReader } from './frame-reader.ts';
import { encodeRequestParts } from './request-parts.ts';

const SOFTWARE_NAME = 'ottla';
const SOFTWARE_VERSION = '0.1.0';
/** The first version of ApiVersions that a broker of 2.0 and later understands; what it does not know it answers with v0. */
const API_VERSIONS_FALLBACK = 0;

/** What the broker can do, from its ApiVersions answer. */
export interface BrokerFeatures {
  readonly versions: ReadonlyMap<number, { readonly min: number; readonly max: number }>;
  readonly supported: ReadonlyMap<string, { readonly min: number; readonly max: number }>;
  readonly finalized: ReadonlyMap<string, number>;
  readonly finalizedEpoch: number;
}

export interface RequestOptions {
  readonly timeoutMs?: number;
  /** The highest version to use, where a newer one cannot say what is meant. */
  readonly maxVersion?: number;
}

interface Pending {
  readonly correlationId: number;
  readonly deadline: number;
  readonly answered: (frame: Buffer) => void;
  readonly failed: (error: Error) => void;
  readonly apiName: string;
}

/**
 * One connection to one broker. Requests are answered in the order they were sent. A request that is not answered in time ends the
 * connection, because nothing that follows could be answered either.
 */
export class Connection {
  readonly endpoint: Endpoint;
  readonly #environment: Environment;
  readonly #settings: ClientSettings;
  readonly #socket: Socket;
  readonly #frames: FrameReader;
  readonly #pending: Pending[] = [];
  #nextCorrelationId = 1;
  #timer: Timer | null = null;
  #closedBy: Error | null = null;
  #features: BrokerFeatures | null = null;
  /** Called once, when no further request can be sent. */
  onClosed: ((error: Error) => void) | null = null;

  private constructor(environment: Environment, settings: ClientSettings, socket: Socket, endpoint: Endpoint) {
    this.#environment = environment;
    this.#settings = settings;
    this.#socket = socket;
    this.endpoint = endpoint;
    this.#frames = new FrameReader((frame) => this.#receive(frame));
    socket.start({
      data: (chunk) => this.#data(chunk),
      ended: () => this.#close(this.#disconnected('the broker closed the connection')),
      drained: () => undefined,
      closed: (error) => this.#close(this.#disconnected(error?.message ?? 'the connection was closed')),
    });
  }

  /** Connects and asks which versions the broker speaks. */
  static async open(environment: Environment, settings: ClientSettings, endpoint: Endpoint): Promise<Connection> {
    const socket = await environment.network
      .connect(endpoint, { timeoutMs: settings.connectTimeoutMs })
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new ClientError('unreachable', `Cannot connect to ${endpointText(endpoint)}: ${reason}`, { cause: error });
      });
    const connection = new Connection(environment, settings, socket, endpoint);
    connection.#features = await connection.#negotiate().catch((error: unknown) => {
      connection.close();
      throw error;
    });
    return connection;
  }

  get isOpen(): boolean {
    return this.#closedBy === null;
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  get features(): BrokerFeatures {
    if (this.#features === null) throw new ClientError('bad-answer', 'The versions of the broker are not known yet');
    return this.#features;
  }

  /** The newest version that both sides speak. */
  versionOf(api: Api, maxVersion: number = api.maxVersion): number {
    const offered = this.features.versions.get(api.key);
    const version = Math.min(offered?.max ?? -1, api.maxVersion, maxVersion);
    if (offered === undefined || version < offered.min || version < api.minVersion) {
      throw new ClientError(
        'unsupported',
        `The broker at ${endpointText(this.endpoint)} does not support ${api.name} as this client needs it`,
      );
    }
    return version;
  }

  /** Sends one request and waits for its answer. */
  async request<A extends Api>(api: A, input: RequestInput<A>, options: RequestOptions = {}): Promise<ResponseOf<A>> {
    const version = this.versionOf(api, options.maxVersion);
    return await this.#send(api, version, input, options.timeoutMs);
  }

  /** Sends a request that the broker does not answer (Produce with acks=0). */
  requestWithoutAnswer<A extends Api>(api: A, input: RequestInput<A>, options: RequestOptions = {}): void {
    const version = this.versionOf(api, options.maxVersion);
    this.#write(encodeRequestParts(api, version, this.#nextHeader(), input));
  }

  close(): void {
    this.#close(new ClientError('closed', `The connection to ${endpointText(this.endpoint)} was closed`));
  }

  async #negotiate(): Promise<BrokerFeatures> {
    const input = { clientSoftwareName: SOFTWARE_NAME, clientSoftwareVersion: SOFTWARE_VERSION };
    let answer = await this.#send(apiVersions, apiVersions.maxVersion, input);
    if (errorNameOf(answer.errorCode) === 'UNSUPPORTED_VERSION') {
      const max = answer.apiKeys.find((entry) => entry.apiKey === apiVersions.key)?.maxVersion ?? API_VERSIONS_FALLBACK;
      answer = await this.#send(apiVersions, Math.min(max, apiVersions.maxVersion), input);
    }
    if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
    return {
      versions: new Map(answer.apiKeys.map((entry) => [entry.apiKey, { min: entry.minVersion, max: entry.maxVersion }])),
      supported: new Map(answer.supportedFeatures.map((entry) => [entry.name, { min: entry.minVersion, max: entry.maxVersion }])),
      finalized: new Map(answer.finalizedFeatures.map((entry) => [entry.name, entry.maxVersionLevel])),
      finalizedEpoch: answer.finalizedFeaturesEpoch,
    };
  }

  #send<A extends Api>(api: A, version: number, input: RequestInput<A>, timeoutMs?: number): Promise<ResponseOf<A>> {
    const header = this.#nextHeader();
    const parts = encodeRequestParts(api, version, header, input);
    return new Promise((resolve, reject) => {
      const deadline = this.#environment.clock.monotonic() + (timeoutMs ?? this.#settings.requestTimeoutMs);
      this.#pending.push({
        correlationId: header.correlationId,
        deadline,
        apiName: api.name,
        answered: (frame) => resolve(decodeResponse(api, version, frame).response),
        failed: reject,
      });
      this.#watchDeadlines();
      this.#write(parts);
    });
  }

  #nextHeader(): { correlationId: number; clientId: string } {
    if (this.#closedBy !== null) throw this.#closedBy;
    const correlationId = this.#nextCorrelationId;
    this.#nextCorrelationId = (correlationId + 1) & 0x7fff_ffff;
    return { correlationId, clientId: this.#settings.clientId };
  }

  #write(parts: readonly Part[]): void {
    this.#socket.write(parts);
  }

  #data(chunk: Uint8Array): void {
    try {
      this.#frames.push(chunk);
    } catch (error) {
      this.#close(this.#badAnswer(error));
    }
  }

  #receive(frame: Buffer): void {
    const pending = this.#pending.shift();
    if (pending === undefined || frame.length < 4 || frame.readInt32BE(0) !== pending.correlationId) {
      const error = this.#badAnswer(new Error('an answer came to a request that was not sent'));
      pending?.failed(error);
      this.#close(error);
      return;
    }
    try {
      pending.answered(frame);
    } catch (error) {
      pending.failed(this.#badAnswer(error));
    }
  }

  #watchDeadlines(): void {
    if (this.#timer !== null) return;
    const earliest = this.#pending.reduce((least, pending) => Math.min(least, pending.deadline), Infinity);
    if (earliest === Infinity) return;
    const { clock } = this.#environment;
    this.#timer = clock.schedule(Math.max(1, earliest - clock.monotonic()), () => {
      this.#timer = null;
      const late = this.#pending.find((pending) => pending.deadline <= clock.monotonic());
      if (late === undefined) this.#watchDeadlines();
      else this.#close(new ClientError('timeout', `${endpointText(this.endpoint)} did not answer ${late.apiName} in time`));
    });
  }

  #close(error: Error): void {
    if (this.#closedBy !== null) return;
    this.#closedBy = error;
    this.#timer?.cancel();
    this.#socket.destroy();
    for (const pending of this.#pending.splice(0)) pending.failed(error);
    this.onClosed?.(error);
  }

  #disconnected(reason: string): ClientError {
    return new ClientError('disconnected', `${endpointText(this.endpoint)}: ${reason}`);
  }

  #badAnswer(error: unknown): ClientError {
    const reason = error instanceof Error ? error.message : String(error);
    return new ClientError('bad-answer', `${endpointText(this.endpoint)} sent an answer that cannot be read: ${reason}`, {
      cause: error,
    });
  }
}
