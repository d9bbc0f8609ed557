import type { Field, Fields } from '../protocol/schema.ts';

type Values = Readonly<Record<string, unknown>>;
type Count = (value: Values, counts: Map<number, number>) => void;

const counters = new WeakMap<Fields, Count | null>();

/** Counts the error codes that a response of these fields tells, those of its parts included, by code. */
export function countErrors(fields: Fields, response: Values): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  counterOf(fields)?.(response, counts);
  return counts;
}

/** Null for a struct that tells no error, so that its arrays are never walked. */
function counterOf(fields: Fields): Count | null {
  let counter = counters.get(fields);
  if (counter === undefined) counters.set(fields, (counter = makeCounter(fields)));
  return counter;
}

function makeCounter(fields: Fields): Count | null {
  const parts: Count[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const part = name === 'errorCode' ? countCode : counterOfField(name, field);
    if (part !== null) parts.push(part);
  }
  if (parts.length === 0) return null;
  return (value, counts) => {
    for (const part of parts) part(value, counts);
  };
}

const countCode: Count = (value, counts) => {
  const code = typeof value.errorCode === 'number' ? value.errorCode : 0;
  counts.set(code, (counts.get(code) ?? 0) + 1);
};

function counterOfField(name: string, field: Field): Count | null {
  const inner = field.fields ?? field.element?.fields;
  const count = inner === undefined ? null : counterOf(inner);
  if (count === null) return null;
  return (value, counts) => {
    const held = value[name];
    if (Array.isArray(held)) for (const element of held as Values[]) count(element, counts);
    else if (typeof held === 'object' && held !== null) count(held as Values, counts);
  };
}
