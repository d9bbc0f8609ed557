import type { Endpoint, TlsOptions } from '../base/network.ts';
import { ClientError } from './client-error.ts';

/** What every client of a cluster can be told; the names and defaults are Kafka's. */
export interface ClientOptions {
  /** `host:port,host:port`: any brokers of the cluster. */
  readonly bootstrapServers: string;
  readonly clientId?: string;
  readonly requestTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly reconnectBackoffMs?: number;
  readonly reconnectBackoffMaxMs?: number;
  readonly retryBackoffMs?: number;
  readonly retryBackoffMaxMs?: number;
  readonly metadataMaxAgeMs?: number;
  /** The time a whole operation (with its retries) may take. */
  readonly operationTimeoutMs?: number;
  /** How TLS is spoken with the brokers; in the clear if absent. */
  readonly tls?: TlsOptions;
}

export interface ClientSettings extends Required<Omit<ClientOptions, 'bootstrapServers' | 'tls'>> {
  readonly tls?: TlsOptions;
  readonly bootstrap: readonly Endpoint[];
}

export const clientDefaults = {
  clientId: 'ottla',
  requestTimeoutMs: 30_000,
  connectTimeoutMs: 10_000,
  reconnectBackoffMs: 50,
  reconnectBackoffMaxMs: 1000,
  retryBackoffMs: 100,
  retryBackoffMaxMs: 1000,
  metadataMaxAgeMs: 300_000,
  operationTimeoutMs: 60_000,
} as const satisfies Required<Omit<ClientOptions, 'bootstrapServers' | 'tls'>>;

/** Fills in the defaults; an option given as undefined counts as not given. */
export function clientSettings(options: ClientOptions): ClientSettings {
  const { bootstrapServers, ...given } = options;
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...clientDefaults, ...known, bootstrap: parseServers(bootstrapServers) };
}

/** Reads `host:port` and `[v6 address]:port`, separated by commas. */
export function parseServers(text: string): Endpoint[] {
  const servers = text
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  if (servers.length === 0) throw new ClientError('invalid', 'No bootstrap server is given');
  return servers.map((server) => {
    const match = /^(?:[A-Z_]+:\/\/)?(?:\[(?<address>[0-9a-f:.%]+)\]|(?<host>[^:[\]/]+)):(?<port>\d{1,5})$/i.exec(server);
    const port = Number(match?.groups?.['port']);
    const host = match?.groups?.['address'] ?? match?.groups?.['host'];
    if (host === undefined || port < 1 || port > 65_535) {
      throw new ClientError('invalid', `"${server}" is not a server: it must be HOST:PORT`);
    }
    return { host, port };
  });
}

export const endpointText = ({ host, port }: Endpoint): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
