import type { Field, FieldOptions, Fields, Message } from './schema.ts';
import { includesVersion, type Versions } from './versions.ts';

/** One field as one version has it. */
export interface PlannedField {
  readonly name: string;
  readonly kind: Field['kind'];
  readonly options: FieldOptions;
  readonly presence: 'plain' | 'tagged' | 'absent';
  readonly tag: number;
  readonly nullable: boolean;
  /** Whether lengths take the compact form. */
  readonly compact: boolean;
  /** Of a struct, or of the structs of an array. */
  readonly struct: StructPlan | null;
  /** Of an array of scalars. */
  readonly elementKind: Field['kind'] | null;
}

/** One struct as one version has it; fields in wire order, tagged ones by tag. */
export interface StructPlan {
  readonly fields: readonly PlannedField[];
  readonly plain: readonly PlannedField[];
  readonly tagged: readonly PlannedField[];
  readonly flexible: boolean;
  /** No encoding is shorter. */
  readonly bytesMin: number;
}

const FIXED_BYTES = {
  boolean: 1,
  int8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  hash64: 8,
  float64: 8,
  uuid: 16,
} as const;

const plans = new WeakMap<Message, Map<number, StructPlan>>();

/** The plan of a version, made once. */
export function planMessage(message: Message, version: number): StructPlan {
  const ofMessage = plans.get(message) ?? new Map<number, StructPlan>();
  plans.set(message, ofMessage);
  const plan = ofMessage.get(version) ?? planStruct(message.fields, version, includesVersion(message.flexible, version));
  ofMessage.set(version, plan);
  return plan;
}

function planStruct(fields: Fields, version: number, flexible: boolean): StructPlan {
  const planned = Object.entries(fields).map(([name, field]) => planField(name, field, version, flexible));
  const plain = planned.filter((field) => field.presence === 'plain');
  const tagged = planned.filter((field) => field.presence === 'tagged').sort((a, b) => a.tag - b.tag);
  const bytesMin = plain.reduce((sum, field) => sum + fieldBytesMin(field), flexible ? 1 : 0);
  return { fields: planned, plain, tagged, flexible, bytesMin };
}

function planField(name: string, field: Field, version: number, flexible: boolean): PlannedField {
  const { options, kind, element } = field;
  const isIn = (versions: Versions | undefined) => versions !== undefined && includesVersion(versions, version);
  const isPlain = options.tagged === undefined && (options.versions === undefined || isIn(options.versions));
  const fields = kind === 'array' ? element?.fields : field.fields;
  return {
    name,
    kind,
    options,
    presence: isIn(options.tagged) ? 'tagged' : isPlain ? 'plain' : 'absent',
    tag: options.tag ?? -1,
    nullable: isIn(options.nullable),
    compact: flexible && options.flexible !== 'none',
    struct: fields === undefined ? null : planStruct(fields, version, flexible),
    elementKind: kind === 'array' && element?.fields === undefined ? (element?.kind ?? null) : null,
  };
}

function fieldBytesMin({ kind, compact, nullable, struct }: PlannedField): number {
  if (kind in FIXED_BYTES) return FIXED_BYTES[kind as keyof typeof FIXED_BYTES];
  if (kind === 'struct') return nullable ? 1 : (struct?.bytesMin ?? 0);
  if (compact) return 1;
  return kind === 'string' ? 2 : 4;
}

/** The least size of one element of an array. */
export function elementBytesMin({ elementKind, struct, compact }: PlannedField): number {
  if (struct !== null) return struct.bytesMin;
  if (elementKind !== null && elementKind in FIXED_BYTES) return FIXED_BYTES[elementKind as keyof typeof FIXED_BYTES];
  return compact ? 1 : elementKind === 'string' ? 2 : 4;
}
