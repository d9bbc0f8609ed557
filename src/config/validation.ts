import { type ConfigValue, formatDouble, formatValue, invalidValue } from './config-value.ts';
import type { ConfigSpec } from './define-configs.ts';
import { parseDuration } from './iso-duration.ts';

/** Gives what is wrong with a value, in Kafka's words, or null. A null value stands for "not set" and passes. */
export function checkValue(name: string, spec: ConfigSpec, value: ConfigValue): string | null {
  if (value === null) return null;
  if (spec.type === 'PASSWORD') return null;
  return rangeFault(name, spec, value) ?? choiceFault(name, spec, value) ?? spec.validate?.(value, name) ?? null;
}

function rangeFault(name: string, { type, min, max }: ConfigSpec, value: ConfigValue): string | null {
  if (typeof value !== 'number') return null;
  const shown = formatValue(value, type) ?? '';
  if (min !== undefined && value < min) return invalidValue(name, shown, `Value must be at least ${min}`);
  if (max !== undefined && value > max) {
    return invalidValue(name, shown, `Value must be no more than ${Number.isInteger(max) ? max : formatDouble(max)}`);
  }
  return null;
}

function choiceFault(name: string, spec: ConfigSpec, value: ConfigValue): string | null {
  if (typeof value === 'string') return stringFault(name, spec, value);
  return Array.isArray(value) && spec.anyEntries !== true ? listFault(name, spec, value) : null;
}

function stringFault(name: string, { allowed, ignoreCase, notEmpty }: ConfigSpec, value: string): string | null {
  if (notEmpty === true && value === '') return invalidValue(name, value, 'String must be non-empty');
  if (allowed === undefined) return null;
  if (ignoreCase === true) {
    if (allowed.some((each) => each.toUpperCase() === value.toUpperCase())) return null;
    return invalidValue(name, value, `String must be one of (case insensitive): ${allowed.join(', ')}`);
  }
  return allowed.includes(value) ? null : invalidValue(name, value, `String must be one of: ${allowed.join(', ')}`);
}

function listFault(name: string, { allowed, notEmpty }: ConfigSpec, entries: readonly string[]): string | null {
  if (notEmpty === true && entries.length === 0) {
    const choices = allowed === undefined ? 'any non-empty value' : `[${allowed.join(', ')}]`;
    return `Configuration '${name}' must not be empty. Valid values include: ${choices}`;
  }
  if (new Set(entries).size !== entries.length) return `Configuration '${name}' values must not be duplicated.`;
  for (const entry of entries) {
    if (entry === '') return `Configuration '${name}' values must not be empty.`;
    if (allowed !== undefined && !allowed.includes(entry)) {
      return invalidValue(name, entry, `String must be one of: ${allowed.join(', ')}`);
    }
  }
  return null;
}

/** The topic configs that name replicas to throttle. */
export function throttledReplicasFault(value: readonly string[], name: string): string | null {
  if (value.length === 1 && value[0] === '*') return null;
  if (value.every((entry) => /^(\d+:\d+)?$/.test(entry.trim()))) return null;
  const format = '[partitionId]:[brokerId],[partitionId]:[brokerId],...';
  return invalidValue(
    name,
    `[${value.join(', ')}]`,
    `${name} must be the literal '*' or a list of replicas in the following format: ${format}`,
  );
}

/** The default of gzip, or one of its nine levels. */
export const gzipLevelFault = (value: number, name: string): string | null =>
  value === -1 || (value >= 1 && value <= 9)
    ? null
    : invalidValue(name, String(value), 'Value must be between 1 and 9 or equal to -1');

/** `earliest`, `latest` or a distance back in time as ISO 8601 writes it. */
export function offsetResetFault(value: string, name: string): string | null {
  if (value === 'earliest' || value === 'latest') return null;
  const duration = value.startsWith('by_duration:') ? parseDuration(value.slice('by_duration:'.length)) : null;
  if (duration !== null && duration >= 0) return null;
  const reason = `The value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'.`;
  return invalidValue(name, value, `Invalid value \`${value}\` for configuration ${name}. ${reason}`);
}
