import type { Millis } from '../src/base/clock.ts';
import type { ConnectOptions, Endpoint, ListenOptions, Listener, Network, Socket } from '../src/base/network.ts';
import type { Scheduler } from './scheduler.ts';
import type { SimulatedRandom } from './simulated-random.ts';
import { SimulatedSocket } from './simulated-socket.ts';
import type { Wire, WireItem } from './simulated-socket.ts';

export interface SimulatedNetworkOptions {
  /** Each delivery takes between these many milliseconds, by chance. */
  readonly delayMs?: readonly [Millis, Millis];
  /** Bytes come in pieces of any size, down to single ones. */
  readonly isFragmenting?: boolean;
  /** What a connection holds between a writer and a reader that does not read. */
  readonly windowBytes?: number;
}

/** Closed connections are looked for when there are this many directions. */
const DIRECTIONS_BEFORE_SWEEP = 256;
const FIRST_FREE_PORT = 32_768;
const OWN_NAMES: ReadonlySet<string> = new Set(['', 'localhost', '127.0.0.1', '::1', '0.0.0.0', '::']);

interface BoundListener {
  readonly options: ListenOptions;
}

/**
 * A network in memory between named hosts. Within a connection bytes keep their order and are never lost; what can happen is what
 * happens to TCP: delays, odd pieces, silence while a link is cut, resets, refusals.
 */
export class SimulatedNetwork {
  readonly #scheduler: Scheduler;
  readonly #random: SimulatedRandom;
  readonly #options: Required<SimulatedNetworkOptions>;
  readonly #listeners = new Map<string, BoundListener>();
  readonly #cuts = new Set<string>();
  readonly #directions = new Set<Direction>();
  #nextPort = FIRST_FREE_PORT;
  /** Changes the delay of what is carried from one host to another from now on. */
  delayBetween: (from: string, to: string) => readonly [Millis, Millis];

  constructor(scheduler: Scheduler, random: SimulatedRandom, options: SimulatedNetworkOptions = {}) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#options = { delayMs: [0, 0], isFragmenting: false, windowBytes: 256 * 1024, ...options };
    this.delayBetween = () => this.#options.delayMs;
  }

  /** The network as the host of this name sees it. */
  host(name: string): Network {
    return {
      listen: (endpoint, options) => this.#listen(name, endpoint, options),
      connect: (endpoint, options) => this.#connect(name, endpoint, options),
    };
  }

  /** Nothing comes from one host to the other any more, nor back unless `isOneWay`. Connections stay and wait. */
  cut(from: string, to: string, { isOneWay = false }: { readonly isOneWay?: boolean } = {}): void {
    this.#cuts.add(`${from}>${to}`);
    if (!isOneWay) this.#cuts.add(`${to}>${from}`);
  }

  /** Separates two groups of hosts. */
  partition(group: readonly string[], rest: readonly string[]): void {
    for (const from of group) for (const to of rest) this.cut(from, to);
  }

  /** All links carry again, first what waited. */
  heal(): void {
    this.#cuts.clear();
    for (const direction of this.#directions) direction.deliver();
  }

  /** Resets the connections between two hosts, or all of one. */
  dropConnections(host: string, other?: string): void {
    for (const direction of this.#directions) {
      const isHit = direction.from === host && (other === undefined || direction.to === other);
      const isHitBack = direction.to === host && (other === undefined || direction.from === other);
      if (isHit || isHitBack) direction.target.arrive({ kind: 'reset' });
    }
  }

  /** A dead host: it listens no more and its connections are reset, or `silently` only stop to answer. */
  crash(host: string, { silently = false }: { readonly silently?: boolean } = {}): void {
    for (const key of this.#listeners.keys()) if (key.startsWith(`${host}:`)) this.#listeners.delete(key);
    for (const direction of this.#directions) {
      if (direction.to === host) direction.target.vanish();
      else if (direction.from === host && !silently) direction.target.arrive({ kind: 'reset' });
    }
  }

  /** For the parts of a connection. */
  isCut(from: string, to: string): boolean {
    return this.#cuts.has(`${from}>${to}`);
  }

  #delay(from: string, to: string): Millis {
    const [least, most] = this.delayBetween(from, to);
    return most > least ? least + (this.#random.integer(1000) / 1000) * (most - least) : least;
  }

  #listen(host: string, endpoint: Endpoint, options: ListenOptions): Promise<Listener> {
    const port = endpoint.port === 0 ? this.#nextPort++ : endpoint.port;
    const key = `${host}:${port}`;
    if (this.#listeners.has(key)) return Promise.reject(failure('EADDRINUSE', `${key} is in use`));
    const bound: BoundListener = { options };
    this.#listeners.set(key, bound);
    return Promise.resolve({
      address: { host: endpoint.host, port },
      close: () => {
        if (this.#listeners.get(key) === bound) this.#listeners.delete(key);
        return Promise.resolve();
      },
    });
  }

  #connect(from: string, { host, port }: Endpoint, options: ConnectOptions): Promise<Socket> {
    const to = OWN_NAMES.has(host) ? from : host;
    return new Promise((resolve, reject) => {
      const expiry = this.#scheduler.after(options.timeoutMs, () => {
        reject(failure('ETIMEDOUT', `no connection to ${to}:${port} within ${options.timeoutMs} ms`));
      });
      this.#scheduler.after(this.#delay(from, to), () => {
        // The silence of a cut link looks like that of a dead machine: only the timeout ends it.
        if (this.isCut(from, to) || this.isCut(to, from)) return;
        const listener = this.#listeners.get(`${to}:${port}`);
        if (listener === undefined || (listener.options.tls === undefined) !== (options.tls === undefined)) {
          expiry.cancel();
          reject(failure('ECONNREFUSED', `nobody listens at ${to}:${port}`));
          return;
        }
        const [client, server] = this.#pair(from, to, { port, isTls: options.tls !== undefined });
        listener.options.accept(server);
        this.#scheduler.after(this.#delay(to, from), () => {
          expiry.cancel();
          resolve(client);
        });
      });
    });
  }

  #forgetClosed(): void {
    if (this.#directions.size < DIRECTIONS_BEFORE_SWEEP) return;
    for (const direction of this.#directions) if (direction.isOver) this.#directions.delete(direction);
  }

  #pair(from: string, to: string, { port, isTls }: { port: number; isTls: boolean }): [SimulatedSocket, SimulatedSocket] {
    this.#forgetClosed();
    const near = { host: from, port: this.#nextPort++ };
    const far = { host: to, port };
    const forth = this.#direction(from, to);
    const back = this.#direction(to, from);
    const client = new SimulatedSocket(forth, { local: near, remote: far, isTls });
    const server = new SimulatedSocket(back, { local: far, remote: near, isTls });
    [client.peer, server.peer] = [server, client];
    [forth.target, back.target] = [server, client];
    return [client, server];
  }

  #direction(from: string, to: string): Direction {
    const direction = new Direction(this, { from, to }, this.#scheduler, {
      delay: () => this.#delay(from, to),
      chunkBytes: () => (this.#options.isFragmenting ? 1 + this.#random.integer(2 ** this.#random.integer(17)) : 65_536),
      windowBytes: this.#options.windowBytes,
    });
    this.#directions.add(direction);
    return direction;
  }
}

