import type { Millis } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import type { Counter } from '../base/metrics.ts';
import type { Endpoint, Listener, Socket, TlsOptions } from '../base/network.ts';
import { TimerQueue } from '../base/timer-queue.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { AnswerMemory } from './answer-memory.ts';
import type { SharedMemory } from './connection-memory.ts';
import { Connection, IDLE_REASON, type Serve } from './connection.ts';
import { type AdmissionRate, ConnectionLimits } from './connection-limits.ts';
import { FrameMemory } from './frame-memory.ts';
import { ListenError } from './listen-error.ts';
import { RequestMemory } from './request-memory.ts';

/** Sockets that wait for room, all listeners together; beyond that they are closed at once. */
const WAITING_SOCKETS_MAX = 1024;

export interface ListenerOptions {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly tls?: TlsOptions;
  readonly backlog?: number;
  readonly sendBufferBytes?: number;
  /** Takes the requests of this listener's connections. */
  readonly serve: Serve;
}

export interface AcceptorOptions {
  readonly listeners: readonly ListenerOptions[];
  /** connections.max.idle.ms */
  readonly maxIdleMs: Millis;
  /** socket.request.max.bytes */
  readonly maxRequestBytes: number;
  /** queued.max.request.bytes; a limit of our own if absent or not above 0. */
  readonly maxQueuedRequestBytes?: number;
  readonly limits?: ConnectionLimits;
  /** Sockets beyond these are closed at once, those between nodes excepted: the process must still be able to open files. */
  readonly socketsMax?: number;
  readonly admissionRate?: AdmissionRate;
  /** Where the requests of all connections come to lie; made here if absent. */
  readonly frameMemory?: FrameMemory;
}

interface Waiting {
  readonly socket: Socket;
  readonly listener: ListenerOptions;
}

/** Listens at the named listeners of a node and holds their connections, as many as the limits allow. */
export class Acceptor {
  readonly #environment: Environment;
  readonly #options: AcceptorOptions;
  readonly limits: ConnectionLimits;
  readonly sharedMemory: Required<SharedMemory>;
  readonly #timers: TimerQueue;
  readonly #bound = new Map<string, Listener>();
  readonly #connections = new Set<Connection>();
  readonly #frameMemory: FrameMemory;
  /** By listener: who comes too fast waits here first. */
  readonly #doors = new Map<string, AdmissionQueue<Waiting>>();
  /** Accepted by the system and not let in yet: nothing of them is read. */
  #waiting: Waiting[] = [];
  #nextId = 0;
  #isClosing = false;
  #allClosed: () => void = () => undefined;
  readonly #log: Logger;
  readonly #expired: Counter;
  readonly #accepted: Counter;
  readonly #refused: Counter;

