/**
 * Tagged fields that no schema of ours knows are kept with the struct that has them, under this symbol, and sent on after our own. They
 * stay as they came: many of them cost no more than their bytes.
 */
export const UNKNOWN_TAGS: unique symbol = Symbol('unknown tagged fields');

export interface UnknownTags {
  readonly count: number;
  /** One after another, each with its tag and its size before it. */
  readonly bytes: Uint8Array;
}
