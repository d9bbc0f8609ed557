import type { BrokerConfig } from '../config/broker-configs.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import type { ConnectionLimitSettings } from '../network/connection-limits.ts';

/** How many connections this node holds, as its configs are now. */
export function connectionLimitSettings(store: ConfigStore, settings: NodeSettings): ConnectionLimitSettings {
  const config = store.broker();
  return {
    maxConnections: config['max.connections'],
    maxConnectionsPerIp: config['max.connections.per.ip'],
    maxConnectionsPerIpOverrides: addressOverrides(config),
    maxConnectionsOfListener: new Map(
      settings.listeners.map(({ name }) => [name, store.listener(name)['max.connections']] as const),
    ),
    interBrokerListener: settings.listeners.length > 1 ? settings.interBrokerListenerName : null,
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
