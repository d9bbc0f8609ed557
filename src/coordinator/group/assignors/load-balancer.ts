import { assert } from '../../../base/assert.ts';

/**
 * Says which of some members gets the next partition, and which one gives one up. Members stand in the order of their loads. From the left a level
 * rises: those below it get a partition each, then it is one higher and may reach further members. From the right a level sinks in the same way.
 * When the two are no more than one apart, nothing is left to move.
 *
 * Members are indices into `loads`, which its user changes as partitions move.
 */
export class LoadBalancer {
  readonly #loads: Int32Array;
  #members: number[] = [];

  #lowLevel = 0;
  #lowEnd = 0;
  #lowNext = 0;

  #highLevel = 0;
  #highStart = 0;
  /** Members from here on have nothing to give. */
  #highEnd = 0;
  #highNext = 0;

  constructor(loads: Int32Array) {
    this.#loads = loads;
  }

  /** Starts with other members, in ascending order; gives the difference of the highest and the lowest load. */
  start(members: readonly number[]): number {
    this.#members = members.toSorted((left, right) => this.#load(left) - this.#load(right) || left - right);
    const lowest = this.#loadAt(0);
    const highest = this.#loadAt(members.length - 1);
    this.#lowLevel = lowest - 1;
    this.#lowEnd = 0;
    this.#lowNext = 0;
    this.#highLevel = highest + 1;
    this.#highStart = members.length;
    this.#highEnd = members.length;
    this.#highNext = members.length - 1;
    return highest - lowest;
  }

  get isBalanced(): boolean {
    return this.#highLevel - this.#lowLevel <= 1;
  }

  /** The member that gets the next partition. */
  nextReceiver(): number {
    if (this.#lowNext >= this.#lowEnd) {
      this.#lowLevel++;
      while (this.#lowEnd < this.#members.length && this.#loadAt(this.#lowEnd) === this.#lowLevel) this.#lowEnd++;
      this.#lowNext = 0;
    }
    return this.#memberAt(this.#lowNext++);
  }

  /** The member that gives up the next partition of those `canGive` is true of; null when there is none. */
  nextGiver(canGive: (member: number) => boolean): number | null {
    for (;;) {
      if (this.#highNext < this.#highStart) this.#sink();
      if (this.#highNext < 0) return null;
      const member = this.#memberAt(this.#highNext);
      if (canGive(member)) {
        this.#highNext--;
        return member;
      }
      this.#exclude(this.#highNext);
      this.#highNext--;
    }
  }

  #sink(): void {
    // When everybody above has nothing to give, the level falls to the next member at once.
    const isEmpty = this.#highEnd <= this.#highStart && this.#highStart > 0;
    this.#highLevel = isEmpty ? this.#loadAt(this.#highStart - 1) : this.#highLevel - 1;
    while (this.#highStart > 0 && this.#loadAt(this.#highStart - 1) === this.#highLevel) this.#highStart--;
    this.#highNext = this.#highEnd - 1;
  }

  /** Moves a member behind those that can give. */
  #exclude(position: number): void {
    this.#highEnd--;
    const member = this.#memberAt(position);
    this.#members[position] = this.#memberAt(this.#highEnd);
    this.#members[this.#highEnd] = member;
  }

  #memberAt(position: number): number {
    const member = this.#members[position];
    assert(member !== undefined, 'a position of the balancer is one of its members');
    return member;
  }

  #loadAt(position: number): number {
    return this.#load(this.#memberAt(position));
  }

  #load(member: number): number {
    const load = this.#loads[member];
    assert(load !== undefined, 'a member of the balancer has a load');
    return load;
  }
}
