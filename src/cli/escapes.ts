import { usageError } from './cli-error.ts';

const SINGLE: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, '0': 0x00, '\\': 0x5c };

/** Reads `\n`, `\r`, `\t`, `\0`, `\xHH` and `\\` in an option's text. */
export function escapes(text: string): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const match of text.matchAll(/\\(?:x([0-9a-f]{2})|(.)|$)/gi)) {
    pieces.push(Buffer.from(text.slice(position, match.index)));
    const byte = match[1] === undefined ? SINGLE[match[2] ?? ''] : Number.parseInt(match[1], 16);
    if (byte === undefined)
      throw usageError(`"${match[0]}" in "${text}" is no escape`, 'Known are \\n, \\r, \\t, \\0, \\xHH and \\\\.');
    pieces.push(Buffer.of(byte));
    position = match.index + match[0].length;
  }
  return Buffer.concat([...pieces, Buffer.from(text.slice(position))]);
}
