import * as fc from 'fast-check';
import { type Message, NO_LIMIT } from '../../src/protocol/schema.ts';
import { defaultValue } from '../../src/protocol/schema-defaults.ts';
import { type PlannedField, planMessage, type StructPlan } from '../../src/protocol/schema-plan.ts';

type Kind = PlannedField['kind'];

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));

const SCALARS: Partial<Record<Kind, fc.Arbitrary<unknown>>> = {
  boolean: fc.boolean(),
  int8: fc.integer({ min: -0x80, max: 0x7f }),
  int16: fc.integer({ min: -0x8000, max: 0x7fff }),
  uint16: fc.integer({ min: 0, max: 0xffff }),
  int32: fc.integer(),
  uint32: fc.integer({ min: 0, max: 0xffff_ffff }),
  int64: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -1, NO_LIMIT, 2 ** 31, 2 ** 32, -(2 ** 32))),
  hash64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float64: fc.double(),
  uuid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((array) => Buffer.from(array).toString('base64url')),
  string: fc.string({ unit: 'grapheme', maxLength: 150 }).filter((text) => text.isWellFormed()),
  bytes,
  records: bytes,
};

function arbitraryOf(kind: Kind): fc.Arbitrary<unknown> {
  const arbitrary = SCALARS[kind];
  if (arbitrary === undefined) throw new Error(`${kind} is no scalar`);
  return arbitrary;
}

function arbitraryField(field: PlannedField): fc.Arbitrary<unknown> {
  if (field.presence === 'absent') return fc.constant(defaultValue(field));
  const { struct, kind, elementKind } = field;
  const element = struct === null ? arbitraryOf(elementKind ?? kind) : arbitraryStruct(struct);
  const value = kind === 'array' ? fc.array(element, { maxLength: 4 }) : element;
  return field.nullable ? fc.option(value, { freq: 4 }) : value;
}

function arbitraryStruct(plan: StructPlan): fc.Arbitrary<unknown> {
  return fc.record(Object.fromEntries(plan.fields.map((field) => [field.name, arbitraryField(field)])), {
    noNullPrototype: true,
  });
}

/** Messages as decoding gives them: every field is there, those of other versions at their default. */
export const arbitraryMessage = (message: Message, version: number): fc.Arbitrary<unknown> =>
  arbitraryStruct(planMessage(message, version));
