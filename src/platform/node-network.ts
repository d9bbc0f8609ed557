import { once } from 'node:events';
import * as net from 'node:net';
import type * as Tls from 'node:tls';
import type { Endpoint, ListenOptions, Listener, Network, Socket, TlsOptions } from '../base/network.ts';
import { descriptorLimit } from './descriptor-limit.ts';
import { cLibrary } from './native/c-library.ts';
import { descriptorOf, NodeSocket } from './node-socket.ts';
import { loadTls, secureContext } from './tls-context.ts';
import { type ServerTls, TlsServerSocket } from './tls-server-socket.ts';

/** Attempts to find a port that is free in both families. */
const SHARED_PORT_ATTEMPTS = 20;
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** TCP and TLS of this computer. */
export const nodeNetwork: Network = {
  get socketsMax() {
    return Math.floor(descriptorLimit() / 2);
  },

  async listen(endpoint, options): Promise<Listener> {
    const security: Security = { current: options.tls === undefined ? null : await serverTls(options.tls) };
    const servers = await bind(endpoint, { options, security });
    const port = portOf(servers[0]);
    return {
      address: { host: endpoint.host, port },
      renewTls: async (tls) => {
        security.current = await serverTls(tls);
      },
      close: async () => {
        for (const server of servers) server.close();
        // Connections may live on for long: only the listening handles are waited for.
        await new Promise((resolve) => void setImmediate(resolve));
      },
    };
  },

  async connect(endpoint, options): Promise<Socket> {
    const { tls: secure } = options;
    const { socket, connected } = secure === undefined ? dial(endpoint) : dialTls(await loadTls(), endpoint, secure);
    let timer: NodeJS.Timeout | undefined;
    try {
      const signal = new Promise<never>((_, reject) => {
        const late = () => reject(new Error(`no connection to ${endpoint.host}:${endpoint.port} within ${options.timeoutMs} ms`));
        timer = setTimeout(late, options.timeoutMs);
      });
      await Promise.race([once(socket, connected), signal]);
    } catch (error) {
      socket.on('error', () => undefined);
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    return new NodeSocket(socket, { isTls: options.tls !== undefined });
  },
};

interface Dialled {
  readonly socket: net.Socket;
  /** The event that tells of the connection. */
  readonly connected: string;
}

const socketOptions = { allowHalfOpen: true, noDelay: true, keepAlive: true };

function dial({ host, port }: Endpoint): Dialled {
  const socket = net.connect({ ...socketOptions, host: host === '' ? 'localhost' : host, port });
  // Nothing is read before somebody wants it.
  socket.pause();
  return { socket, connected: 'connect' };
}

function dialTls(tls: typeof Tls, { host, port }: Endpoint, secure: TlsOptions): Dialled {
  const servername = secure.serverName ?? (net.isIP(host) === 0 ? host : undefined);
  const socket = tls.connect({
    ...socketOptions,
    host: host === '' ? 'localhost' : host,
    port,
    secureContext: secureContext(tls, secure),
    ...(servername === undefined ? {} : { servername }),
    ...(secure.acceptsAnyName === true ? { checkServerIdentity: () => undefined } : {}),
  });
  return { socket, connected: 'secureConnect' };
}

/** What new connections of a listener are secured with; null for a listener in the clear. */
interface Security {
  current: ServerTls | null;
}

interface Binding {
  readonly options: ListenOptions;
  readonly security: Security;
}

async function serverTls(options: TlsOptions): Promise<ServerTls> {
  const { clientAuth = 'none', handshakeTimeoutMs = HANDSHAKE_TIMEOUT_MS } = options;
  const tls = await loadTls();
  return { tls, context: secureContext(tls, options), clientAuth, handshakeTimeoutMs };
}

async function bind(endpoint: Endpoint, options: Binding): Promise<net.Server[]> {
  switch (endpoint.host) {
    case '':
      return [await bindEverywhere(endpoint.port, options)];
    case 'localhost':
      return bindLoopback(endpoint.port, options);
    default:
      return [await bindOne(endpoint.host, endpoint.port, options)];
  }
}

/** One socket takes both families, unless the system has no IPv6. */
async function bindEverywhere(port: number, options: Binding): Promise<net.Server> {
  try {
    return await bindOne('::', port, options);
  } catch (error) {
    if (!isOneOf(error, 'EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL')) throw error;
    return bindOne('0.0.0.0', port, options);
  }
}

/** Both loopback addresses under one port, or the one that there is. */
async function bindLoopback(port: number, options: Binding): Promise<net.Server[]> {
  for (let attempt = 1; ; attempt++) {
    const first = await bindOne('127.0.0.1', port, options);
    try {
      return [first, await bindOne('::1', portOf(first), options)];
    } catch (error) {
      if (isOneOf(error, 'EAFNOSUPPORT', 'EADDRNOTAVAIL')) return [first];
      first.close();
      if (port !== 0 || attempt === SHARED_PORT_ATTEMPTS || !isOneOf(error, 'EADDRINUSE')) throw error;
    }
  }
}

async function bindOne(host: string, port: number, { options, security }: Binding): Promise<net.Server> {
  const { accept, backlog, sendBufferBytes } = options;
  const server = net.createServer({ ...socketOptions, pauseOnConnect: true }, (socket) => {
    const { current } = security;
    accept(current === null ? new NodeSocket(socket, { isTls: false }) : new TlsServerSocket(socket, current));
  });
  server.listen({ host, port, ...(backlog === undefined ? {} : { backlog }) });
  await once(server, 'listening');
  if (sendBufferBytes !== undefined) cLibrary()?.setSendBuffer(descriptorOf(server), sendBufferBytes);
  // Failures to accept one connection (too many open files) leave the listener as it is.
  server.on('error', () => undefined);
  return server;
}

function portOf(server: net.Server | undefined): number {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function isOneOf(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}
