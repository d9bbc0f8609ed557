import type { Infer, Input, Message } from '../../protocol/schema.ts';

/** The kinds of records of one coordinator's log, by name: the schemas of their keys and values. */
export interface RecordSchemas {
  readonly [type: string]: { readonly key: Message; readonly value: Message };
}

/** One record: its kind, its key, and its value as the schema's `version` has it; null is a tombstone. */
export interface CoordinatorRecordOf<S extends RecordSchemas, T extends keyof S> {
  readonly type: T;
  readonly key: Infer<S[T]['key']>;
  /** Of the value's schema; without meaning for a tombstone. */
  readonly version: number;
  readonly value: Infer<S[T]['value']> | null;
}

/** Any record of a coordinator's log. `switch (record.type)` tells them apart. */
export type CoordinatorRecord<S extends RecordSchemas> = { [T in keyof S]: CoordinatorRecordOf<S, T> }[keyof S];

/** What it takes to write one: fields with a default may be left out. */
export interface CoordinatorRecordInput<S extends RecordSchemas, T extends keyof S> {
  readonly key: Input<S[T]['key']>;
  readonly version: number;
  readonly value: Input<S[T]['value']>;
}

/** A record as its log has it. */
export interface EncodedRecord {
  readonly key: Buffer;
  readonly value: Buffer | null;
}

/** How the records of a coordinator become those of its log, and are read again. */
export interface RecordSerde<Rec> {
  encode(record: Rec): EncodedRecord;
  /** Null for a kind that this release does not know: it is passed over, as its group is somebody else's. Throws ProtocolError. */
  decode(key: Uint8Array, value: Uint8Array | null): Rec | null;
}
