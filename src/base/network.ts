import type { Part } from './disk.ts';

/** Where to listen or connect. `host` is a name or an address; '' listens on every address of both families. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The network as an argument. */
export interface Network {
  /** Resolves once connections can be made; `port` 0 takes a free one, told by `address`. Rejects with a TlsOptionsError for such. */
  listen(endpoint: Endpoint, options: ListenOptions): Promise<Listener>;
  connect(endpoint: Endpoint, options: ConnectOptions): Promise<Socket>;
  /** Sockets that may be open at once, so that files can still be opened; no limit if absent. */
  readonly socketsMax?: number;
}

export interface ListenOptions {
  /** Called for each connection, before any of its bytes are read: hands are shaken when it is started. */
  readonly accept: (socket: Socket) => void;
  readonly backlog?: number;
  /** How much a connection may have on its way to a client inside the system, roughly; what the system thinks right if absent. */
  readonly sendBufferBytes?: number;
  /** Present on a TLS listener. */
  readonly tls?: TlsOptions;
}

export interface ConnectOptions {
  readonly timeoutMs: number;
  readonly tls?: TlsOptions;
}

/** How one side of a connection speaks TLS. Texts are PEM. */
export interface TlsOptions {
  /** Its certificate and those that lead to an authority. */
  readonly certificate?: string;
  readonly key?: string;
  /** PKCS#12, in place of certificate and key. */
  readonly keyStore?: Uint8Array;
  /** What the key, or the key store, is encrypted with. */
  readonly passphrase?: string;
  /** Whose certificates are believed; those that the runtime knows if absent. */
  readonly authorities?: string;
  /** Whether a client is asked for a certificate. One that is shown has to be believed, or the connection ends. */
  readonly clientAuth?: ClientAuth;
  /** The oldest and the newest version; 1.2 and 1.3 if absent. */
  readonly versions?: readonly [oldest: TlsVersion, newest: TlsVersion];
  /** By the names of their standard, the preferred first; the runtime's own if absent. */
  readonly cipherSuites?: readonly string[];
  /** How long a client may take until hands are shaken, from when it is let in. */
  readonly handshakeTimeoutMs?: number;
  /** What the server's certificate has to be for; the host of the endpoint if absent. */
  readonly serverName?: string;
  /** Whether the server's certificate may be for any name. */
  readonly acceptsAnyName?: boolean;
}

export type ClientAuth = 'none' | 'requested' | 'required';
export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** These certificates, keys or names of ciphers cannot be used; the message is a part of a sentence. */
export class TlsOptionsError extends Error {
  override readonly name = 'TlsOptionsError';
}

export interface Listener {
  /** The address that was bound. */
  readonly address: Endpoint;
  /** Of a TLS listener: connections from now on are made with these. Rejects with a TlsOptionsError, and leaves everything as it is. */
  renewTls?(tls: TlsOptions): Promise<void>;
  /** Stops accepting; open sockets live on. */
  close(): Promise<void>;
}

export interface SocketHandler {
  /** Bytes as they come. They are lent: when the call returns, the chunk may be overwritten with what comes next. */
  data(chunk: Uint8Array): void;
  /** The peer will send no more (half close). */
  ended(): void;
  /** All that was written has been handed to the operating system. */
  drained(): void;
  /** Told exactly once, last of all. */
  closed(error: Error | null): void;
}

/** A stream of bytes both ways. Nothing is read before `start`. */
export interface Socket {
  readonly remote: Endpoint;
  readonly local: Endpoint;
  readonly isTls: boolean;
  /** DER, of a peer that has shown one that is believed; null for everybody else, and until its first data. */
  readonly peerCertificate: Uint8Array | null;
  start(handler: SocketHandler): void;
  /** Sends the parts in order, after everything written before. File regions are released when sent or when the socket closes. */
  write(parts: readonly Part[]): void;
  /** Bytes written that the operating system has not taken yet (file regions included). */
  readonly pendingBytes: number;
  pause(): void;
  resume(): void;
  /** Sends what is pending, then FIN. */
  end(): void;
  /** Drops what is pending and closes at once. */
  destroy(): void;
}
