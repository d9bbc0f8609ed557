import { type Disk, DiskError } from '../base/disk.ts';
import type { TlsOptions, TlsVersion } from '../base/network.ts';
import { invalidConfig } from '../config/config-value.ts';
import { readPem } from './pem.ts';

/** The configs of TLS that brokers and clients have in common, by their names in Kafka. */
export interface TlsConfig {
  readonly 'ssl.keystore.type': string;
  readonly 'ssl.keystore.location': string | null;
  readonly 'ssl.keystore.password': string | null;
  readonly 'ssl.keystore.key': string | null;
  readonly 'ssl.keystore.certificate.chain': string | null;
  readonly 'ssl.key.password': string | null;
  readonly 'ssl.truststore.type': string;
  readonly 'ssl.truststore.location': string | null;
  readonly 'ssl.truststore.password': string | null;
  readonly 'ssl.truststore.certificates': string | null;
  readonly 'ssl.enabled.protocols': readonly string[];
  readonly 'ssl.protocol': string;
  readonly 'ssl.cipher.suites': readonly string[] | null;
  readonly 'ssl.engine.factory.class': string | null;
}

/** A larger store is not read. */
const STORE_BYTES_MAX = 16 * 1024 * 1024;
const PEM = 'PEM';
const PKCS12 = 'PKCS12';

/** Newest last. */
const versions: readonly TlsVersion[] = ['TLSv1.2', 'TLSv1.3'];
/** What Java makes a context of. All of them come to the same where the versions are given. */
const contexts: ReadonlySet<string> = new Set(['TLS', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3', 'SSL', 'SSLv2', 'SSLv3']);

const PEM_ADVICE = 'set its type to PEM, and its location to a file with';

/** Who this side is, by its key store; an empty object where there is none. Throws INVALID_CONFIG in the words of Kafka where it has some. */
export function keyOptions(config: TlsConfig, disk: Disk): Pick<TlsOptions, 'certificate' | 'key' | 'keyStore' | 'passphrase'> {
  const {
    'ssl.keystore.type': type,
    'ssl.keystore.location': location,
    'ssl.keystore.password': password,
    'ssl.keystore.key': key,
    'ssl.keystore.certificate.chain': chain,
    'ssl.key.password': keyPassword,
  } = config;
  if (key !== null || chain !== null) {
    demand(type === PEM, `SSL private key can be specified only for PEM, but key store type is ${type}.`);
    demand(location === null, 'Both SSL key store location and separate private key are specified.');
    demand(password === null, 'SSL key store password cannot be specified with PEM format, only key password may be specified.');
    demand(chain !== null, 'SSL private key is specified, but certificate chain is not specified.');
    demand(key !== null, 'SSL certificate chain is specified, but private key is not specified');
    return pemKey(`${key ?? ''}\n${chain ?? ''}`, 'ssl.keystore.key and ssl.keystore.certificate.chain', keyPassword);
  }
  if (location === null) return {};
  if (type === PEM) {
    demand(password === null, 'SSL key store password cannot be specified with PEM format, only key password may be specified.');
    return pemKey(storeText(disk, 'PEM SSL keystore', location), location, keyPassword);
  }
  demand(password !== null, 'SSL key store is specified, but key store password is not specified.');
  demand(
    type.toUpperCase() === PKCS12,
    `Key stores of type ${type} are not read here. Turn ${location} into another kind by \`keytool -importkeystore -srckeystore ${location} -destkeystore store.p12 -deststoretype PKCS12\` and set ssl.keystore.type=PKCS12, or ${PEM_ADVICE} the private key and its certificates.`,
  );
  demand(
    keyPassword === null || keyPassword === password,
    'A private key with another password than that of its PKCS12 key store is not read here. Give both the same password.',
  );
  return { keyStore: storeBytes(disk, 'SSL keystore', location), passphrase: password ?? '' };
}

/** Whom this side believes; undefined for whom the runtime believes. Throws INVALID_CONFIG in the words of Kafka where it has some. */
export function authorities(config: TlsConfig, disk: Disk): string | undefined {
  const {
    'ssl.truststore.type': type,
    'ssl.truststore.location': location,
    'ssl.truststore.password': password,
    'ssl.truststore.certificates': certificates,
  } = config;
  if (certificates !== null) {
    demand(type === PEM, `SSL trust store certs can be specified only for PEM, but trust store type is ${type}.`);
    demand(location === null, 'Both SSL trust store location and separate trust certificates are specified.');
  }
  if (certificates === null && location === null) return undefined;
  if (type === PEM) {
    demand(password === null, 'SSL trust store password cannot be specified for PEM format.');
    return pemCertificates(certificates ?? storeText(disk, 'PEM SSL truststore', location ?? ''));
  }
  throw invalidConfig(
    `Trust stores of type ${type} are not read here. Write its certificates by \`keytool -list -rfc -keystore ${location} > trusted.pem\`, then ${PEM_ADVICE} them.`,
  );
}

/** Versions and ciphers. Throws INVALID_CONFIG. */
export function protocolOptions(config: TlsConfig): Pick<TlsOptions, 'versions' | 'cipherSuites'> {
  const {
    'ssl.enabled.protocols': enabled,
    'ssl.protocol': context,
    'ssl.cipher.suites': suites,
    'ssl.engine.factory.class': factory,
  } = config;
  demand(factory === null, `ssl.engine.factory.class names ${factory}, a class of Java that cannot run here.`);
  demand(contexts.has(context), `${context} SSLContext not available`);
  const spoken = versions.filter((version) => enabled.length === 0 || enabled.includes(version));
  const [oldest] = spoken;
  const newest = spoken.at(-1);
  if (oldest === undefined || newest === undefined) {
    throw invalidConfig(`None of ssl.enabled.protocols=${enabled.join(',')} is spoken here: ${versions.join(' and ')} are.`);
  }
  return { versions: [oldest, newest], ...(suites === null || suites.length === 0 ? {} : { cipherSuites: suites }) };
}

function pemKey(text: string, where: string, password: string | null): TlsOptions {
  const { certificates, certificateCount, key } = readPem(text);
  demand(key !== null, `Failed to load PEM SSL keystore ${where}: No matching PRIVATE KEY entries in PEM file`);
  demand(certificateCount > 0, `Failed to load PEM SSL keystore ${where}: No matching CERTIFICATE entries in PEM file`);
  return { certificate: certificates, key: key ?? '', ...(password === null ? {} : { passphrase: password }) };
}

function pemCertificates(text: string): string {
  const { certificates, certificateCount } = readPem(text);
  demand(certificateCount > 0, 'No matching CERTIFICATE entries in PEM file');
  return certificates;
}

const storeText = (disk: Disk, what: string, path: string): string => Buffer.from(storeBytes(disk, what, path)).toString('utf8');

function storeBytes(disk: Disk, what: string, path: string): Uint8Array {
  try {
    const file = disk.open(path, { readOnly: true });
    try {
      const size = file.size();
      demand(size <= STORE_BYTES_MAX, `Failed to load ${what} ${path}: it has ${size} bytes, more than any store`);
      const bytes = new Uint8Array(size);
      return bytes.subarray(0, file.read(bytes, 0));
    } finally {
      file.close();
    }
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw invalidConfig(`Failed to load ${what} ${path}: ${error.message}`);
  }
}

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw invalidConfig(otherwise);
}
