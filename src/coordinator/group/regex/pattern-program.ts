import { assert } from '../../../base/assert.ts';
import { ASCII_COUNT, type AsciiSet } from './ascii-set.ts';
import { type Assertion, PatternError, type PatternNode } from './pattern-syntax.ts';

/** Of a compiled pattern. Each character of a topic's name may take as many steps. */
const INSTRUCTIONS_MAX = 10_000;

/** A character of a set, and on with `next`. */
export const TAKE = 0;
/** On with both `next` and `other`. */
export const FORK = 1;
/** On with `next` if the assertion `other` holds. */
export const CHECK = 2;
/** The text has matched if this is its end. */
export const MATCH = 3;

export const assertions: readonly Assertion[] = [
  'text-start',
  'text-end',
  'line-start',
  'line-end',
  'word-boundary',
  'no-word-boundary',
];

/** A nondeterministic automaton: one instruction an index. */
export interface PatternProgram {
  readonly size: number;
  readonly start: number;
  readonly kinds: Uint8Array;
  readonly next: Int32Array;
  readonly other: Int32Array;
  /** Whether the set `other` of a TAKE has a character: at `other × 128 + character`. */
  readonly members: Uint8Array;
}

/** Throws PatternError if the program would be too large, before it is made. */
export function compileProgram(pattern: PatternNode): PatternProgram {
  const size = sizeOf(pattern) + 1;
  if (size > INSTRUCTIONS_MAX) throw new PatternError('pattern too large');
  const compiler = new Compiler(size);
  const match = compiler.add(MATCH, 0, 0);
  const start = compiler.compile(pattern, match);
  return compiler.program(start);
}

/** How many instructions an item becomes; `compile` adds exactly as many. */
function sizeOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
    case 'assertion':
      return 1;
    case 'sequence':
      return node.items.reduce((sum, item) => sum + sizeOf(item), 0);
    case 'choice':
      return node.items.reduce((sum, item) => sum + sizeOf(item), node.items.length - 1);
    default: {
      const { item, min, max } = node;
      const size = sizeOf(item);
      if (max === Number.POSITIVE_INFINITY) return Math.max(min, 1) * size + 1;
      return max * size + (max - min);
    }
  }
}

/** Makes the automaton from its end: each item is given where to go on. */
class Compiler {
  readonly #kinds: Uint8Array;
  readonly #next: Int32Array;
  readonly #other: Int32Array;
  readonly #sets = new Map<AsciiSet, number>();
  #size = 0;

  constructor(size: number) {
    this.#kinds = new Uint8Array(size);
    this.#next = new Int32Array(size);
    this.#other = new Int32Array(size);
  }

  program(start: number): PatternProgram {
    assert(this.#size === this.#kinds.length, 'a pattern becomes as many instructions as were counted');
    const members = new Uint8Array(this.#sets.size * ASCII_COUNT);
    for (const [set, index] of this.#sets) {
      for (let code = 0; code < ASCII_COUNT; code++) {
        if ((set >> BigInt(code)) & 1n) members[index * ASCII_COUNT + code] = 1;
      }
    }
    return { size: this.#size, start, kinds: this.#kinds, next: this.#next, other: this.#other, members };
  }

  add(kind: number, next: number, other: number): number {
    const index = this.#size++;
    this.#kinds[index] = kind;
    this.#next[index] = next;
    this.#other[index] = other;
    return index;
  }

  compile(node: PatternNode, next: number): number {
    switch (node.kind) {
      case 'set':
        return this.add(TAKE, next, this.#setIndex(node.set));
      case 'assertion':
        return this.add(CHECK, next, assertions.indexOf(node.assertion));
      case 'sequence':
        return node.items.reduceRight((after, item) => this.compile(item, after), next);
      case 'choice':
        return node.items.map((item) => this.compile(item, next)).reduceRight((right, left) => this.add(FORK, left, right));
      default:
        return this.#compileRepeat(node.item, node.min, node.max, next);
    }
  }

  #compileRepeat(item: PatternNode, min: number, max: number, next: number): number {
    let start = next;
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.add(FORK, next, next);
      const body = this.compile(item, loop);
      this.#next[loop] = body;
      start = min === 0 ? loop : body;
    } else {
      for (let extra = min; extra < max; extra++) start = this.add(FORK, this.compile(item, start), next);
    }
    const fixed = max === Number.POSITIVE_INFINITY ? Math.max(min - 1, 0) : min;
    for (let index = 0; index < fixed; index++) start = this.compile(item, start);
    return start;
  }

  #setIndex(set: AsciiSet): number {
    const known = this.#sets.get(set);
    if (known !== undefined) return known;
    const index = this.#sets.size;
    this.#sets.set(set, index);
    return index;
  }
}
