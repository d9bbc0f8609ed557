import type { Part } from './disk.ts';

/** Where to listen or connect. `host` is a name or an address; '' listens on every address of both families. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The network as an argument. */
export interface Network {
  /** Resolves once connections can be made; `port` 0 takes a free one, told by `address`. */
  listen(endpoint: Endpoint, options: ListenOptions): Promise<Listener>;
  connect(endpoint: Endpoint, options: ConnectOptions): Promise<Socket>;
  /** Sockets that may be open at once, so that files can still be opened; no limit if absent. */
  readonly socketsMax?: number;
}

export interface ListenOptions {
  /** Called for each connection, before any of its bytes are read. */
  readonly accept: (socket: Socket) => void;
  readonly backlog?: number;
  /** Present on a TLS listener. */
  readonly tls?: TlsOptions;
}

export interface ConnectOptions {
  readonly timeoutMs: number;
  readonly tls?: TlsOptions;
}

/** PEM texts. */
export interface TlsOptions {
  readonly certificate?: string;
  readonly key?: string;
  readonly authorities?: string;
  readonly requireClientCertificate?: boolean;
  readonly serverName?: string;
}

export interface Listener {
  /** The address that was bound. */
  readonly address: Endpoint;
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
