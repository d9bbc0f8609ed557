import type { Millis } from '../../../base/clock.ts';

/** The topics that a regular expression matched. */
export interface ResolvedRegularExpression {
  readonly topics: ReadonlySet<string>;
  /** The offset of the metadata in which they were looked up. */
  readonly version: number;
  readonly timestamp: Millis;
}
