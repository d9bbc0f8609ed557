import type { BrokerConfig } from '../config/broker-configs.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import type { ConnectionLimitSettings } from '../network/connection-limits.ts';

/** How many connections these listeners hold together, as the configs of their node are now. */
export function connectionLimitSettings(
  store: ConfigStore,
  listeners: readonly ListenerSetting[],
  privilegedListenerName: string,
): ConnectionLimitSettings {
  const config = store.broker();
  return {
    maxConnections: config['max.connections'],
    maxConnectionsPerIp: config['max.connections.per.ip'],
    maxConnectionsPerIpOverrides: addressOverrides(config),
    maxConnectionsOfListener: new Map(listeners.map(({ name }) => [name, store.listener(name)['max.connections']] as const)),
    interBrokerListener: listeners.length > 1 ? privilegedListenerName : null,
  };
}

/** `address:count` pairs. */
function addressOverrides(config: BrokerConfig): Map<string, number> {
  const overrides = new Map<string, number>();
  for (const entry of config['max.connections.per.ip.overrides'].split(',')) {
    const colon = entry.lastIndexOf(':');
    if (colon > 0) overrides.set(entry.slice(0, colon).trim(), Number(entry.slice(colon + 1)));
  }
  return overrides;
}
