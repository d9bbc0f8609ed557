import type { Millis } from '../base/clock.ts';
import type { ClusterImage } from '../metadata/image/cluster-image.ts';

interface Session {
  /** The registration that the heartbeats belong to. */
  brokerEpoch: number;
  lastContact: Millis;
  /** Up to where the broker has the metadata log, as it said. */
  metadataOffset: number;
  /** The end of the records that put it into controlled shutdown; null outside of one. */
  controlledShutdownOffset: number | null;
}

/**
 * When brokers were last heard of. Only the active controller knows, and nobody else needs to: a new one gives everybody a whole session. Times
 * are of the monotonic clock.
 */
export class BrokerSessions {
  readonly #timeoutMs: Millis;
  readonly #sessions = new Map<number, Session>();

  constructor(timeoutMs: Millis) {
    this.#timeoutMs = timeoutMs;
  }

  /** What a controller does that has just become active. */
  reset(cluster: ClusterImage, now: Millis): void {
    this.#sessions.clear();
    for (const broker of cluster.brokers.values()) {
      if (!broker.fenced) this.touched(broker.id, { brokerEpoch: broker.epoch, metadataOffset: -1, now });
    }
  }

  touched(
    brokerId: number,
    heartbeat: { readonly brokerEpoch: number; readonly metadataOffset: number; readonly now: Millis },
  ): void {
    const { brokerEpoch, metadataOffset, now } = heartbeat;
    const known = this.#sessions.get(brokerId);
    const controlledShutdownOffset = known?.brokerEpoch === brokerEpoch ? known.controlledShutdownOffset : null;
    this.#sessions.set(brokerId, { brokerEpoch, lastContact: now, metadataOffset, controlledShutdownOffset });
  }

  forget(brokerId: number): void {
    this.#sessions.delete(brokerId);
  }

  isAlive(brokerId: number, brokerEpoch: number, now: Millis): boolean {
    const session = this.#sessions.get(brokerId);
    return session !== undefined && session.brokerEpoch === brokerEpoch && now - session.lastContact < this.#timeoutMs;
  }

  controlledShutdownBegan(brokerId: number, recordsEnd: number): void {
    const session = this.#sessions.get(brokerId);
    if (session !== undefined) session.controlledShutdownOffset ??= recordsEnd;
  }

  controlledShutdownOffset(brokerId: number): number | null {
    return this.#sessions.get(brokerId)?.controlledShutdownOffset ?? null;
  }

  /** Up to where all brokers that may lead have the metadata log; infinite if there are none. */
  lowestActiveOffset(cluster: ClusterImage): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const broker of cluster.brokers.values()) {
      if (broker.fenced || broker.inControlledShutdown) continue;
      lowest = Math.min(lowest, this.#sessions.get(broker.id)?.metadataOffset ?? -1);
    }
    return lowest;
  }

  /** A broker that counts as alive and was not heard of for a whole session; null if there is none. */
  nextExpired(cluster: ClusterImage, now: Millis): number | null {
    for (const broker of cluster.brokers.values()) {
      if (!broker.fenced && !this.isAlive(broker.id, broker.epoch, now)) return broker.id;
    }
    return null;
  }

  /** Gives every session that much more time. */
  excuse(byMs: Millis): void {
    for (const session of this.#sessions.values()) session.lastContact += byMs;
  }

  /** When the next session ends if nothing more is heard; null if none is running. */
  nextExpiry(cluster: ClusterImage): Millis | null {
    let next: Millis | null = null;
    for (const broker of cluster.brokers.values()) {
      if (broker.fenced) continue;
      const endsAt = (this.#sessions.get(broker.id)?.lastContact ?? 0) + this.#timeoutMs;
      next = next === null ? endsAt : Math.min(next, endsAt);
    }
    return next;
  }
}
