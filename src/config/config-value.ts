import { unreachable } from '../base/assert.ts';
import { KafkaError } from '../protocol/errors.ts';
import { NO_LIMIT } from '../protocol/schema.ts';

/** Kafka's types of configs, by the names that DescribeConfigs and the documentation use. */
export type ConfigType = 'BOOLEAN' | 'STRING' | 'INT' | 'SHORT' | 'LONG' | 'DOUBLE' | 'LIST' | 'CLASS' | 'PASSWORD';

export type ConfigValue = boolean | string | number | readonly string[] | null;

const WHOLE_NUMBER = /^[+-]?\d+$/;
const DECIMAL_NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?[fd]?$/i;

const BITS = { INT: 32n, SHORT: 16n, LONG: 64n } as const;

/** Kafka's ConfigException: what a client, or whoever starts the node, is told about a value. */
export const invalidConfig = (message: string): KafkaError => new KafkaError('INVALID_CONFIG', message);

export const invalidValue = (name: string, value: string, reason: string): string =>
  `Invalid value ${value} for configuration ${name}: ${reason}`;

/** Reads the text of a config as its type. Blanks around it do not count. Throws INVALID_CONFIG. */
export function parseValue(name: string, text: string, type: ConfigType): ConfigValue {
  const trimmed = text.trim();
  switch (type) {
    case 'INT':
    case 'SHORT':
    case 'LONG':
      return wholeNumber(name, text, type);
    case 'DOUBLE':
      return decimalNumber(name, text);
    case 'BOOLEAN':
      return trueOrFalse(name, text);
    case 'LIST':
      return trimmed === '' ? [] : listEntries(trimmed);
    case 'CLASS':
      if (trimmed === '') throw invalidConfig(invalidValue(name, trimmed, `Class ${trimmed} could not be found.`));
      return trimmed;
    case 'STRING':
    case 'PASSWORD':
      return trimmed;
    default:
      return unreachable(type);
  }
}

/** What stands between commas, without the spaces around it. Not by a pattern, which takes a square of the time for a long run of spaces. */
export const listEntries = (text: string): string[] => text.split(',').map((entry) => entry.trim());

function trueOrFalse(name: string, text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word === 'true') return true;
  if (word === 'false') return false;
  throw invalidConfig(invalidValue(name, text, 'Expected value to be either true or false'));
}

function wholeNumber(name: string, text: string, type: keyof typeof BITS): number {
  const exact = exactWholeNumber(text, type);
  if (exact === null) throw invalidConfig(invalidValue(name, text, `Not a number of type ${type}`));
  return Number(exact);
}

function exactWholeNumber(text: string, type: keyof typeof BITS): bigint | null {
  const trimmed = text.trim();
  if (!WHOLE_NUMBER.test(trimmed)) return null;
  const value = BigInt(trimmed.startsWith('+') ? trimmed.slice(1) : trimmed);
  return BigInt.asIntN(Number(BITS[type]), value) === value ? value : null;
}

function decimalNumber(name: string, text: string): number {
  const trimmed = text.trim();
  const special = /^[+-]?(NaN|Infinity)$/.test(trimmed);
  if (!special && !DECIMAL_NUMBER.test(trimmed)) throw invalidConfig(invalidValue(name, text, 'Not a number of type DOUBLE'));
  return special ? Number(trimmed.replace(/[+-]NaN/, 'NaN')) : Number(trimmed.replace(/[fd]$/i, ''));
}

/** The text that Kafka gives back for a value that it has read, for example `7` for ` +07 `. Long integers stay exact. */
export function canonicalText(text: string, type: ConfigType): string {
  if (type === 'LONG') return String(exactWholeNumber(text, type));
  return formatValue(parseValue('', text, type), type) ?? '';
}

/** A value as Kafka writes it; null stays null. */
export function formatValue(value: ConfigValue, type: ConfigType): string | null {
  if (value === null) return null;
  if (typeof value === 'number') return type === 'DOUBLE' ? formatDouble(value) : formatWholeNumber(value);
  return typeof value === 'object' ? value.join(',') : String(value);
}

const formatWholeNumber = (value: number): string => (value === NO_LIMIT ? '9223372036854775807' : String(BigInt(value)));

/** As Java writes a double: at least one digit after the point, powers of ten outside of 0.001 to 10,000,000. */
export function formatDouble(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isFinite(value) || value === 0) return value === 0 ? '0.0' : String(value);
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}
