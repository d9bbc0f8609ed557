import type { Millis } from '../base/clock.ts';

/** How many connections a node holds. All limits can change while it runs. */
export interface ConnectionLimitSettings {
  /** max.connections: of all listeners together. */
  readonly maxConnections: number;
  /** max.connections.per.ip, and max.connections.per.ip.overrides by address. */
  readonly maxConnectionsPerIp: number;
  readonly maxConnectionsPerIpOverrides: ReadonlyMap<string, number>;
  /** listener.name.{name}.max.connections by listener. */
  readonly maxConnectionsOfListener: ReadonlyMap<string, number>;
  /** The listener between brokers is held back by its own limit only: the node must stay reachable for its peers. */
  readonly interBrokerListener: string | null;
}

export const NO_CONNECTION_LIMITS: ConnectionLimitSettings = {
  maxConnections: 2 ** 31 - 1,
  maxConnectionsPerIp: 2 ** 31 - 1,
  maxConnectionsPerIpOverrides: new Map(),
  maxConnectionsOfListener: new Map(),
  interBrokerListener: null,
};

/** Asked once for each connection when its turn has come: how long it, and those behind it, wait; 0 lets it in at once. */
export type AdmissionRate = (listener: string, address: string) => Millis;

/** Counts connections by listener and address, and says who may come in. */
export class ConnectionLimits {
  settings: ConnectionLimitSettings;
  #total = 0;
  readonly #byListener = new Map<string, number>();
  readonly #byAddress = new Map<string, number>();

  constructor(settings: ConnectionLimitSettings = NO_CONNECTION_LIMITS) {
    this.settings = settings;
  }

  get total(): number {
    return this.#total;
  }

  countOf(listener: string): number {
    return this.#byListener.get(listener) ?? 0;
  }

  /** Whether a listener has room. Where it has none, connections wait. */
  hasRoom(listener: string): boolean {
    const { maxConnections, maxConnectionsOfListener, interBrokerListener } = this.settings;
    if (this.countOf(listener) >= (maxConnectionsOfListener.get(listener) ?? Number.POSITIVE_INFINITY)) return false;
    return listener === interBrokerListener || this.#total < maxConnections;
  }

  /** Whether one more connection of this address would be too many. Such a one is closed. */
  isAddressFull(address: string): boolean {
    const { maxConnectionsPerIp, maxConnectionsPerIpOverrides } = this.settings;
    return (this.#byAddress.get(address) ?? 0) >= (maxConnectionsPerIpOverrides.get(address) ?? maxConnectionsPerIp);
  }

  /** More are open than allowed, because the listener between brokers took what others had. */
  get isOverfull(): boolean {
    return this.#total > this.settings.maxConnections;
  }

  add(listener: string, address: string): void {
    this.#total++;
    change(this.#byListener, listener, 1);
    change(this.#byAddress, address, 1);
  }

  remove(listener: string, address: string): void {
    this.#total--;
    change(this.#byListener, listener, -1);
    change(this.#byAddress, address, -1);
  }
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
