import {
  type AsciiSet,
  characterRange,
  foldCase,
  foldedRange,
  NO_CHARACTER,
  perlClass,
  posixClass,
  unicodeClass,
  without,
} from './ascii-set.ts';
import { parseEscape } from './pattern-escape.ts';
import { PatternError } from './pattern-syntax.ts';
import type { PatternText } from './pattern-text.ts';

/** `[…]`; the cursor is at the bracket. Throws PatternError. */
export function parseClass(text: PatternText, foldsCase: boolean): AsciiSet {
  text.next();
  const isNegated = text.take('^');
  let set = NO_CHARACTER;
  // A bracket that comes first is one of the characters.
  for (let isFirst = true; isFirst || !text.isAt(']'); isFirst = false) {
    set |= parseNamedClass(text, foldsCase) ?? parseClassEscape(text, foldsCase) ?? parseClassRange(text, foldsCase);
  }
  text.next();
  return isNegated ? without(set) : set;
}

/** `\d`, `\pL`, `\p{Greek}` and the like; null, and nothing is taken, where another thing stands. */
export function parseClassEscape(text: PatternText, foldsCase: boolean): AsciiSet | null {
  if (text.isAt(String.raw`\p`) || text.isAt(String.raw`\P`)) return parseUnicodeClass(text, foldsCase);
  if (!text.isAt('\\')) return null;
  const set = perlClass(text.text.charAt(text.position + 1));
  if (set === null) return null;
  text.position += 2;
  return foldsCase ? foldCase(set) : set;
}

function parseNamedClass(text: PatternText, foldsCase: boolean): AsciiSet | null {
  if (!text.isAt('[:')) return null;
  const start = text.position;
  text.position += 2;
  // What closes it may share the colon of what opens it.
  text.position -= text.isAt(']') ? 1 : 0;
  const name = text.takeUntil(':]');
  if (name === null) {
    text.position = start;
    return null;
  }
  const set = posixClass(name);
  if (set === null) throw new PatternError('invalid character class range');
  return foldsCase ? foldCase(set) : set;
}

function parseUnicodeClass(text: PatternText, foldsCase: boolean): AsciiSet {
  text.next();
  const isUpper = text.next() === 0x50;
  if (!text.hasMore) throw new PatternError('invalid character class range');
  const name = text.take('{') ? text.takeUntil('}') : String.fromCodePoint(text.next());
  const isCaret = name?.startsWith('^') ?? false;
  const positive = name === null ? null : unicodeClass(isCaret ? name.slice(1) : name);
  if (positive === null) throw new PatternError('invalid character class range');
  const set = foldsCase ? foldCase(positive) : positive;
  return isUpper === isCaret ? set : without(set);
}

function parseClassRange(text: PatternText, foldsCase: boolean): AsciiSet {
  const from = parseClassCharacter(text);
  let to = from;
  if (text.isAt('-') && !text.isAt('-]')) {
    text.next();
    to = parseClassCharacter(text);
    if (to < from) throw new PatternError('invalid character class range');
  }
  return foldsCase ? foldedRange(from, to) : characterRange(from, to);
}

function parseClassCharacter(text: PatternText): number {
  if (!text.hasMore) throw new PatternError('missing closing ]');
  return text.isAt('\\') ? parseEscape(text) : text.next();
}
