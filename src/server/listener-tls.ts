import type { Disk } from '../base/disk.ts';
import type { TlsOptions } from '../base/network.ts';
import { ConfigStore } from '../config/config-store.ts';
import { invalidConfig } from '../config/config-value.ts';
import type { Texts } from '../config/effective.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import { KafkaError } from '../protocol/errors.ts';
import { authorities, keyOptions, protocolOptions } from '../security/tls-settings.ts';

const DEFAULT_MAPPING = 'DEFAULT';

/** How a listener speaks TLS, by what its configs and the files that they name say now; null for one in the clear. Throws INVALID_CONFIG. */
export function listenerTls(configs: ConfigStore, { name, protocol }: ListenerSetting, disk: Disk): TlsOptions | null {
  if (protocol !== 'SSL' && protocol !== 'SASL_SSL') return null;
  try {
    return readOptions(configs, name, disk);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    throw invalidConfig(`Listener ${name}: ${error.message}`);
  }
}

export interface BrokerConfigChange {
  /** Of the broker, or empty for all of them. */
  readonly name: string;
  /** All that will be set for it. */
  readonly texts: Texts;
  readonly altered: readonly string[];
}

/** Says whether listeners could go on with what will be set of their TLS configs. Kafka calls whatever is wrong here an invalid request. */
export function checkStores(
  configs: ConfigStore,
  { listeners, disk }: { readonly listeners: readonly ListenerSetting[]; readonly disk: Disk },
  { name, texts, altered }: BrokerConfigChange,
): void {
  const affected = listeners.filter((listener) => {
    const prefix = `listener.name.${listener.name.toLowerCase()}.ssl.`;
    return altered.some((each) => each.startsWith(prefix));
  });
  if (affected.length === 0) return;
  const { nodeId, isEmbedded } = configs;
  const { fromFile, clusterDefault, own } = configs.layers();
  const changed = new ConfigStore({ nodeId, fromFile, isEmbedded });
  changed.replace({ type: 'broker', name: '' }, name === '' ? texts : clusterDefault);
  changed.replace({ type: 'broker', name: String(nodeId) }, name === '' ? own : texts);
  try {
    for (const listener of affected) listenerTls(changed, listener, disk);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    const message = `Validation of dynamic config update of SSLFactory failed: ${error.message}`;
    throw new KafkaError('INVALID_REQUEST', message, { cause: error });
  }
}

function readOptions(configs: ConfigStore, name: string, disk: Disk): TlsOptions {
  const config = configs.listener(name);
  const clientAuth = config['ssl.client.auth'];
  const mapping = config['ssl.principal.mapping.rules'].trim();
  if (mapping !== DEFAULT_MAPPING) {
    throw invalidConfig(
      `ssl.principal.mapping.rules=${mapping} is not served yet: clients are known by the whole subject of their certificates.`,
    );
  }
  const key = keyOptions(config, disk);
  if (Object.keys(key).length === 0) {
    const advice = 'Set ssl.keystore.type=PEM and ssl.keystore.location to a file with its private key and certificates.';
    throw invalidConfig(`TLS needs a certificate, and no key store is given. ${advice}`);
  }
  // Who is not asked for a certificate shows none that could be believed.
  const believed = clientAuth === 'none' ? undefined : authorities(config, disk);
  return { ...key, ...protocolOptions(config), clientAuth, ...(believed === undefined ? {} : { authorities: believed }) };
}
