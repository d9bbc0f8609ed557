import { ZERO_UUID } from '../base/uuid.ts';
import { NO_LIMIT } from './schema.ts';
import type { PlannedField } from './schema-plan.ts';

const EMPTY_VALUES: Partial<Record<PlannedField['kind'], string>> = {
  array: '[]',
  boolean: 'false',
  string: "''",
  uuid: `'${ZERO_UUID}'`,
  hash64: '0n',
  bytes: 'EMPTY_BYTES',
  records: 'EMPTY_BYTES',
};

/** The source text of a field's default value; compiled code may name EMPTY_BYTES. */
export function defaultSource({ kind, options, struct }: PlannedField): string {
  const declared = options.default;
  if (declared === NO_LIMIT) return '2 ** 63';
  if (declared !== undefined) return JSON.stringify(declared);
  if (kind === 'struct')
    return `{ ${(struct?.fields ?? []).map((field) => `${field.name}: ${defaultSource(field)}`).join(', ')} }`;
  return EMPTY_VALUES[kind] ?? '0';
}

/** The source text of a condition: whether the value named `name`, which may be undefined, is the default of the field. */
export function isDefaultSource(field: PlannedField, name: string): string {
  const { kind, options, struct } = field;
  if (options.default === undefined && kind === 'struct') {
    const inner = (struct?.fields ?? []).map((each) => `(${isDefaultSource(each, `${name}.${each.name}`)})`);
    return `${name} === undefined || (${name} !== null && ${name}[UNKNOWN_TAGS] === undefined && ${inner.join(' && ')})`;
  }
  const isEmptyList = options.default !== null && (kind === 'array' || kind === 'bytes' || kind === 'records');
  const test = isEmptyList ? `(${name} !== null && ${name}.length === 0)` : `${name} === ${defaultSource(field)}`;
  return `${name} === undefined || ${test}`;
}
