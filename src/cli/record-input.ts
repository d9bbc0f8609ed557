import type { RecordHeaderInput } from '../client/producer-record.ts';
import { CliError } from './cli-error.ts';

/** What a line of input says about a record; the topic comes from the command line. */
export interface InputRecord {
  readonly key?: Uint8Array | string | null;
  readonly value: Uint8Array | string | null;
  readonly partition?: number;
  readonly timestamp?: number;
  readonly headers?: readonly RecordHeaderInput[];
}

export interface LineFormat {
  /** Between key and value; null if lines are values. */
  readonly keySeparator: Buffer | null;
  /** Text that stands for no value (a tombstone) or no key. */
  readonly nullMarker: Buffer | null;
}

/** A line as a value, or as key, separator and value. */
export function recordOfLine(line: Buffer, { keySeparator, nullMarker }: LineFormat, lineNumber: number): InputRecord {
  const orNull = (bytes: Buffer): Buffer | null => (nullMarker !== null && bytes.equals(nullMarker) ? null : bytes);
  if (keySeparator === null) return { value: orNull(line) };
  const at = line.indexOf(keySeparator);
  if (at < 0) {
    const shown = line.length > 60 ? `${line.toString('utf8', 0, 60)}…` : line.toString('utf8');
    throw new CliError(`Line ${lineNumber} has no key separator "${keySeparator.toString()}": ${shown}`, {
      remedy: 'Give every line as KEY SEPARATOR VALUE, or leave --key-separator out.',
    });
  }
  return { key: orNull(line.subarray(0, at)), value: orNull(line.subarray(at + keySeparator.length)) };
}

const FIELDS = new Set([
  'key',
  'value',
  'partition',
  'timestamp',
  'headers',
  'topic',
  'offset',
  'timestampType',
  'keyBase64',
  'valueBase64',
]);

/**
 * A JSON object with `value` and perhaps `key`, `headers`, `partition`, `timestamp`: what `ottla consume --json` prints.
 * Strings are sent as they are, other values as JSON; `keyBase64` and `valueBase64` are bytes.
 */
export function recordOfJson(line: Buffer, lineNumber: number): InputRecord {
  const fail = (reason: string): CliError =>
    new CliError(`Line ${lineNumber} is not a record: ${reason}`, {
      remedy: 'A record is an object such as {"key":"k","value":"v","headers":{"trace":"abc"},"partition":0}.',
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(line.toString('utf8'));
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error));
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw fail('it is no JSON object');
  const fields = new Map<string, unknown>(Object.entries(parsed));
  for (const name of fields.keys()) if (!FIELDS.has(name)) throw fail(`it has no field "${name}"`);
  const partition = fields.get('partition');
  const timestamp = fields.get('timestamp');
  if (partition !== undefined && !Number.isSafeInteger(partition)) throw fail('its partition is no whole number');
  if (timestamp !== undefined && !Number.isSafeInteger(timestamp)) throw fail('its timestamp is no whole number of milliseconds');
  return {
    key: dataOf(fields.get('key'), fields.get('keyBase64')),
    value: dataOf(fields.get('value'), fields.get('valueBase64')),
    headers: headersOf(fields.get('headers')),
    ...(typeof partition === 'number' ? { partition } : {}),
    ...(typeof timestamp === 'number' ? { timestamp } : {}),
  };
}

function dataOf(value: unknown, base64: unknown): Uint8Array | string | null {
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `{"a":"1"}` or `[{"key":"a","value":"1"}]`, which may repeat a name. */
function headersOf(headers: unknown): RecordHeaderInput[] {
  if (typeof headers !== 'object' || headers === null) return [];
  if (!Array.isArray(headers)) return Object.entries(headers).map(([key, value]) => ({ key, value: dataOf(value, undefined) }));
  return headers.map((header: { key?: unknown; value?: unknown; valueBase64?: unknown }) => ({
    key: typeof header.key === 'string' ? header.key : '',
    value: dataOf(header.value, header.valueBase64),
  }));
}
