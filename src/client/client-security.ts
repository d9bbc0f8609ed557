import type { Disk } from '../base/disk.ts';
import { listEntries } from '../config/config-value.ts';
import { authorities, keyOptions, protocolOptions, type TlsConfig } from '../security/tls-settings.ts';
import { ClientError } from './client-error.ts';
import type { ClientOptions } from './client-options.ts';

/**
 * How connections are secured, by the client configs of Kafka: `security.protocol` (PLAINTEXT or SSL) and `ssl.*`. Throws a ClientError for what is not spoken, and
 * INVALID_CONFIG for stores that cannot be read.
 */
export function clientSecurity(properties: ReadonlyMap<string, string>, disk: Disk): Pick<ClientOptions, 'tls'> {
  const protocol = (properties.get('security.protocol') ?? 'PLAINTEXT').trim().toUpperCase();
  if (protocol === 'PLAINTEXT') return {};
  if (protocol !== 'SSL')
    throw new ClientError('invalid', `security.protocol=${protocol} is not spoken yet: PLAINTEXT and SSL are`);
  const config = tlsConfig(properties);
  const believed = authorities(config, disk);
  const isNameChecked = properties.get('ssl.endpoint.identification.algorithm')?.trim() !== '';
  return {
    tls: {
      ...keyOptions(config, disk),
      ...protocolOptions(config),
      ...(believed === undefined ? {} : { authorities: believed }),
      ...(isNameChecked ? {} : { acceptsAnyName: true }),
    },
  };
}

function tlsConfig(properties: ReadonlyMap<string, string>): TlsConfig {
  const text = (name: string): string | null => properties.get(name)?.trim() ?? null;
  const entries = (name: string): readonly string[] => listEntries(text(name) ?? '').filter((entry) => entry !== '');
  return {
    'ssl.keystore.type': text('ssl.keystore.type') ?? 'JKS',
    'ssl.keystore.location': text('ssl.keystore.location'),
    'ssl.keystore.password': text('ssl.keystore.password'),
    'ssl.keystore.key': text('ssl.keystore.key'),
    'ssl.keystore.certificate.chain': text('ssl.keystore.certificate.chain'),
    'ssl.key.password': text('ssl.key.password'),
    'ssl.truststore.type': text('ssl.truststore.type') ?? 'JKS',
    'ssl.truststore.location': text('ssl.truststore.location'),
    'ssl.truststore.password': text('ssl.truststore.password'),
    'ssl.truststore.certificates': text('ssl.truststore.certificates'),
    'ssl.enabled.protocols': entries('ssl.enabled.protocols'),
    'ssl.protocol': text('ssl.protocol') ?? 'TLSv1.3',
    'ssl.cipher.suites': entries('ssl.cipher.suites'),
    'ssl.engine.factory.class': text('ssl.engine.factory.class'),
  };
}
