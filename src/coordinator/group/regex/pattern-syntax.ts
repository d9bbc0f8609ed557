import type { AsciiSet } from './ascii-set.ts';

/** What has to hold between two characters. */
export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-boundary' | 'no-word-boundary';

/** A regular expression as far as it decides whether a whole text matches: groups, greediness and captures have no part in that. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: AsciiSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly items: readonly PatternNode[] }
  /** `max` is infinite where there is no upper limit. */
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number };

/** Why a text is no pattern, in RE2/J's words. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}
