import type { Endpoint } from '../base/network.ts';

/** What operating systems say when an address cannot be listened at, in words. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen on that port',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
};

/** A listener that cannot be bound. `code` is the operating system's. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;
  readonly listenerName: string;
  readonly endpoint: Endpoint;

  constructor(listenerName: string, endpoint: Endpoint, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'UNKNOWN';
    const host = endpoint.host === '' ? 'every address' : endpoint.host;
    const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
    super(`Listener ${listenerName} cannot listen on ${host}, port ${endpoint.port}: ${reason}.`, { cause });
    this.code = code;
    this.listenerName = listenerName;
    this.endpoint = endpoint;
  }
}
