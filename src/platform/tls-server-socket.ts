import type * as net from 'node:net';
import type * as Tls from 'node:tls';
import { isFileRegion } from '../base/disk.ts';
import type { Part } from '../base/disk.ts';
import type { ClientAuth, Endpoint, Socket, SocketHandler } from '../base/network.ts';
import { endpoint, NodeSocket } from './node-socket.ts';

/** How a listener shakes hands. */
export interface ServerTls {
  readonly tls: typeof Tls;
  readonly context: Tls.SecureContext;
  readonly clientAuth: ClientAuth;
  readonly handshakeTimeoutMs: number;
}

/**
 * The server's end of a TLS connection. Until the first byte comes it is a bare socket, which costs next to nothing; hands are shaken from then on, and have to be
 * shaken within a time that begins with `start`. What is written before waits.
 */
export class TlsServerSocket implements Socket {
  readonly remote: Endpoint;
  readonly local: Endpoint;
  readonly isTls = true;
  readonly #raw: net.Socket;
  readonly #server: ServerTls;
  #handler: SocketHandler | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Shaking hands, if a byte has come. */
  #secure: Tls.TLSSocket | null = null;
  /** Hands are shaken. */
  #established: NodeSocket | null = null;
  #held: Part[] = [];
  #isPaused = false;
  #isEnding = false;
  #isClosed = false;
  #error: Error | null = null;

  constructor(raw: net.Socket, server: ServerTls) {
    this.#raw = raw;
    this.#server = server;
    this.remote = endpoint(raw.remoteAddress, raw.remotePort);
    this.local = endpoint(raw.localAddress, raw.localPort);
    raw.on('error', this.#onError);
    raw.on('close', this.#onClose);
  }

  get peerCertificate(): Uint8Array | null {
    return this.#established?.peerCertificate ?? null;
  }

  get pendingBytes(): number {
    return this.#established?.pendingBytes ?? this.#held.reduce((sum, { length }) => sum + length, 0);
  }

  start(handler: SocketHandler): void {
    this.#handler = handler;
    if (this.#isClosed) {
      queueMicrotask(() => handler.closed(this.#error));
      return;
    }
    this.#timer = setTimeout(() => this.#fail(new Error('the TLS handshake took too long')), this.#server.handshakeTimeoutMs);
    this.#raw.once('readable', this.#onFirstBytes);
  }

  write(parts: readonly Part[]): void {
    if (this.#established !== null) return this.#established.write(parts);
    if (this.#isClosed || this.#isEnding || this.#raw.destroyed) releaseAll(parts);
    else this.#held.push(...parts);
  }

  pause(): void {
    this.#isPaused = true;
    this.#established?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#established?.resume();
  }

  /** Who has not shaken hands has nothing to be told any more. */
  end(): void {
    this.#isEnding = true;
    if (this.#established !== null) this.#established.end();
    else if (this.#held.length === 0) this.#raw.destroy();
  }

  destroy(): void {
    if (this.#established !== null) this.#established.destroy();
    else this.#raw.destroy();
    this.#dropHeld();
  }

  readonly #onFirstBytes = (): void => {
    const { tls, context, clientAuth } = this.#server;
    const bytes = this.#raw.read() as Buffer | null;
    if (bytes === null || this.#raw.destroyed) {
      this.#raw.destroy();
      return;
    }
    this.#raw.unshift(bytes);
    const secure = new tls.TLSSocket(this.#raw, {
      isServer: true,
      secureContext: context,
      requestCert: clientAuth !== 'none',
      rejectUnauthorized: clientAuth === 'required',
    });
    this.#secure = secure;
    secure.on('error', this.#onError);
    secure.once('secure', this.#onShaken);
  };

  readonly #onShaken = (): void => {
    const { clientAuth } = this.#server;
    const secure = this.#secure;
    if (secure === null || this.#isClosed) return;
    const certificate = clientAuth === 'none' ? undefined : secure.getPeerX509Certificate();
    if (certificate === undefined ? clientAuth === 'required' : !isBelieved(secure)) {
      this.#fail(new Error('the client shows no certificate that is believed'));
      return;
    }
    clearTimeout(this.#timer);
    const established = new NodeSocket(secure, { isTls: true, peerCertificate: certificate?.raw ?? null });
    this.#established = established;
    if (this.#handler !== null) established.start(this.#handler);
    if (this.#isPaused) established.pause();
    const held = this.#held;
    this.#held = [];
    if (held.length > 0) established.write(held);
    if (this.#isEnding) established.end();
  };

  #fail(error: Error): void {
    this.#error ??= error;
    this.#raw.destroy();
  }

  readonly #onError = (error: Error): void => {
    this.#error ??= error;
  };

  /** Once hands are shaken, whoever took over tells of the end. */
  readonly #onClose = (): void => {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#dropHeld();
    if (this.#established === null) this.#handler?.closed(this.#error);
  };

  #dropHeld(): void {
    releaseAll(this.#held);
    this.#held = [];
  }
}

function releaseAll(parts: readonly Part[]): void {
  for (const part of parts) if (isFileRegion(part)) part.release();
}

interface WithVerifyError {
  readonly _handle?: { readonly verifyError?: () => unknown } | null;
}

/** Whether OpenSSL found a way from the peer's certificate to an authority. Node.js tells that of sockets of a `tls.Server` only, but knows it of all. */
function isBelieved(socket: Tls.TLSSocket & WithVerifyError): boolean {
  const verifyError = socket._handle?.verifyError;
  return typeof verifyError === 'function' && verifyError.call(socket._handle) === null;
}
