import type { Part } from '../base/disk.ts';
import { type Versions, versionRange } from './versions.ts';

/**
 * The language in which every message and record of the protocol is said once. A schema is a plain object; declaration order is wire
 * order. Its TypeScript types are inferred, its codecs are compiled from it at first use, and one type stands for all versions: on
 * decoding, a field of another version gets its default; on encoding it is left out.
 *
 * Values: int64 is a `number` (see NO_LIMIT), a hash64 a `bigint`, a uuid is 22 characters of base64url, bytes and records are views of the decoded buffer.
 * A default that is not declared is zero, false, empty, or, of a struct, a struct of defaults; never null.
 */

/**
 * 2^63 − 1, with which Kafka says "no limit". The nearest number is 2^63: decoders give this value for exactly those bytes and encoders
 * write exactly those bytes for it. Other integers beyond 2^53 are refused both ways.
 */
export const NO_LIMIT: number = 2 ** 63;

interface Decoded {
  boolean: boolean;
  int8: number;
  int16: number;
  uint16: number;
  int32: number;
  uint32: number;
  int64: number;
  hash64: bigint;
  float64: number;
  uuid: string;
  string: string;
  bytes: Buffer;
  records: Buffer;
}

interface Encodable extends Omit<Decoded, 'bytes' | 'records'> {
  bytes: Uint8Array;
  /** Parts are sent as they are: a FileRegion goes from the file to the socket. */
  records: Uint8Array | readonly Part[];
}

export type ScalarKind = keyof Decoded;

export interface FieldOptions {
  /** Versions that have the field; all versions of the message if absent. */
  readonly versions?: Versions;
  /** Versions in which it may be null. The TypeScript type then always allows null. */
  readonly nullable?: Versions;
  /** Versions that have it as a tagged field. A tagged field at its default is not sent. */
  readonly tagged?: Versions;
  readonly tag?: number;
  /** May be dropped silently when a version without it is written; otherwise a value that is not the default is an error there. */
  readonly ignorable?: true;
  /** Makes the field optional when a message is built. */
  readonly default?: unknown;
  /** Part of the key by which the entries of the enclosing array differ. */
  readonly mapKey?: true;
  /**
   * Of an int64: one beyond 2^53 is not refused but read and written as the nearest number, because anybody may set it and it only has to be compared: a
   * time in nanoseconds, an offset beyond every end.
   */
  readonly nearest?: true;
  /** The field never takes the compact encoding. */
  readonly flexible?: 'none';
}

type ScalarOptions<K extends ScalarKind> = FieldOptions & { readonly default?: Decoded[K] | null };
type StructOptions = FieldOptions & { readonly default?: null };
type ArrayOptions = FieldOptions & { readonly default?: null | readonly [] };
/** What a field without options has: none of them. */
export interface NoOptions {
  readonly versions?: never;
}

/** T is what decoding gives, I what encoding takes. Both exist for the compiler only. */
export interface Field<T = unknown, I = unknown, O extends FieldOptions = FieldOptions> {
  readonly kind: ScalarKind | 'struct' | 'array';
  readonly options: O;
  /** Of a struct. */
  readonly fields?: Fields;
  /** Of an array. */
  readonly element?: Field;
  readonly decoded?: T;
  readonly encodable?: I;
}

export interface Fields {
  readonly [name: string]: Field;
}

type DecodedOf<F> = F extends Field<infer T> ? T : never;
type EncodableOf<F> = F extends Field<unknown, infer I> ? I : never;
type OptionsOf<F> = F extends Field<unknown, unknown, infer O> ? O : never;

type OptionalNames<F extends Fields> = {
  [K in keyof F]: OptionsOf<F[K]> extends { readonly default: unknown } | { readonly tagged: Versions } ? K : never;
}[keyof F];

/** What decoding a struct gives: every field. */
export type Struct<F extends Fields> = { -readonly [K in keyof F]: DecodedOf<F[K]> };

/** What encoding a struct takes: fields with a default, and tagged ones, may be left out. */
export type StructInput<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalNames<F>>]: EncodableOf<F[K]>;
} & { readonly [K in OptionalNames<F>]?: EncodableOf<F[K]> | undefined };

type NullIf<O> = O extends { readonly nullable: Versions } ? null : never;

