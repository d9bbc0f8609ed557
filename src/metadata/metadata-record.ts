import { ZERO_UUID } from '../base/uuid.ts';
import type { Field, Infer, Input } from '../protocol/schema.ts';
import { metadataRecords } from './records/index.ts';

type Schemas = typeof metadataRecords;

/** Values as they are kept: nothing in them changes. */
type Frozen<T> = T extends Uint8Array
  ? Uint8Array
  : T extends readonly (infer E)[]
    ? readonly Frozen<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Frozen<T[K]> }
      : T;

export type MetadataRecordType = keyof Schemas;

/** What each kind of metadata record holds: every field present. */
export type MetadataRecordValues = { readonly [T in MetadataRecordType]: Frozen<Infer<Schemas[T]>> };

/** What it takes to make one: fields with a default, and tagged ones, may be left out. */
export type MetadataRecordInputs = { readonly [T in MetadataRecordType]: Input<Schemas[T]> };

/** One record of the metadata log: its kind, the version of the schema it is written with, and its fields. */
export interface MetadataRecordOf<T extends MetadataRecordType> {
  readonly type: T;
  readonly version: number;
  readonly value: MetadataRecordValues[T];
}

export type MetadataRecord = { [T in MetadataRecordType]: MetadataRecordOf<T> }[MetadataRecordType];

/** A record from its parts; what the input leaves out gets its default, as if the record had been written and read again. */
export function metadataRecord<T extends MetadataRecordType>(
  type: T,
  version: number,
  input: MetadataRecordInputs[T],
): MetadataRecordOf<T> {
  return { type, version, value: { ...defaultsOf(type), ...input } as MetadataRecordValues[T] };
}

const defaultsByType = new Map<MetadataRecordType, Readonly<Record<string, unknown>>>();

function defaultsOf(type: MetadataRecordType): Readonly<Record<string, unknown>> {
  let defaults = defaultsByType.get(type);
  if (defaults === undefined) {
    const fields: readonly (readonly [string, Field])[] = Object.entries(metadataRecords[type].fields);
    defaults = Object.fromEntries(fields.map(([name, field]) => [name, defaultOf(field)]));
    defaultsByType.set(type, defaults);
  }
  return defaults;
}

function defaultOf({ kind, options }: Field): unknown {
  if (options.default !== undefined) return options.default;
  switch (kind) {
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'string':
      return '';
    case 'uuid':
      return ZERO_UUID;
    case 'bytes':
    case 'records':
      return new Uint8Array(0);
    default:
      return 0;
  }
}
