import type { Environment } from '../base/environment.ts';
import type { Endpoint } from '../base/network.ts';
import { RequestSender } from '../network/request-sender.ts';
import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { apiVersions } from '../protocol/messages/18-api-versions.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Api, RequestInput, ResponseOf } from '../protocol/schema.ts';
import { ClientError, type ClientFailure } from './client-error.ts';
import { type ClientSettings, endpointText } from './client-options.ts';

const SOFTWARE_NAME = 'ottla';
const SOFTWARE_VERSION = '0.1.0';
/** What a broker that does not know our version of ApiVersions answers with, if it does not say better. */
const API_VERSIONS_FALLBACK = 0;

export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

/** What the broker can do, from its ApiVersions answer. */
export interface BrokerFeatures {
  readonly versions: ReadonlyMap<number, VersionRange>;
  readonly supported: ReadonlyMap<string, VersionRange>;
  readonly finalized: ReadonlyMap<string, number>;
  readonly finalizedEpoch: number;
}

export interface RequestOptions {
  readonly timeoutMs?: number;
  /** The highest version to use, where a newer one cannot say what is meant. */
  readonly maxVersion?: number;
}

/** A connection to a broker whose versions are known. Its failures are ClientErrors; what the broker says in its answers is for the caller. */
export class Connection {
  readonly endpoint: Endpoint;
  readonly features: BrokerFeatures;
  readonly #sender: RequestSender;

  private constructor(endpoint: Endpoint, sender: RequestSender, features: BrokerFeatures) {
    this.endpoint = endpoint;
    this.#sender = sender;
    this.features = features;
  }

  /** Connects and asks which versions the broker speaks. */
  static async open(environment: Environment, settings: ClientSettings, endpoint: Endpoint): Promise<Connection> {
    const { network, clock } = environment;
    const { clientId, requestTimeoutMs, connectTimeoutMs, tls } = settings;
    const security = tls === undefined ? {} : { tls };
    const options = { network, clock, clientId, requestTimeoutMs, connectTimeoutMs, ...security };
    const sender = await RequestSender.connect(endpoint, options).catch((error: unknown) => {
      throw new ClientError('unreachable', `Cannot connect to ${endpointText(endpoint)}: ${reasonOf(error)}`, { cause: error });
    });
    try {
      return new Connection(endpoint, sender, await negotiate(sender));
    } catch (error) {
      sender.close();
      throw toClientError(error, endpoint, apiVersions);
    }
  }

  get isOpen(): boolean {
    return !this.#sender.isClosed;
  }

  get pendingCount(): number {
    return this.#sender.inFlightCount;
  }

  /** The newest version that both sides speak. */
  versionOf(api: Api, maxVersion: number = api.maxVersion): number {
    const offered = this.features.versions.get(api.key);
    const version = Math.min(offered?.max ?? -1, api.maxVersion, maxVersion);
    if (offered === undefined || version < offered.min || version < api.minVersion) {
      const where = endpointText(this.endpoint);
      throw new ClientError('unsupported', `The broker at ${where} does not support ${api.name} as this client needs it`);
    }
    return version;
  }

  /** Sends a request and gives its answer. Requests of a connection are answered in order. */
  async request<A extends Api>(api: A, input: RequestInput<A>, options: RequestOptions = {}): Promise<ResponseOf<A>> {
    const version = this.versionOf(api, options.maxVersion);
    const { timeoutMs } = options;
    try {
      return await this.#sender.send(api, version, input, timeoutMs === undefined ? {} : { timeoutMs });
    } catch (error) {
      throw toClientError(error, this.endpoint, api);
    }
  }

  /** Sends a request that the broker does not answer (Produce with acks=0). */
  requestWithoutAnswer<A extends Api>(api: A, input: RequestInput<A>, options: RequestOptions = {}): void {
    try {
      this.#sender.sendUnanswered(api, this.versionOf(api, options.maxVersion), input);
    } catch (error) {
      throw toClientError(error, this.endpoint, api);
    }
  }

  close(): void {
    this.#sender.close();
  }
}

async function negotiate(sender: RequestSender): Promise<BrokerFeatures> {
  const input = { clientSoftwareName: SOFTWARE_NAME, clientSoftwareVersion: SOFTWARE_VERSION };
  let answer = await askVersions(sender, apiVersions.maxVersion, input);
  if (errorNameOf(answer.errorCode) === 'UNSUPPORTED_VERSION') {
    const max = answer.apiKeys.find((entry) => entry.apiKey === apiVersions.key)?.maxVersion ?? API_VERSIONS_FALLBACK;
    answer = await askVersions(sender, Math.min(max, apiVersions.maxVersion), input);
  }
  if (answer.errorCode !== 0) throw new KafkaError(errorNameOf(answer.errorCode));
  return {
    versions: new Map(answer.apiKeys.map((entry) => [entry.apiKey, { min: entry.minVersion, max: entry.maxVersion }])),
    supported: new Map(answer.supportedFeatures.map((entry) => [entry.name, { min: entry.minVersion, max: entry.maxVersion }])),
    finalized: new Map(answer.finalizedFeatures.map((entry) => [entry.name, entry.maxVersionLevel])),
    finalizedEpoch: answer.finalizedFeaturesEpoch,
  };
}

type VersionsInput = RequestInput<typeof apiVersions>;
type VersionsAnswer = ResponseOf<typeof apiVersions>;

/** A broker that does not know the version answers in the oldest one, whatever was asked. */
async function askVersions(sender: RequestSender, version: number, input: VersionsInput): Promise<VersionsAnswer> {
  return await sender.send(apiVersions, version, input);
}

/** What went wrong on the way, in the client's own words. An error that the broker told stays what it is. */
function toClientError(error: unknown, endpoint: Endpoint, api: Api): unknown {
  const failure = failureOf(error);
  if (failure === null) return error;
  const where = endpointText(endpoint);
  const texts: Partial<Record<ClientFailure, string>> = {
    timeout: `${where} did not answer ${api.name} in time`,
    'bad-answer': `${where} sent an answer to ${api.name} that cannot be read: ${reasonOf(error)}`,
  };
  return new ClientError(failure, texts[failure] ?? `${where}: ${reasonOf(error)}`, { cause: error });
}

function failureOf(error: unknown): ClientFailure | null {
  if (error instanceof ProtocolError) return 'bad-answer';
  if (!(error instanceof KafkaError)) return null;
  if (error.errorName === 'NETWORK_EXCEPTION') return 'disconnected';
  return error.errorName === 'REQUEST_TIMED_OUT' ? 'timeout' : null;
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
};