const scalar =
  <K extends ScalarKind>(kind: K) =>
  <const O extends ScalarOptions<K> = NoOptions>(options?: O): Field<Decoded[K] | NullIf<O>, Encodable[K] | NullIf<O>, O> => ({
    kind,
    options: options ?? ({} as O),
  });

export const boolean = scalar('boolean');
export const int8 = scalar('int8');
export const int16 = scalar('int16');
export const uint16 = scalar('uint16');
export const int32 = scalar('int32');
export const uint32 = scalar('uint32');
export const int64 = scalar('int64');
/** An int64 of which every bit counts and no arithmetic is done: a hash. */
export const hash64 = scalar('hash64');
export const float64 = scalar('float64');
export const uuid = scalar('uuid');
export const string = scalar('string');
export const bytes = scalar('bytes');
export const records = scalar('records');

export const struct = <const F extends Fields, const O extends StructOptions = NoOptions>(
  fields: F,
  options?: O,
): Field<Struct<F> | NullIf<O>, StructInput<F> | NullIf<O>, O> => ({ kind: 'struct', fields, options: options ?? ({} as O) });

type ElementOf<E> = E extends Field ? DecodedOf<E> : E extends Fields ? Struct<E> : never;
type ElementInput<E> = E extends Field ? EncodableOf<E> : E extends Fields ? StructInput<E> : never;

/** An array of scalars, `array(int32())`, or of structs, given by their fields. */
export const array = <const E extends Field | Fields, const O extends ArrayOptions = NoOptions>(
  element: E,
  options?: O,
): Field<ElementOf<E>[] | NullIf<O>, readonly ElementInput<E>[] | NullIf<O>, O> => ({
  kind: 'array',
  element: isField(element) ? element : { kind: 'struct', fields: element, options: {} },
  options: options ?? ({} as O),
});

const isField = (element: Field | Fields): element is Field => typeof element.kind === 'string';

/** One direction of an API, a header, or a record's key or value. */
export interface Message<F extends Fields = Fields> {
  readonly name: string;
  /** The number of a record type among its kin. */
  readonly key?: number;
  readonly versions: Versions;
  readonly flexible: Versions | 'none';
  readonly fields: F;
  /** Whether a version without a field that is not ignorable drops its value silently. */
  readonly lenient?: boolean;
}

/** What decoding a message gives. */
export type Infer<M> = M extends Message<infer F> ? Struct<F> : never;
/** What encoding a message takes. */
export type Input<M> = M extends Message<infer F> ? StructInput<F> : never;

export const message = <const F extends Fields>(definition: Message<F>): Message<F> => definition;

export type ListenerKind = 'broker' | 'controller';

interface ApiDefinition<Q extends Fields, R extends Fields> {
  readonly key: number;
  readonly name: string;
  readonly versions: Versions;
  readonly flexible: Versions | 'none';
  /** Kinds of listeners that serve it. */
  readonly listeners: readonly ListenerKind[];
  /** Only brokers and controllers may call it: it needs CLUSTER_ACTION. */
  readonly clusterAction?: true;
  /** A broker passes it to the active controller in an Envelope. */
  readonly forwardable?: true;
  /** Versions that exist but are not offered unless unstable versions are enabled. */
  readonly unstable?: Versions;
  readonly request: Q;
  readonly response: R;
}

export interface Api<Q extends Fields = Fields, R extends Fields = Fields>
  extends Omit<ApiDefinition<Q, R>, 'request' | 'response'> {
  readonly minVersion: number;
  readonly maxVersion: number;
  readonly request: Message<Q>;
  readonly response: Message<R>;
}

export type RequestOf<A> = A extends { readonly request: infer M } ? Infer<M> : never;
export type ResponseOf<A> = A extends { readonly response: infer M } ? Infer<M> : never;
export type RequestInput<A> = A extends { readonly request: infer M } ? Input<M> : never;
export type ResponseInput<A> = A extends { readonly response: infer M } ? Input<M> : never;

export const api = <const Q extends Fields, const R extends Fields>(definition: ApiDefinition<Q, R>): Api<Q, R> => {
  const { key, name, versions, flexible } = definition;
  const { min, max } = versionRange(versions);
  return {
    ...definition,
    minVersion: min,
    maxVersion: max,
    request: { name: `${name}Request`, key, versions, flexible, fields: definition.request },
    response: { name: `${name}Response`, key, versions, flexible, fields: definition.response, lenient: true },
  };
};
