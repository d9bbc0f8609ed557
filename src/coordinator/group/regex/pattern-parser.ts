import { ANY_CHARACTER, characterRange, foldedRange, NEW_LINE, without } from './ascii-set.ts';
import { parseClass, parseClassEscape } from './pattern-class.ts';
import { parseEscape } from './pattern-escape.ts';
import { type Assertion, PatternError, type PatternNode } from './pattern-syntax.ts';
import { PatternText } from './pattern-text.ts';

/** Of the repetitions of one item. */
const REPETITIONS_MAX = 1000;
/** Of groups in groups: they are walked through by recursion. */
const NESTING_MAX = 1000;

const NOTHING: PatternNode = { kind: 'sequence', items: [] };

interface Flags {
  readonly foldsCase: boolean;
  readonly isMultiLine: boolean;
  readonly dotIsAny: boolean;
}

/** A group that is open, or the whole pattern. */
interface OpenGroup {
  readonly choices: PatternNode[];
  items: PatternNode[];
  /** Those that hold again behind the group. */
  readonly flagsOutside: Flags;
}

/**
 * Reads the syntax of RE2 (github.com/google/re2/wiki/Syntax) as RE2/J 1.8 does with Perl's extensions, down to what it refuses with which words.
 * Throws PatternError.
 */
export function parsePattern(pattern: string): PatternNode {
  return new PatternParser(pattern).parse();
}

class PatternParser {
  readonly #text: PatternText;
  readonly #outer: OpenGroup[] = [];
  readonly #names = new Set<string>();
  #flags: Flags = { foldsCase: false, isMultiLine: false, dotIsAny: false };
  #group: OpenGroup = { choices: [], items: [], flagsOutside: this.#flags };

  constructor(pattern: string) {
    this.#text = new PatternText(pattern);
  }

  parse(): PatternNode {
    let isAfterRepeat = false;
    while (this.#text.hasMore) isAfterRepeat = this.#parseNext(isAfterRepeat);
    if (this.#outer.length > 0) throw new PatternError('missing closing )');
    return closed(this.#group);
  }

  /** Takes the next piece; gives whether it was a repetition, or could have been one: RE2/J takes no other behind it. */
  #parseNext(isAfterRepeat: boolean): boolean {
    const text = this.#text;
    switch (text.text.charAt(text.position)) {
      case '(':
        this.#openGroup();
        return false;
      case ')':
        text.next();
        this.#closeGroup();
        return false;
      case '|':
        text.next();
        this.#group.choices.push(sequence(this.#group.items));
        this.#group.items = [];
        return false;
      case '^':
        text.next();
        this.#assert(this.#flags.isMultiLine ? 'line-start' : 'text-start');
        return false;
      case '$':
        text.next();
        this.#assert(this.#flags.isMultiLine ? 'line-end' : 'text-end');
        return false;
      case '.':
        text.next();
        this.#push({ kind: 'set', set: this.#flags.dotIsAny ? ANY_CHARACTER : without(NEW_LINE) });
        return false;
      case '[':
        this.#push({ kind: 'set', set: parseClass(text, this.#flags.foldsCase) });
        return false;
      case '*':
        return this.#parseRepeat(0, Number.POSITIVE_INFINITY, isAfterRepeat);
      case '+':
        return this.#parseRepeat(1, Number.POSITIVE_INFINITY, isAfterRepeat);
      case '?':
        return this.#parseRepeat(0, 1, isAfterRepeat);
      case '{':
        return this.#parseCountedRepeat(isAfterRepeat);
      case '\\':
        this.#parseBackslash();
        return false;
      default:
        this.#pushLiteral(text.next());
        return false;
    }
  }

  #push(node: PatternNode): void {
    this.#group.items.push(node);
  }

  #pushLiteral(code: number): void {
    const set = this.#flags.foldsCase ? foldedRange(code, code) : characterRange(code, code);
    this.#push({ kind: 'set', set });
  }

