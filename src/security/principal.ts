import { subjectName } from './distinguished-name.ts';

/** Who sends a request: a type (`User` unless an authenticator says otherwise) and a name. */
export interface Principal {
  readonly type: string;
  readonly name: string;
}

/** Whoever comes over a listener without authentication. */
export const anonymous: Principal = { type: 'User', name: 'ANONYMOUS' };

/** Who a client is by the certificate (DER) that it has shown; without one nobody is known. Throws CertificateError. */
export const principalOf = (certificate: Uint8Array | null): Principal =>
  certificate === null ? anonymous : { type: 'User', name: subjectName(certificate) };

export const principalText = (principal: Principal): string => `${principal.type}:${principal.name}`;
