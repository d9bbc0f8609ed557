import { constants } from 'node:crypto';
import type * as Tls from 'node:tls';
import { type TlsOptions, TlsOptionsError } from '../base/network.ts';

/** Only when it is needed: it takes 8 MB of memory and as many milliseconds. */
export const loadTls = (): Promise<typeof Tls> => import('node:tls');

/** Sessions are taken up again only by the application that began them; which one that is has to be said where clients show certificates. */
const SESSION_ID_CONTEXT = 'ottla';

/** What OpenSSL says of keys and certificates, in words. */
const reasons: Readonly<Record<string, string>> = {
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the private key is not that of the certificate',
  ERR_OSSL_X509_KEY_TYPE_MISMATCH: 'the private key is not that of the certificate',
  ERR_OSSL_PEM_NO_START_LINE: 'there is no PEM where a certificate or a key is expected',
  ERR_OSSL_PEM_BAD_BASE64_DECODE: 'a certificate or a key is no base 64',
  ERR_OSSL_UNSUPPORTED: 'a certificate or a key is damaged, or of a kind that is not known',
};

/** Certificates, keys and rules as OpenSSL keeps them, for many connections. Throws TlsOptionsError. */
export function secureContext(tls: typeof Tls, options: TlsOptions): Tls.SecureContext {
  const { certificate, key, keyStore, passphrase, authorities } = options;
  try {
    return tls.createSecureContext({
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
      ...(keyStore === undefined ? {} : { pfx: Buffer.from(keyStore) }),
      ...(passphrase === undefined ? {} : { passphrase }),
      ...(authorities === undefined ? {} : { ca: authorities }),
      ...rules(tls, options),
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_CIPHER_SERVER_PREFERENCE,
      sessionIdContext: SESSION_ID_CONTEXT,
    });
  } catch (error) {
    if (error instanceof TlsOptionsError) throw error;
    throw new TlsOptionsError(reasonOf(error, { hasPassphrase: passphrase !== undefined }), { cause: error });
  }
}

/** A version for which no cipher suite is allowed is not spoken. */
function rules(tls: typeof Tls, { versions = ['TLSv1.2', 'TLSv1.3'], cipherSuites }: TlsOptions): Tls.SecureContextOptions {
  let [minVersion, maxVersion] = versions;
  if (cipherSuites === undefined) return { minVersion, maxVersion };
  const known = new Set(tls.getCiphers());
  const names = cipherSuites.map(cipherName).filter((name) => known.has(name.toLowerCase()));
  const newCount = names.filter((name) => name.startsWith('TLS_')).length;
  if (newCount === 0) maxVersion = 'TLSv1.2';
  if (newCount === names.length) minVersion = 'TLSv1.3';
  if (names.length > 0 && minVersion <= maxVersion) return { minVersion, maxVersion, ciphers: names.join(':') };
  throw new TlsOptionsError(`none of the cipher suites ${cipherSuites.join(', ')} is known for ${versions.join(' and ')}`);
}

/** TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256 is ECDHE-RSA-AES128-SHA256 to OpenSSL; the suites of TLS 1.3 have one name. */
function cipherName(suite: string): string {
  const [, exchange, cipher] = /^TLS_(\w+)_WITH_(\w+)$/.exec(suite) ?? [];
  if (exchange === undefined || cipher === undefined) return suite;
  const short = cipher.replace(/^AES_/, 'AES').replace('_CBC', '').replace('POLY1305_SHA256', 'POLY1305');
  return `${exchange === 'RSA' ? '' : `${exchange}-`}${short}`.replaceAll('_', '-');
}

function reasonOf(error: unknown, { hasPassphrase }: { readonly hasPassphrase: boolean }): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  // Node.js gives these no code of their own.
  if (/mac verify failure/i.test(error.message)) return 'the password of the key store is wrong';
  if (/not enough data|unable to load/i.test(error.message))
    return 'the key store is no PKCS#12, or has no private key with a certificate';
  if (/bad decrypt/i.test(error.message)) {
    return hasPassphrase ? 'the password of the private key is wrong' : 'the private key is encrypted, and no password is given';
  }
  return reasons[code] ?? error.message;
}
