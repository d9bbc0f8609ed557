/**
 * Sets of the 128 ASCII characters, as bits of a BigInt. Names of topics have no other characters, so of a class of characters that is all a pattern
 * has to know.
 */
export type AsciiSet = bigint;

export const ASCII_COUNT = 128;
export const NO_CHARACTER: AsciiSet = 0n;
export const ANY_CHARACTER: AsciiSet = (1n << 128n) - 1n;
export const NEW_LINE: AsciiSet = 1n << 10n;

/** The two characters outside of ASCII that are the same as ASCII letters where case does not matter. */
const LONG_S = 0x17f;
const KELVIN = 0x212a;

export function characterRange(from: number, to: number): AsciiSet {
  const last = Math.min(to, ASCII_COUNT - 1);
  return from > last ? NO_CHARACTER : ((1n << BigInt(last - from + 1)) - 1n) << BigInt(from);
}

/** A range of code points with the other case of its letters. */
export function foldedRange(from: number, to: number): AsciiSet {
  let set = foldCase(characterRange(from, to));
  if (from <= LONG_S && LONG_S <= to) set |= charactersOf('sS');
  if (from <= KELVIN && KELVIN <= to) set |= charactersOf('kK');
  return set;
}

export function foldCase(set: AsciiSet): AsciiSet {
  const upper = set & UPPER;
  const lower = set & LOWER;
  return set | (upper << 32n) | (lower >> 32n);
}

export function without(set: AsciiSet): AsciiSet {
  return ANY_CHARACTER & ~set;
}

const UPPER = characterRange(0x41, 0x5a);
const LOWER = characterRange(0x61, 0x7a);

function charactersOf(text: string): AsciiSet {
  let set = NO_CHARACTER;
  for (const character of text) set |= 1n << BigInt(character.charCodeAt(0));
  return set;
}

/** What has been asked of `matching`: a pattern may name a class a thousand times. */
const known = new Map<string, AsciiSet>();

function matching(pattern: RegExp): AsciiSet {
  let set = known.get(pattern.source);
  if (set !== undefined) return set;
  set = NO_CHARACTER;
  for (let code = 0; code < ASCII_COUNT; code++) {
    if (pattern.test(String.fromCharCode(code))) set |= 1n << BigInt(code);
  }
  known.set(pattern.source, set);
  return set;
}

/** `[:name:]`. */
const posixClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  ascii: /\p{ASCII}/u,
  blank: /[\t ]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  word: /[0-9A-Z_a-z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** The set of the name between `[:` and `:]`, null if there is none. A caret in front negates it. */
export function posixClass(name: string): AsciiSet | null {
  const isNegated = name.startsWith('^');
  const positive = isNegated ? name.slice(1) : name;
  const pattern = Object.hasOwn(posixClasses, positive) ? posixClasses[positive] : undefined;
  if (pattern === undefined) return null;
  const set = matching(pattern);
  return isNegated ? without(set) : set;
}

/** The set of the letter after a backslash, null if it is no class: `\d`, `\s`, `\w` and what is not in them. */
export function perlClass(letter: string): AsciiSet | null {
  switch (letter) {
    case 'd':
      return matching(/[0-9]/);
    case 'D':
      return without(matching(/[0-9]/));
    case 's':
      return matching(/[\t\n\f\r ]/);
    case 'S':
      return without(matching(/[\t\n\f\r ]/));
    case 'w':
      return matching(/[0-9A-Z_a-z]/);
    case 'W':
      return without(matching(/[0-9A-Z_a-z]/));
    default:
      return null;
  }
}

const CATEGORIES = new Set(
  'C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs'.split(' '),
);

/** Those that RE2/J knows, which is Unicode 6.0. */
const SCRIPTS = new Set(
  (
    'Arabic Armenian Avestan Balinese Bamum Batak Bengali Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Cham Cherokee Common ' +
    'Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Egyptian_Hieroglyphs Ethiopic Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Han ' +
    'Hangul Hanunoo Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana ' +
    'Kayah_Li Kharoshthi Khmer Lao Latin Lepcha Limbu Linear_B Lisu Lycian Lydian Malayalam Mandaic Meetei_Mayek Mongolian Myanmar New_Tai_Lue ' +
    'Nko Ogham Ol_Chiki Old_Italic Old_Persian Old_South_Arabian Old_Turkic Oriya Osmanya Phags_Pa Phoenician Rejang Runic Samaritan ' +
    'Saurashtra Shavian Sinhala Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tamil Telugu Thaana Thai Tibetan ' +
    'Tifinagh Ugaritic Unknown Vai Yi'
  ).split(' '),
);

/** The set of a general category or a script, null for a name that is neither. */
export function unicodeClass(name: string): AsciiSet | null {
  if (name === 'Any') return ANY_CHARACTER;
  if (CATEGORIES.has(name)) return matching(new RegExp(`\\p{${name}}`, 'u'));
  if (!SCRIPTS.has(name)) return null;
  if (name === 'Latin') return UPPER | LOWER;
  return name === 'Common' ? without(UPPER | LOWER) : NO_CHARACTER;
}
