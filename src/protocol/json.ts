import { ProtocolError } from './protocol-error.ts';
import { type Fields, type Infer, type Input, type Message, NO_LIMIT } from './schema.ts';
import { defaultValue, isDefaultValue } from './schema-defaults.ts';
import { type PlannedField, planMessage, type StructPlan } from './schema-plan.ts';

/**
 * Messages as the JSON that Kafka's own tools print and read: the fields of the version under their names, uuids as text, bytes as base64,
 * tagged fields only where they are not at their default.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** 2^63 − 1 as text: no JSON number of this program holds it. */
const NO_LIMIT_TEXT = '9223372036854775807';
/** Starts the text of a number that is no number of this program, until the text is made. A decoded string is never a lone surrogate, and JSON escapes one. */
const NUMBER_MARK = '\ud800';
const MARKED_NUMBER = /"\\ud800([^"]*)"/g;

export interface JsonOptions {
  /** Records as base64, or as `<name>SizeInBytes` with their size, as the request log has them. */
  readonly records?: 'base64' | 'size';
}

interface Style {
  readonly records: 'base64' | 'size';
  /** What is put before the digits of such a number. */
  readonly mark: string;
  /** Whether float64 is written as Kafka's tools do: 1.0, not 1. */
  readonly javaDoubles: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/** The JSON of a message, decoded or about to be encoded. NO_LIMIT and hashes beyond 2^53 become their decimal digits as text; see `toJsonText`. */
export function toJson<F extends Fields>(
  message: Message<F>,
  version: number,
  value: Input<Message<F>>,
  options: JsonOptions = {},
): Json {
  return structToJson(planMessage(message, version), value, {
    records: options.records ?? 'base64',
    mark: '',
    javaDoubles: false,
  });
}

/** The same as text, with every number as Kafka's tools write it. */
export function toJsonText<F extends Fields>(
  message: Message<F>,
  version: number,
  value: Input<Message<F>>,
  options: JsonOptions & { readonly indent?: number } = {},
): string {
  const style = { records: options.records ?? 'base64', mark: NUMBER_MARK, javaDoubles: true };
  const json = structToJson(planMessage(message, version), value, style);
  return JSON.stringify(json, null, options.indent).replaceAll(MARKED_NUMBER, '$1');
}

function structToJson(plan: StructPlan, value: Values, style: Style): Json {
  const json: Record<string, Json> = {};
  for (const field of plan.fields) {
    if (field.presence === 'absent') continue;
    const given = value[field.name];
    if (field.presence === 'tagged' && isDefaultValue(field, given)) continue;
    const inner = given === undefined ? defaultValue(field) : given;
    if (field.kind === 'records' && style.records === 'size') json[`${field.name}SizeInBytes`] = sizeOfRecords(inner);
    else json[field.name] = fieldToJson(field, inner, style);
  }
  return json;
}

function fieldToJson(field: PlannedField, value: unknown, style: Style): Json {
  const { struct, kind, elementKind } = field;
  if (value === null) return null;
  if (kind !== 'array') return struct === null ? scalarToJson(kind, value, style) : structToJson(struct, value as Values, style);
  const elements = value as readonly unknown[];
  if (struct !== null) return elements.map((element) => structToJson(struct, element as Values, style));
  return elements.map((element) => scalarToJson(elementKind ?? 'struct', element, style));
}

function scalarToJson(kind: PlannedField['kind'], value: unknown, style: Style): Json {
  if (kind === 'bytes' || kind === 'records') return bytesOf(value).toString('base64');
  if (kind === 'int64' && value === NO_LIMIT) return style.mark + NO_LIMIT_TEXT;
  if (kind === 'hash64') return Number.isSafeInteger(Number(value)) ? Number(value) : style.mark + String(value);
  if (kind === 'float64' && style.javaDoubles && Number.isFinite(value)) return style.mark + javaDouble(value as number);
  return value as boolean | number | string;
}

/** Java's Double.toString: at least one digit after the point, and an exponent from ten million on and below a thousandth. */
function javaDouble(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e7)) {
    const text = Object.is(value, -0) ? '-0' : String(value);
    return Number.isInteger(value) ? `${text}.0` : text;
  }
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}

function bytesOf(value: unknown): Buffer {
  const chunks = value instanceof Uint8Array ? [value] : (value as readonly unknown[]);
  const inMemory = chunks.filter((chunk) => chunk instanceof Uint8Array);
  if (inMemory.length < chunks.length) throw new ProtocolError('Records in files have no JSON but their size');
  return Buffer.concat(inMemory);
}

function sizeOfRecords(value: unknown): number {
  if (value === null) return 0;
  if (value instanceof Uint8Array) return value.length;
  return (value as readonly { readonly length: number }[]).reduce((sum, part) => sum + part.length, 0);
}

/** Reads such JSON. Every field of the version must be there but tagged ones. Throws ProtocolError. */
export function fromJson<F extends Fields>(message: Message<F>, version: number, json: unknown): Infer<Message<F>> {
  return structFromJson(planMessage(message, version), json, message.name) as Infer<Message<F>>;
}

function structFromJson(plan: StructPlan, json: unknown, path: string): Values {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new ProtocolError(`${path}: not a JSON object`);
  const value: Record<string, unknown> = {};
  for (const field of plan.fields) {
    const given = (json as Values)[field.name];
    const place = `${path}.${field.name}`;
    if (field.presence !== 'absent' && given !== undefined) value[field.name] = fieldFromJson(field, given, place);
    else if (field.presence === 'plain') throw new ProtocolError(`${place}: missing`);
    else value[field.name] = defaultValue(field);
  }
  return value;
}

function fieldFromJson(field: PlannedField, json: unknown, path: string): unknown {
  const { struct, kind, nullable, elementKind } = field;
  if (json === null) {
    if (!nullable) throw new ProtocolError(`${path}: may not be null`);
    return null;
  }
  if (kind !== 'array') return struct === null ? scalarFromJson(kind, json, path) : structFromJson(struct, json, path);
  if (!Array.isArray(json)) throw new ProtocolError(`${path}: not a JSON array`);
  return json.map((element, index) => {
    const place = `${path}[${index}]`;
    return struct === null ? scalarFromJson(elementKind ?? 'struct', element, place) : structFromJson(struct, element, place);
  });
}

function scalarFromJson(kind: PlannedField['kind'], json: unknown, path: string): unknown {
  if (kind === 'bytes' || kind === 'records') {
    if (typeof json !== 'string') throw new ProtocolError(`${path}: not base64 text`);
    return Buffer.from(json, 'base64');
  }
  if (kind === 'int64' && typeof json === 'string') {
    if (json === NO_LIMIT_TEXT) return NO_LIMIT;
    throw new ProtocolError(`${path}: ${json} is beyond 2^53 and not 2^63 - 1`);
  }
  if (kind === 'hash64' && (Number.isSafeInteger(json) || (typeof json === 'string' && /^-?\d{1,19}$/.test(json)))) {
    return BigInt(json as number | string);
  }
  const wanted = kind === 'boolean' ? 'boolean' : kind === 'string' || kind === 'uuid' ? 'string' : 'number';
  if (typeof json !== wanted) throw new ProtocolError(`${path}: not a JSON ${wanted}`);
  return json;
}
