import { comparePlaces, keyOf, type TopicPartition } from '../../topic-partition.ts';
import {
  type Assignor,
  compareMembers,
  emptyAssignments,
  type MemberAssignments,
  type MemberSubscription,
  validOwners,
  wantedPartitions,
} from './assignor.ts';

/**
 * Members keep what they own as far as that is fair. What moves is given to nobody until its owner has let go of it; the rebalance that
 * follows gives it to its new owner (KIP-429).
 */
export const cooperativeStickyAssignor: Assignor = {
  name: 'cooperative-sticky',
  isCooperative: true,
  assign(members, partitionCounts) {
    const balance = new Balance(members);
    const owners = validOwners(members);
    const free = wantedPartitions(members, partitionCounts).filter((place) => !balance.keep(place, owners.get(keyOf(place))));
    for (const place of free) balance.give(place);
    balance.level();
    return withoutMoving(members, balance.assignments);
  },
};

/** Takes partitions away that another member still holds. */
function withoutMoving(members: readonly MemberSubscription[], assignments: MemberAssignments): MemberAssignments {
  const holders = new Map<string, Set<string>>();
  for (const { memberId, owned } of members) {
    for (const key of owned.map(keyOf)) holders.set(key, (holders.get(key) ?? new Set()).add(memberId));
  }
  const isFree = (place: TopicPartition, taker: string): boolean => {
    const holding = holders.get(keyOf(place));
    return holding === undefined || (holding.size === 1 && holding.has(taker));
  };
  return new Map([...assignments].map(([memberId, places]) => [memberId, places.filter((place) => isFree(place, memberId))]));
}

interface Taker {
  readonly memberId: string;
  readonly topics: ReadonlySet<string>;
  places: TopicPartition[];
}

/** An assignment on its way to be fair: no member could give a partition to another that has two fewer. */
class Balance {
  readonly #members: readonly MemberSubscription[];
  readonly #takers: readonly Taker[];
  readonly #byId: ReadonlyMap<string, Taker>;
  readonly #byTopic = new Map<string, Taker[]>();

  constructor(members: readonly MemberSubscription[]) {
    this.#members = members;
    this.#takers = members
      .toSorted(compareMembers)
      .map(({ memberId, topics }) => ({ memberId, topics: new Set(topics), places: [] }));
    this.#byId = new Map(this.#takers.map((taker) => [taker.memberId, taker]));
    for (const taker of this.#takers) {
      for (const topic of taker.topics) this.#byTopic.set(topic, [...(this.#byTopic.get(topic) ?? []), taker]);
    }
  }

  /** Leaves a partition with its owner; false if that one is gone or does not want it any more. */
  keep(place: TopicPartition, owner: string | undefined): boolean {
    const taker = this.#byId.get(owner ?? '');
    if (taker?.topics.has(place.topic) !== true) return false;
    taker.places.push(place);
    return true;
  }

  /** Gives a partition to the member that has least. */
  give(place: TopicPartition): void {
    this.#poorest(place.topic)?.places.push(place);
  }

  /** Moves single partitions from rich to poor. Each move makes the sum of squares smaller, so this ends. */
  level(): void {
    for (let hasMoved = true; hasMoved; ) {
      hasMoved = false;
      for (const rich of this.#takers.toSorted((a, b) => b.places.length - a.places.length)) {
        // The last in order go first, so that a member keeps its lower partitions.
        for (const place of rich.places.toSorted((a, b) => comparePlaces(b, a))) {
          const poor = this.#poorest(place.topic);
          if (poor === undefined || poor.places.length + 1 >= rich.places.length) continue;
          rich.places = rich.places.filter((other) => other !== place);
          poor.places.push(place);
          hasMoved = true;
        }
      }
    }
  }

  get assignments(): MemberAssignments {
    const assignments = emptyAssignments(this.#members);
    for (const { memberId, places } of this.#takers) assignments.set(memberId, places.toSorted(comparePlaces));
    return assignments;
  }

  #poorest(topic: string): Taker | undefined {
    let poorest: Taker | undefined;
    for (const taker of this.#byTopic.get(topic) ?? []) {
      if (poorest === undefined || taker.places.length < poorest.places.length) poorest = taker;
    }
    return poorest;
  }
}