  constructor(environment: Environment, options: AcceptorOptions) {
    this.#environment = environment;
    this.#options = options;
    this.limits = options.limits ?? new ConnectionLimits();
    this.#frameMemory = options.frameMemory ?? new FrameMemory();
    this.#timers = new TimerQueue(environment.clock);
    const { maxRequestBytes: requestBytesMax, maxQueuedRequestBytes: bytesMax = -1 } = options;
    const requests = new RequestMemory(this.#timers, { bytesMax, requestBytesMax });
    this.sharedMemory = { requests, answers: new AnswerMemory() };
    this.#log = environment.logger.named('network');
    const { metrics } = environment;
    this.#expired = metrics.counter('kafka.network:type=SocketServer,name=ExpiredConnectionsKilledCount');
    this.#accepted = metrics.counter('kafka.server:type=socket-server-metrics,name=connection-creation-total');
    this.#refused = metrics.counter('kafka.server:type=socket-server-metrics,name=connection-refused-total');
    for (const { name } of options.listeners) {
      metrics.gauge(`kafka.server:type=socket-server-metrics,listener=${name},name=connection-count`, () =>
        this.limits.countOf(name),
      );
    }
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Resolves when all listeners take connections. Fails as a whole, with a ListenError. */
  async listen(): Promise<void> {
    for (const listener of this.#options.listeners) {
      try {
        const bound = await this.#bind(listener);
        this.#bound.set(listener.name, bound);
        // Whoever closed this meanwhile could not know of the new listener.
        if (this.#isClosing) throw new Error('the listeners were closed before they were bound');
      } catch (error) {
        await this.close();
        throw new ListenError(listener.name, listener.endpoint, error);
      }
    }
  }

  /** Where a listener was bound: its port is the real one. */
  addressOf(listenerName: string): Endpoint {
    const listener = this.#bound.get(listenerName);
    if (listener === undefined) throw new RangeError(`no listener ${listenerName} is bound`);
    return listener.address;
  }

  /** Connections of a listener from now on are made with these certificates. Rejects with a TlsOptionsError for such that cannot be used. */
  async renewTls(listenerName: string, tls: TlsOptions): Promise<void> {
    await this.#bound.get(listenerName)?.renewTls?.(tls);
  }

  /** Looks again who may come in, for when a limit was raised. */
  limitsChanged(): void {
    this.#letIn();
  }

  /** Takes no more connections; those that are open live on. */
  async stopAccepting(): Promise<void> {
    this.#isClosing = true;
    const held = [...this.#doors.values()].flatMap((door) => door.drain());
    for (const { socket } of [...held, ...this.#waiting]) socket.destroy();
    this.#waiting = [];
    const bound = [...this.#bound.values()];
    await Promise.all(bound.map((listener) => listener.close()));
  }

  /**
   * Ends everything in order: requests under way are answered and taken by their clients, no others are served. What is not done
   * within the time is cut.
   */
  async finish(withinMs: Millis): Promise<void> {
    const stopped = this.stopAccepting();
    for (const connection of this.#connections) connection.finish('the node stops');
    await stopped;
    if (this.#connections.size > 0) {
      await new Promise<void>((resolve) => {
        this.#allClosed = resolve;
        this.#timers.schedule(withinMs, resolve);
      });
    }
    await this.close();
  }

  /** Ends everything. Requests under way are not answered any more. */
  async close(): Promise<void> {
    await this.stopAccepting();
    for (const connection of this.#connections) connection.destroy('the node stops');
    this.#timers.close();
  }

  #bind(listener: ListenerOptions): Promise<Listener> {
    const { endpoint, tls, backlog, sendBufferBytes } = listener;
    return this.#environment.network.listen(endpoint, {
      accept: (socket) => this.#accept(socket, listener),
      ...(tls === undefined ? {} : { tls }),
      ...(backlog === undefined ? {} : { backlog }),
      ...(sendBufferBytes === undefined ? {} : { sendBufferBytes }),
    });
  }

  #accept(socket: Socket, listener: ListenerOptions): void {
    const address = socket.remote.host;
    const isFull = this.#waitingCount >= WAITING_SOCKETS_MAX || this.#isOutOfSockets(listener);
    if (this.#isClosing || isFull || this.limits.isAddressFull(address)) {
      this.#refused.add(1);
      socket.destroy();
      return;
    }
    this.#doorOf(listener).add({ socket, listener });
  }

  #doorOf({ name }: ListenerOptions): AdmissionQueue<Waiting> {
    let door = this.#doors.get(name);
    if (door !== undefined) return door;
    door = new AdmissionQueue({
      timers: this.#timers,
      delayOf: ({ socket }) => this.#options.admissionRate?.(name, socket.remote.host) ?? 0,
      enter: (arrival) => this.#enter(arrival),
    });
    this.#doors.set(name, door);
    return door;
  }

  get #waitingCount(): number {
    return [...this.#doors.values()].reduce((sum, { length }) => sum + length, this.#waiting.length);
  }

  #isOutOfSockets({ name }: ListenerOptions): boolean {
    if (name === this.limits.settings.interBrokerListener) return false;
    return this.#connections.size + this.#waitingCount >= (this.#options.socketsMax ?? Number.POSITIVE_INFINITY);
  }

  #enter(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#letIn();
  }

  #letIn(): void {
    this.#waiting = this.#waiting.filter(({ socket, listener }) => {
      if (!this.limits.hasRoom(listener.name)) return true;
      this.#open(socket, listener);
      return false;
    });
  }

  #open(socket: Socket, listener: ListenerOptions): void {
    const { clock } = this.#environment;
    const { maxIdleMs, maxRequestBytes } = this.#options;
    const address = socket.remote.host;
    if (this.limits.isAddressFull(address)) {
      this.#refused.add(1);
      socket.destroy();
      return;
    }
    this.limits.add(listener.name, address);
    this.#accepted.add(1);
    const connection = new Connection(socket, {
      id: this.#nextId++,
      listenerName: listener.name,
      maxRequestBytes,
      maxIdleMs,
      clock,
      timers: this.#timers,
      serve: listener.serve,
      frameMemory: this.#frameMemory,
      sharedMemory: this.sharedMemory,
      closed: (closed, reason) => this.#closed(closed, address, reason),
    });
    this.#connections.add(connection);
    if (this.#log.isTraceEnabled) this.#log.trace('Opened a connection', factsOf(connection));
    if (this.limits.isOverfull) this.#closeLeastRecentlyUsed();
  }

  #closed(connection: Connection, address: string, reason: string): void {
    if (!this.#connections.delete(connection)) return;
    this.limits.remove(connection.listenerName, address);
    if (reason === IDLE_REASON) this.#expired.add(1);
    if (this.#log.isDebugEnabled) this.#log.debug('Closed a connection', { ...factsOf(connection), reason });
    if (!this.#isClosing) this.#letIn();
    if (this.#connections.size === 0) this.#allClosed();
  }

  /** A peer came in over the listener between brokers although the node is full: somebody else has to go. */
  #closeLeastRecentlyUsed(): void {
    let oldest: Connection | null = null;
    for (const connection of this.#connections) {
      if (connection.listenerName === this.limits.settings.interBrokerListener) continue;
      if (oldest === null || connection.lastActiveAt < oldest.lastActiveAt) oldest = connection;
    }
    oldest?.close('the node has too many connections');
  }
}

function factsOf({ id, listenerName, remote }: Connection): { connection: number; listener: string; client: string } {
  return { connection: id, listener: listenerName, client: `${remote.host}:${remote.port}` };
}
