import type { ConsumerRecord } from '../client/fetched-chunk.ts';
import { usageError } from './cli-error.ts';
import { escapes } from './escapes.ts';

/** Bytes of one record for the output. */
export type RecordPrinter = (record: ConsumerRecord) => Uint8Array | string;

type Piece = (record: ConsumerRecord) => Uint8Array | string;

const lengthOf = (bytes: Uint8Array | null): number => (bytes === null ? -1 : bytes.length);
const EMPTY = new Uint8Array(0);

/** The tokens of kcat's -f, and what they stand for. */
const pieces: Readonly<Record<string, Piece>> = {
  s: (record) => record.value ?? EMPTY,
  S: (record) => String(lengthOf(record.value)),
  R: (record) => bigEndian(lengthOf(record.value)),
  k: (record) => record.key ?? EMPTY,
  K: (record) => String(lengthOf(record.key)),
  T: (record) => String(record.timestamp),
  D: (record) => (record.timestamp < 0 ? '-' : new Date(record.timestamp).toISOString()),
  h: (record) => record.headers.map(({ key, value }) => `${key}=${value === null ? 'NULL' : textOf(value)}`).join(','),
  t: (record) => record.topic,
  p: (record) => String(record.partition),
  o: (record) => String(record.offset),
  e: (record) => String(record.leaderEpoch),
  '%': () => '%',
};

export const FORMAT_HELP = `
Format tokens (those of kcat, and %D and %e):
  %s  value            %S  its length, -1 for none    %R  its length as four bytes, big-endian
  %k  key              %K  its length, -1 for none    %h  headers: name=value,name=value
  %t  topic            %p  partition                  %o  offset
  %T  time in ms       %D  time as ISO 8601           %e  leader epoch        %%  a percent sign
  \\n \\r \\t \\0 \\xHH     the usual escapes`;

/** Reads a format such as `%p %o %k: %s\n`. */
export function parseFormat(format: string): RecordPrinter {
  const parts: (Piece | Buffer)[] = [];
  let position = 0;
  for (const match of format.matchAll(/%(.?)/gs)) {
    if (match.index > position) parts.push(escapes(format.slice(position, match.index)));
    const piece = pieces[match[1] ?? ''];
    if (piece === undefined)
      throw usageError(`"${match[0]}" in the format is no token`, 'See the list in "ottla consume --help".');
    parts.push(piece);
    position = match.index + match[0].length;
  }
  if (position < format.length) parts.push(escapes(format.slice(position)));
  return (record) => {
    const chunks = parts.map((part) => {
      const bytes = typeof part === 'function' ? part(record) : part;
      return typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    });
    return Buffer.concat(chunks);
  };
}

/** A value and a newline, for the most common case. */
export const printValue: RecordPrinter = ({ value }) => {
  if (value === null) return '\n';
  const line = Buffer.allocUnsafe(value.length + 1);
  line.set(value);
  line[value.length] = 0x0a;
  return line;
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** Text where the bytes are UTF-8, base64 under another name where they are not: nothing is lost. */
function jsonData(name: string, bytes: Uint8Array | null): Record<string, string | null> {
  if (bytes === null) return { [name]: null };
  try {
    return { [name]: strictUtf8.decode(bytes) };
  } catch {
    return { [`${name}Base64`]: Buffer.from(bytes).toString('base64') };
  }
}

/** An object a line, which `ottla produce --input json` reads. */
export const printJson: RecordPrinter = (record) => {
  const { topic, partition, offset, timestamp, timestampType } = record;
  const line = {
    topic,
    partition,
    offset,
    timestamp,
    timestampType,
    ...jsonData('key', record.key),
    ...jsonData('value', record.value),
    headers: record.headers.map((header) => ({ key: header.key, ...jsonData('value', header.value) })),
  };
  return `${JSON.stringify(line)}\n`;
};

function bigEndian(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}
