import type { Endpoint } from '../base/network.ts';
import { invalidConfig } from './config-value.ts';

export type SecurityProtocol = (typeof securityProtocols)[number];

export const securityProtocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;

/** A listener as configured: an empty host is every address, port 0 a free port. */
export interface ListenerSetting extends Endpoint {
  /** In upper case. */
  readonly name: string;
  readonly protocol: SecurityProtocol;
}

const LISTENER = /^(.*):\/\/\[?([0-9a-zA-Z\-%._:]*)\]?:(-?\d+)$/;
const PORT_MAX = 65_535;

/** The listener name → security protocol map. Throws INVALID_CONFIG. */
export function parseProtocolMap(text: string): Map<string, SecurityProtocol> {
  const protocols = new Map<string, SecurityProtocol>();
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry === '') continue;
    const colon = entry.lastIndexOf(':');
    if (colon === -1) {
      const reason = `${entry} is not of the form name:protocol`;
      throw invalidConfig(`Error parsing configuration property 'listener.security.protocol.map': ${reason}`);
    }
    protocols.set(listenerName(entry.slice(0, colon)), securityProtocol(entry.slice(colon + 1)));
  }
  return protocols;
}

/** A listener name, by which it is known everywhere. Throws INVALID_CONFIG for an empty one. */
export function listenerName(text: string): string {
  if (text.trim() === '') throw invalidConfig('The provided listener name is null or empty string');
  return text.trim().toUpperCase();
}

function securityProtocol(text: string): SecurityProtocol {
  const protocol = securityProtocols.find((each) => each === text.trim().toUpperCase());
  if (protocol === undefined)
    throw invalidConfig(`Invalid security protocol \`${text}\` defined in listener.security.protocol.map`);
  return protocol;
}

/**
 * Reads `NAME://host:port` entries. Names are different; ports too where this node binds them, except that one port may serve
 * an IPv4 and an IPv6 address. Throws INVALID_CONFIG.
 */
export function parseListeners(
  entries: readonly string[],
  protocols: ReadonlyMap<string, SecurityProtocol>,
  options: { readonly distinctPorts: boolean },
): ListenerSetting[] {
  try {
    const listeners = entries.map((entry) => parseListener(entry, protocols));
    checkNames(listeners, entries);
    if (options.distinctPorts) checkPorts(listeners, entries);
    return listeners;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw invalidConfig(`Error creating broker listeners from '[${entries.join(', ')}]': ${error.message}`);
  }
}

function parseListener(entry: string, protocols: ReadonlyMap<string, SecurityProtocol>): ListenerSetting {
  const match = LISTENER.exec(entry);
  if (match === null) throw invalidConfig(`Unable to parse ${entry} to a broker endpoint`);
  const [, nameText = '', host = '', portText = ''] = match;
  const name = listenerName(nameText);
  const protocol = protocols.get(name);
  if (protocol === undefined) throw invalidConfig(`No security protocol defined for listener ${name}`);
  const port = Number(portText);
  if (port < 0 || port > PORT_MAX) throw invalidConfig(`The port of ${entry} is not between 0 and ${PORT_MAX}`);
  return { name, protocol, host, port };
}

function checkNames(listeners: readonly ListenerSetting[], entries: readonly string[]): void {
  if (new Set(listeners.map(({ name }) => name)).size !== listeners.length) {
    throw invalidConfig(`Each listener must have a different name, listeners: [${entries.join(', ')}]`);
  }
}

function checkPorts(listeners: readonly ListenerSetting[], entries: readonly string[]): void {
  const all = `listeners: [${entries.join(', ')}]`;
  for (const [port, same] of Map.groupBy(listeners, (listener) => listener.port)) {
    if (port === 0 || same.length === 1) continue;
    const v4 = same.filter(({ host }) => isV4(host)).length;
    const v6 = same.filter(({ host }) => isV6(host)).length;
    if (v4 + v6 === 0) throw invalidConfig(`Each listener must have a different port, ${all}`);
    if (v4 + v6 === 2 && same.length === 2) {
      if (v4 === 1) continue;
      throw invalidConfig(
        `If you have two listeners on the same port then one needs to be IPv4 and the other IPv6, ${all}, port: ${port}`,
      );
    }
    throw invalidConfig(
      `Each listener must have a different port unless exactly one listener has an IPv4 address and the other IPv6 address, ${all}, port: ${port}`,
    );
  }
}

const isV4 = (host: string): boolean => /^\d{1,3}(\.\d{1,3}){3}$/.test(host);

const isV6 = (host: string): boolean => host.includes(':');

/** Addresses to listen on that nobody can connect to. */
export const isEveryAddress = (host: string): boolean => host === '' || host === '0.0.0.0' || host === '::';
