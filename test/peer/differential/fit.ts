import type { Message } from '../../../src/protocol/schema.ts';
import { type PlannedField, planMessage, type StructPlan } from '../../../src/protocol/schema-plan.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A request for any version as one for this version: without the fields that it lacks, and without null where it has none. */
export const fitToVersion = (message: Message, version: number, values: Values): Values =>
  fitStruct(planMessage(message, version), values);

function fitStruct(plan: StructPlan, values: Values): Values {
  const fitted = plan.fields
    .filter(({ name, presence }) => presence !== 'absent' && values[name] !== undefined)
    .map((field): [string, unknown] => [field.name, fitField(field, values[field.name])]);
  return Object.fromEntries(fitted);
}

function fitField(field: PlannedField, value: unknown): unknown {
  if (value === null) return field.nullable ? null : (EMPTY[field.kind] ?? null);
  if (field.struct === null) return value;
  const { struct } = field;
  if (field.kind === 'array') return (value as readonly Values[]).map((element) => fitStruct(struct, element));
  return fitStruct(struct, value as Values);
}

const EMPTY: Partial<Record<PlannedField['kind'], unknown>> = { string: '', array: [] };

/** The same request with every value of a named field changed. */
export function mapFields(values: unknown, change: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(values)) return values.map((element) => mapFields(element, change));
  if (typeof values !== 'object' || values === null || values instanceof Uint8Array) return values;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const changed = change(name, value);
      return [name, changed === value ? mapFields(value, change) : changed];
    }),
  );
}