  #assert(assertion: Assertion): void {
    this.#push({ kind: 'assertion', assertion });
  }

  #parseRepeat(min: number, max: number, isAfterRepeat: boolean): boolean {
    this.#text.next();
    this.#repeat(min, max, isAfterRepeat);
    return true;
  }

  /** `{2}`, `{2,}`, `{2,5}`; anything else makes the brace a character. */
  #parseCountedRepeat(isAfterRepeat: boolean): boolean {
    const counted = /^\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}/.exec(this.#text.rest);
    if (counted === null) {
      this.#pushLiteral(this.#text.next());
      return true;
    }
    const [whole, least = '', comma, most] = counted;
    const min = Number(least);
    const max = comma === undefined ? min : most === undefined ? Number.POSITIVE_INFINITY : Number(most);
    if (min > REPETITIONS_MAX || min > max || (max > REPETITIONS_MAX && most !== undefined)) {
      throw new PatternError('invalid repeat count');
    }
    this.#text.take(whole);
    this.#repeat(min, max, isAfterRepeat);
    return true;
  }

  #repeat(min: number, max: number, isAfterRepeat: boolean): void {
    // Not greedy: all the same for whole texts.
    this.#text.take('?');
    if (isAfterRepeat) throw new PatternError('invalid nested repetition operator');
    const item = this.#group.items.pop();
    if (item === undefined) throw new PatternError('missing argument to repetition operator');
    this.#push({ kind: 'repeat', item, min, max });
  }

  #parseBackslash(): void {
    const text = this.#text;
    if (text.take(String.raw`\A`)) this.#assert('text-start');
    else if (text.take(String.raw`\z`)) this.#assert('text-end');
    else if (text.take(String.raw`\b`)) this.#assert('word-boundary');
    else if (text.take(String.raw`\B`)) this.#assert('no-word-boundary');
    else if (text.take(String.raw`\Q`)) this.#parseQuoted();
    else {
      const set = parseClassEscape(text, this.#flags.foldsCase);
      if (set === null) this.#pushLiteral(parseEscape(text));
      else this.#push({ kind: 'set', set });
    }
  }

  #parseQuoted(): void {
    const quoted = this.#text.takeUntil(String.raw`\E`) ?? this.#text.takeRest();
    for (const character of quoted) this.#pushLiteral(character.codePointAt(0) ?? 0);
  }

  #openGroup(): void {
    const text = this.#text;
    const named = /^\(\?P?</.exec(text.rest);
    if (named !== null) {
      text.take(named[0]);
      this.#checkName(text.takeUntil('>'));
      this.#pushGroup(this.#flags);
    } else if (text.take('(?')) this.#parseFlags();
    else {
      text.next();
      this.#pushGroup(this.#flags);
    }
  }

  #checkName(name: string | null): void {
    if (name === null || !/^[0-9A-Z_a-z]+$/.test(name)) throw new PatternError('invalid named capture');
    if (this.#names.has(name)) throw new PatternError('duplicate capture group name');
    this.#names.add(name);
  }

  /** `(?i)` for the rest of the group, or `(?i:…)` for a group of its own. */
  #parseFlags(): void {
    const flags = /^([imsU]*)(-[imsU]+)?([:)])/.exec(this.#text.rest);
    if (flags === null) throw new PatternError('invalid or unsupported Perl syntax');
    const [whole, on = '', off = '', end] = flags;
    this.#text.take(whole);
    const outside = this.#flags;
    this.#flags = withFlags(withFlags(outside, on, true), off, false);
    if (end === ':') this.#pushGroup(outside);
  }

  #pushGroup(flagsOutside: Flags): void {
    if (this.#outer.length >= NESTING_MAX) throw new PatternError('expression nests too deeply');
    this.#outer.push(this.#group);
    this.#group = { choices: [], items: [], flagsOutside };
  }

  #closeGroup(): void {
    const outer = this.#outer.pop();
    if (outer === undefined) throw new PatternError('regexp/syntax: internal error');
    const node = closed(this.#group);
    this.#flags = this.#group.flagsOutside;
    this.#group = outer;
    this.#push(node);
  }
}

function withFlags(flags: Flags, letters: string, isOn: boolean): Flags {
  return {
    foldsCase: letters.includes('i') ? isOn : flags.foldsCase,
    isMultiLine: letters.includes('m') ? isOn : flags.isMultiLine,
    dotIsAny: letters.includes('s') ? isOn : flags.dotIsAny,
  };
}

function closed({ choices, items }: OpenGroup): PatternNode {
  const last = sequence(items);
  return choices.length === 0 ? last : { kind: 'choice', items: [...choices, last] };
}

function sequence(items: readonly PatternNode[]): PatternNode {
  const [first] = items;
  if (first === undefined) return NOTHING;
  return items.length === 1 ? first : { kind: 'sequence', items };
}
