import { NO_LIMIT, type Message } from './schema.ts';
import { type PlannedField, planMessage, type StructPlan } from './schema-plan.ts';

type Kind = PlannedField['kind'];

const INTEGER_LIMITS: Partial<Record<Kind, readonly [min: number, max: number]>> = {
  int8: [-0x80, 0x7f],
  int16: [-0x8000, 0x7fff],
  uint16: [0, 0xffff],
  int32: [-0x8000_0000, 0x7fff_ffff],
  uint32: [0, 0xffff_ffff],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** Where a value does not fit its schema, as `topics[2].name: null is not a string`; null if no such place is found. Used after a failure only. */
export function explainValue(message: Message, version: number, value: unknown): string | null {
  return explainStruct(planMessage(message, version), value, '');
}

function explainStruct(plan: StructPlan, value: unknown, path: string): string | null {
  if (typeof value !== 'object' || value === null) return `${path === '' ? 'the value' : path}: ${shown(value)} is not a struct`;
  for (const field of plan.fields) {
    const inner = (value as Record<string, unknown>)[field.name];
    const found = explainField(field, inner, path === '' ? field.name : `${path}.${field.name}`);
    if (found !== null) return found;
  }
  return null;
}

function explainField(field: PlannedField, value: unknown, path: string): string | null {
  if (field.presence === 'absent') return null;
  if (value === undefined && (field.options.default !== undefined || field.presence === 'tagged')) return null;
  if (value === null && field.nullable) return null;
  if (field.kind === 'array') return explainArray(field, value, path);
  if (field.struct !== null) return explainStruct(field.struct, value, path);
  if (field.options.nearest === true && Number.isInteger(value) && Math.abs(value as number) <= NO_LIMIT) return null;
  return explainScalar(field.kind, value, path);
}

function explainArray({ struct, elementKind }: PlannedField, value: unknown, path: string): string | null {
  if (!Array.isArray(value)) return `${path}: ${shown(value)} is not an array`;
  for (const [index, element] of value.entries()) {
    const place = `${path}[${index}]`;
    const found =
      struct === null ? explainScalar(elementKind ?? 'struct', element, place) : explainStruct(struct, element, place);
    if (found !== null) return found;
  }
  return null;
}

function explainScalar(kind: Kind, value: unknown, path: string): string | null {
  return fits(kind, value) ? null : `${path}: ${shown(value)} is not of type ${kind}`;
}

const TESTS: Partial<Record<Kind, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  hash64: (value) => typeof value === 'bigint' && value === BigInt.asIntN(64, value),
  float64: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string' && Buffer.byteLength(value) <= 0x7fff,
  uuid: (value) => typeof value === 'string' && Buffer.from(value, 'base64url').length === 16,
  bytes: (value) => value instanceof Uint8Array,
  records: (value) => value instanceof Uint8Array || Array.isArray(value),
};

function fits(kind: Kind, value: unknown): boolean {
  const limits = INTEGER_LIMITS[kind];
  if (limits === undefined) return TESTS[kind]?.(value) ?? true;
  if (kind === 'int64' && value === NO_LIMIT) return true;
  return Number.isInteger(value) && (value as number) >= limits[0] && (value as number) <= limits[1];
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
