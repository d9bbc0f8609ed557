import { ZERO_UUID } from '../base/uuid.ts';
import type { PlannedField } from './schema-plan.ts';
import { UNKNOWN_TAGS } from './unknown-tags.ts';

/** The value of a field that neither the bytes nor the caller has. */
export function defaultValue({ kind, options, struct }: PlannedField): unknown {
  if (options.default !== undefined) return options.default;
  if (kind === 'struct') return Object.fromEntries((struct?.fields ?? []).map((field) => [field.name, defaultValue(field)]));
  return EMPTY_VALUES[kind]?.() ?? 0;
}

const EMPTY_VALUES: Partial<Record<PlannedField['kind'], () => unknown>> = {
  array: () => [],
  boolean: () => false,
  string: () => '',
  uuid: () => ZERO_UUID,
  hash64: () => 0n,
  bytes: () => Buffer.alloc(0),
  records: () => Buffer.alloc(0),
};

/** Whether a value, which may be undefined, is the default of the field. */
export function isDefaultValue(field: PlannedField, value: unknown): boolean {
  const { kind, options, struct } = field;
  if (value === undefined) return true;
  if (options.default === null || value === null) return value === options.default;
  if (kind === 'array' || kind === 'bytes' || kind === 'records') return (value as { readonly length: number }).length === 0;
  if (kind !== 'struct') return value === defaultValue(field);
  const values = value as Readonly<Record<string | symbol, unknown>>;
  if (values[UNKNOWN_TAGS] !== undefined) return false;
  return (struct?.fields ?? []).every((inner) => isDefaultValue(inner, values[inner.name]));
}
