import { PatternError } from './pattern-syntax.ts';
import type { PatternText } from './pattern-text.ts';

const CODE_POINT_MAX = 0x10_ffff;

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** The code point of an escape; the cursor is at its backslash. Throws PatternError. */
export function parseEscape(text: PatternText): number {
  text.next();
  if (!text.hasMore) throw new PatternError('trailing backslash at end of expression');
  const code = text.next();
  const character = String.fromCodePoint(code);
  const escaped = escapedCode(text, character, code);
  if (escaped === null) throw new PatternError('invalid escape sequence');
  return escaped;
}

function escapedCode(text: PatternText, character: string, code: number): number | null {
  // A single digit would be a backreference, which RE2 does not have.
  if (/^[1-7]$/.test(character)) return isOctal(text.peek()) ? octalCode(text, code - 0x30) : null;
  if (character === '0') return octalCode(text, 0);
  if (character === 'x') return hexadecimalCode(text);
  if (Object.hasOwn(controls, character)) return controls[character] ?? null;
  return /^[0-9A-Za-z]$/.test(character) ? null : code;
}

/** Up to two more digits. */
function octalCode(text: PatternText, first: number): number {
  let code = first;
  for (let digit = 1; digit < 3 && isOctal(text.peek()); digit++) code = code * 8 + text.next() - 0x30;
  return code;
}

/** Two digits, or any number of them in braces. */
function hexadecimalCode(text: PatternText): number | null {
  if (!text.take('{')) {
    const digits = text.text.slice(text.position, text.position + 2);
    text.position += digits.length;
    return /^[0-9A-Fa-f]{2}$/.test(digits) ? Number.parseInt(digits, 16) : null;
  }
  const digits = text.takeUntil('}');
  if (digits === null || !/^[0-9A-Fa-f]+$/.test(digits)) return null;
  const code = Number.parseInt(digits, 16);
  return code > CODE_POINT_MAX ? null : code;
}

function isOctal(code: number): boolean {
  return code >= 0x30 && code <= 0x37;
}
