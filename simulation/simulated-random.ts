import type { Random } from '../src/base/random.ts';

/** Chance from a seed (splitmix32): the same seed gives the same numbers everywhere. */
export class SimulatedRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  integer(below: number): number {
    return Math.floor((this.#next() / 2 ** 32) * below);
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at++) bytes[at] = this.#next() & 0xff;
    return bytes;
  }

  /** True once in `times`. */
  oneIn(times: number): boolean {
    return this.integer(times) === 0;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.integer(choices.length)];
    if (choice === undefined) throw new RangeError('nothing to pick from');
    return choice;
  }

  /** A generator of its own, so that one part of a run can draw more without changing what the others draw. */
  fork(): SimulatedRandom {
    return new SimulatedRandom(this.#next());
  }

  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
}
