import type { Environment } from '../base/environment.ts';
import type { Endpoint } from '../base/network.ts';
import { Backoff } from './backoff.ts';
import { ClientError } from './client-error.ts';
import { type ClientSettings, endpointText } from './client-options.ts';
import { Connection } from './connection.ts';

/** The connections of one client: one for each broker, made at first use and again after it broke, not more often than the backoff allows. */
export class Connections {
  readonly #environment: Environment;
  readonly #settings: ClientSettings;
  readonly #slots = new Map<string, Slot>();
  #closed = false;

  constructor(environment: Environment, settings: ClientSettings) {
    this.#environment = environment;
    this.#settings = settings;
  }

  /** The open connection to a broker, if there is one now. */
  current(endpoint: Endpoint): Connection | null {
    const connection = this.#slots.get(endpointText(endpoint))?.connection ?? null;
    return connection?.isOpen === true ? connection : null;
  }

  /** Connects if need be; several callers share one attempt. After a failure the next attempt waits for the backoff. */
  async get(endpoint: Endpoint): Promise<Connection> {
    if (this.#closed) throw new ClientError('closed', 'The client is closed');
    const slot = this.#slotOf(endpoint);
    if (slot.connection?.isOpen === true) return slot.connection;
    slot.opening ??= this.#open(slot).finally(() => {
      slot.opening = null;
    });
    return await slot.opening;
  }

  /** A connection to any of the endpoints: an open one, the least busy first; otherwise the first that can be made. */
  async any(endpoints: readonly Endpoint[]): Promise<Connection> {
    const open = endpoints.flatMap((endpoint) => this.current(endpoint) ?? []);
    open.sort((a, b) => a.pendingCount - b.pendingCount);
    if (open[0] !== undefined) return open[0];
    let failure: unknown = new ClientError('unreachable', 'No broker is known');
    for (const endpoint of endpoints) {
      try {
        return await this.get(endpoint);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  close(): void {
    this.#closed = true;
    for (const slot of this.#slots.values()) slot.connection?.close();
    this.#slots.clear();
  }

  #slotOf(endpoint: Endpoint): Slot {
    const key = endpointText(endpoint);
    const existing = this.#slots.get(key);
    if (existing !== undefined) return existing;
    const { reconnectBackoffMs, reconnectBackoffMaxMs } = this.#settings;
    const backoff = new Backoff(this.#environment.random, reconnectBackoffMs, reconnectBackoffMaxMs);
    const slot: Slot = { endpoint, connection: null, opening: null, backoff, notBefore: -Infinity };
    this.#slots.set(key, slot);
    return slot;
  }

  async #open(slot: Slot): Promise<Connection> {
    const { clock } = this.#environment;
    const wait = slot.notBefore - clock.monotonic();
    if (wait > 0) await new Promise<void>((resolve) => clock.schedule(wait, resolve));
    if (this.#closed) throw new ClientError('closed', 'The client is closed');
    try {
      const connection = await Connection.open(this.#environment, this.#settings, slot.endpoint);
      if (this.#closed) connection.close();
      slot.connection = connection;
      slot.backoff.reset();
      return connection;
    } catch (error) {
      slot.notBefore = clock.monotonic() + slot.backoff.next();
      throw error;
    }
  }
}

interface Slot {
  readonly endpoint: Endpoint;
  connection: Connection | null;
  opening: Promise<Connection> | null;
  readonly backoff: Backoff;
  /** Monotonic time before which no new attempt is made. */
  notBefore: number;
}
