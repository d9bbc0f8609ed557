import { ASCII_COUNT } from './ascii-set.ts';
import { assertions, CHECK, FORK, MATCH, type PatternProgram, TAKE } from './pattern-program.ts';

/** The longest name of a topic times the largest program: 10 ms. Longer texts, as ids may be, are matched by smaller patterns only. */
const STEPS_MAX = 2_500_000;

/**
 * Runs a pattern over a text, all ways at once: for every character each instruction is visited at most once, so the time is the length of the text
 * times the size of the program, and no more, and no memory is taken.
 */
export class PatternMatcher {
  readonly #program: PatternProgram;
  /** The instructions that wait for the next character. */
  #waiting: Int32Array;
  #waitingNext: Int32Array;
  #waitingCount = 0;
  /** The step in which each instruction was visited last. */
  readonly #visited: Float64Array;
  #step = 0;
  readonly #stack: Int32Array;
  #hasMatched = false;

  constructor(program: PatternProgram) {
    this.#program = program;
    this.#waiting = new Int32Array(program.size);
    this.#waitingNext = new Int32Array(program.size);
    this.#visited = new Float64Array(program.size);
    this.#stack = new Int32Array(2 * program.size + 1);
  }

  /** Whether the whole text matches. Texts with other than ASCII characters never do, nor do those that would take too long. */
  matches(text: string): boolean {
    const { kinds, next, other, members, size, start } = this.#program;
    if (text.length * size > STEPS_MAX) return false;
    this.#begin();
    this.#visit(start, text, 0);
    for (let position = 0; position < text.length; position++) {
      const code = text.charCodeAt(position);
      if (code >= ASCII_COUNT || this.#waitingCount === 0) return false;
      const waiting = this.#waiting;
      const count = this.#waitingCount;
      this.#begin();
      for (let index = 0; index < count; index++) {
        const instruction = waiting[index] as number;
        const isTaken = kinds[instruction] === TAKE && members[(other[instruction] as number) * ASCII_COUNT + code] === 1;
        if (isTaken) this.#visit(next[instruction] as number, text, position + 1);
      }
    }
    return this.#hasMatched;
  }

  #begin(): void {
    [this.#waiting, this.#waitingNext] = [this.#waitingNext, this.#waiting];
    this.#waitingCount = 0;
    this.#hasMatched = false;
    this.#step++;
  }

  /** Follows everything that takes no character. */
  #visit(start: number, text: string, position: number): void {
    const { kinds, next, other } = this.#program;
    const stack = this.#stack;
    let depth = 0;
    stack[depth++] = start;
    while (depth > 0) {
      depth--;
      const instruction = stack[depth] as number;
      if (this.#visited[instruction] === this.#step) continue;
      this.#visited[instruction] = this.#step;
      const kind = kinds[instruction];
      if (kind === TAKE) this.#waiting[this.#waitingCount++] = instruction;
      else if (kind === MATCH) this.#hasMatched = true;
      else if (kind === FORK) {
        stack[depth++] = other[instruction] as number;
        stack[depth++] = next[instruction] as number;
      } else if (kind === CHECK && holds(other[instruction] as number, text, position)) {
        stack[depth++] = next[instruction] as number;
      }
    }
  }
}

function holds(index: number, text: string, position: number): boolean {
  const isStart = position === 0;
  const isEnd = position === text.length;
  switch (assertions[index]) {
    case 'text-start':
      return isStart;
    case 'text-end':
      return isEnd;
    case 'line-start':
      return isStart || text[position - 1] === '\n';
    case 'line-end':
      return isEnd || text[position] === '\n';
    case 'word-boundary':
      return isWord(text, position - 1) !== isWord(text, position);
    default:
      return isWord(text, position - 1) === isWord(text, position);
  }
}

function isWord(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}
