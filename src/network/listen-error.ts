import { type Endpoint, TlsOptionsError } from '../base/network.ts';

/** What operating systems say when an address cannot be listened at, in words. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen on that port',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
};

/** A listener that cannot be bound, or cannot speak TLS. `code` is the operating system's. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;
  readonly listenerName: string;
  readonly endpoint: Endpoint;

  constructor(listenerName: string, endpoint: Endpoint, cause: unknown) {
    super(cause instanceof TlsOptionsError ? noTls(listenerName, cause) : notBound(listenerName, endpoint, cause), { cause });
    this.code = codeOf(cause);
    this.listenerName = listenerName;
    this.endpoint = endpoint;
  }
}

const codeOf = (cause: unknown): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : 'UNKNOWN');

function notBound(listenerName: string, endpoint: Endpoint, cause: unknown): string {
  const host = endpoint.host === '' ? 'every address' : endpoint.host;
  const reason = reasons[codeOf(cause)] ?? (cause instanceof Error ? cause.message : String(cause));
  return `Listener ${listenerName} cannot listen on ${host}, port ${endpoint.port}: ${reason}.`;
}

const noTls = (listenerName: string, { message }: TlsOptionsError): string =>
  `Listener ${listenerName} cannot speak TLS: ${message}. Look at its ssl.keystore.*, ssl.key.* and ssl.truststore.* configs.`;
