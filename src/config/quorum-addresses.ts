import type { Endpoint } from '../base/network.ts';
import { invalidConfig } from './config-value.ts';

/** A voter of a fixed metadata quorum. */
export interface Voter extends Endpoint {
  readonly id: number;
}

const ADDRESS = /^(?:[0-9a-zA-Z\-%._]*:\/\/)?\[?([0-9a-zA-Z\-%._:]*)\]?:(\d+)$/;
const PORT_MAX = 65_535;
const VOTER_FORM = 'Each entry should be in the form `{id}@{host}:{port}`.';

/** Reads `host:port`, `[v6 address]:port` or either behind `name://`; null if it is none. Throws INVALID_CONFIG for a port that cannot be. */
export function parseAddress(text: string): Endpoint | null {
  const match = ADDRESS.exec(text);
  if (match === null) return null;
  const port = Number(match[2]);
  if (port > PORT_MAX) throw invalidConfig(`port out of range:${port}`);
  return { host: match[1] ?? '', port };
}

/** Reads the entries of `controller.quorum.voters`. Throws INVALID_CONFIG. */
export const parseVoters = (entries: readonly string[]): Voter[] => entries.map(parseVoter);

function parseVoter(entry: string): Voter {
  const [id, address, ...rest] = entry.split('@');
  if (id === undefined || address === undefined || rest.length > 0) {
    throw invalidConfig(`Invalid configuration value for controller.quorum.voters. ${VOTER_FORM}`);
  }
  if (!/^[+-]?\d+$/.test(id)) throw invalidConfig(`Failed to parse voter ID as an integer from ${id}`);
  const endpoint = parseAddress(address);
  if (endpoint === null) {
    throw invalidConfig(
      `Failed to parse host name from entry ${entry} for the configuration controller.quorum.voters. ${VOTER_FORM}`,
    );
  }
  return { id: Number(id), ...endpoint };
}

/** Reads the entries of `controller.quorum.bootstrap.servers`. Throws INVALID_CONFIG. */
export function parseBootstrapServers(entries: readonly string[]): Endpoint[] {
  return entries.map((entry) => {
    const endpoint = parseAddress(entry);
    if (endpoint === null) {
      const where = 'for the configuration controller.quorum.bootstrap.servers. Each entry should be in the form "{host}:{port}"';
      throw invalidConfig(`Failed to parse host name from ${entry} ${where}`);
    }
    return endpoint;
  });
}

/** For the table of configs, where a rule gives what is wrong. */
export const quorumVotersFault = (entries: readonly string[]): string | null => faultOf(() => parseVoters(entries));

export const bootstrapServersFault = (entries: readonly string[]): string | null => faultOf(() => parseBootstrapServers(entries));

function faultOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}
