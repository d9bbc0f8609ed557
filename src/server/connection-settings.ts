import type { BrokerConfig } from '../config/broker-configs.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import type { ConnectionLimitSettings } from '../network/connection-limits.ts';
import type { ConnectionRateSettings } from '../network/connection-rates.ts';

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
    maxConnectionsOfListener: ownOf(store, listeners, 'max.connections'),
    interBrokerListener: listeners.length > 1 ? privilegedListenerName : null,
  };
}

/** How many connections of these listeners may come in a second, as the configs of their node are now. */
export function connectionRateSettings(
  store: ConfigStore,
  listeners: readonly ListenerSetting[],
  privilegedListenerName: string,
): ConnectionRateSettings {
  const name = 'max.connection.creation.rate';
  return {
    perSecond: store.broker()[name],
    perSecondOfListener: ownOf(store, listeners, name),
    interBrokerListener: listeners.length > 1 ? privilegedListenerName : null,
  };
}

/** A config by listener, of those for which it is set beside that of the node. */
function ownOf(
  store: ConfigStore,
  listeners: readonly ListenerSetting[],
  config: 'max.connections' | 'max.connection.creation.rate',
): Map<string, number> {
  const layers = Object.values(store.layers());
  const isSet = ({ name }: ListenerSetting): boolean =>
    layers.some((texts) => texts.has(`listener.name.${name.toLowerCase()}.${config}`));
  return new Map(listeners.filter(isSet).map(({ name }) => [name, store.listener(name)[config]] as const));
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
