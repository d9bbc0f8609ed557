import type { Random } from '../base/random.ts';
import { KafkaError } from '../protocol/errors.ts';

/** A broker that replicas can be placed on. */
export interface UsableBroker {
  readonly id: number;
  readonly rack: string | null;
  readonly fenced: boolean;
}

/**
 * Places replicas in stripes over the racks: the first replica of each partition, its preferred leader, goes to the racks in turn and
 * to the living brokers of a rack in turn; the others of the partition go to the racks that follow. After as many partitions as there
 * are living brokers all orders are shuffled, so that the same brokers do not always share partitions.
 *
 * Throws INVALID_REPLICATION_FACTOR.
 */
export function placeReplicas(
  brokers: readonly UsableBroker[],
  options: { readonly partitions: number; readonly replicationFactor: number; readonly random: Random },
): number[][] {
  const { partitions, replicationFactor, random } = options;
  if (replicationFactor <= 0)
    throw refused(`Invalid replication factor ${replicationFactor}: the replication factor must be positive.`);
  if (!brokers.some(({ fenced }) => !fenced))
    throw refused('All brokers are currently fenced, or have all their log directories cordoned.');
  if (replicationFactor > brokers.length) {
    throw refused(
      `The target replication factor of ${replicationFactor} cannot be reached because only ${brokers.length} broker(s) are ` +
        'registered or some brokers have all their log directories cordoned.',
    );
  }
  const stripes = new Stripes(brokers, random);
  return Array.from({ length: partitions }, () => stripes.place(replicationFactor));
}

const refused = (message: string): KafkaError => new KafkaError('INVALID_REPLICATION_FACTOR', message);

interface Rack {
  living: number[];
  fenced: number[];
}

class Stripes {
  readonly #random: Random;
  readonly #racks: Rack[];
  readonly #livingCount: number;
  /** How many partitions were placed since the last shuffle. */
  #round = 0;
  #firstRack = 0;

  constructor(brokers: readonly UsableBroker[], random: Random) {
    this.#random = random;
    const racks = new Map<string | null, Rack>();
    for (const { id, rack, fenced } of brokers) {
      const members = racks.get(rack) ?? { living: [], fenced: [] };
      racks.set(rack, members);
      (fenced ? members.fenced : members.living).push(id);
    }
    this.#racks = [...racks.values()];
    this.#livingCount = brokers.filter(({ fenced }) => !fenced).length;
    this.#shuffleAll();
  }

  place(replicationFactor: number): number[] {
    if (this.#round === this.#livingCount && this.#livingCount > 1) {
      this.#shuffleAll();
      this.#round = 0;
    }
    const racks = this.#racks.map((_, at) => this.#racks[(this.#firstRack + at) % this.#racks.length] as Rack);
    const turns = Math.floor(this.#round / this.#racks.length);
    const queues = racks.map((rack) => [...rotated(rack.living, turns), ...rotated(rack.fenced, turns)]);
    const leaderRack = racks.findIndex(({ living }) => living.length > 0);
    const replicas: number[] = [];
    // One of each rack in turn, the leader's first.
    for (let rack = leaderRack; replicas.length < replicationFactor; rack = (rack + 1) % queues.length) {
      const next = queues[rack]?.shift();
      if (next !== undefined) replicas.push(next);
    }
    this.#round++;
    this.#firstRack = (this.#firstRack + 1) % this.#racks.length;
    return replicas;
  }

  #shuffleAll(): void {
    this.#shuffle(this.#racks);
    for (const rack of this.#racks) {
      this.#shuffle(rack.living);
      this.#shuffle(rack.fenced);
    }
  }

  #shuffle(items: unknown[]): void {
    for (let at = items.length - 1; at > 0; at--) {
      const other = this.#random.integer(at + 1);
      [items[at], items[other]] = [items[other], items[at]];
    }
  }
}

const rotated = <T>(items: readonly T[], by: number): T[] => items.map((_, at) => items[(at + by) % items.length] as T);