interface DirectionOptions {
  readonly delay: () => Millis;
  readonly chunkBytes: () => number;
  readonly windowBytes: number;
}

/** One direction of one connection: a queue whose items arrive in order. */
class Direction implements Wire {
  readonly from: string;
  readonly to: string;
  readonly windowBytes: number;
  readonly chunkBytes: () => number;
  readonly #network: SimulatedNetwork;
  readonly #scheduler: Scheduler;
  readonly #delay: () => Millis;
  readonly #items: { readonly at: Millis; readonly item: WireItem }[] = [];
  #target: SimulatedSocket | null = null;

  constructor(network: SimulatedNetwork, ends: { from: string; to: string }, scheduler: Scheduler, options: DirectionOptions) {
    this.#network = network;
    this.from = ends.from;
    this.to = ends.to;
    this.#scheduler = scheduler;
    this.#delay = options.delay;
    this.chunkBytes = options.chunkBytes;
    this.windowBytes = options.windowBytes;
  }

  get target(): SimulatedSocket {
    if (this.#target === null) throw new Error('a direction has a target from its making on');
    return this.#target;
  }

  set target(socket: SimulatedSocket) {
    this.#target = socket;
  }

  get isOver(): boolean {
    return this.target.isGone && this.#items.length === 0;
  }

  soon(run: () => void): void {
    this.#scheduler.after(0, run);
  }

  carry(item: WireItem): void {
    const earliest = this.#items.at(-1)?.at ?? 0;
    const at = Math.max(earliest, this.#scheduler.time + this.#delay());
    this.#items.push({ at, item });
    this.#scheduler.after(at - this.#scheduler.time, () => this.deliver());
  }

  /** Brings everything that is due, unless the link is cut: then the healing does. */
  deliver(): void {
    while (!this.#network.isCut(this.from, this.to)) {
      const next = this.#items[0];
      if (next === undefined || next.at > this.#scheduler.time) return;
      this.#items.shift();
      this.target.arrive(next.item);
    }
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
