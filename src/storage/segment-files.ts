import { joinPath } from './path.ts';

export const LOG_SUFFIX = '.log';
export const INDEX_SUFFIX = '.index';
export const TIME_INDEX_SUFFIX = '.timeindex';
export const TRANSACTION_INDEX_SUFFIX = '.txnindex';
export const SNAPSHOT_SUFFIX = '.snapshot';
export const DELETED_SUFFIX = '.deleted';
/** A cleaner's work that is not finished: dropped at start. */
export const CLEANED_SUFFIX = '.cleaned';
/** A cleaner's work that is whole and only has to take its place: finished at start. */
export const SWAP_SUFFIX = '.swap';

const OFFSET_DIGITS = 20;

/** The name, without its suffix, of a file that belongs to `offset`. */
export const fileNameOf = (offset: number, suffix: string): string => `${String(offset).padStart(OFFSET_DIGITS, '0')}${suffix}`;

export const pathOf = (directory: string, offset: number, suffix: string): string =>
  joinPath(directory, fileNameOf(offset, suffix));

/** The offset in the name of a segment file, or null if it has none. */
export function offsetOfFile(name: string): number | null {
  const match = /^(\d{20})\./.exec(name);
  if (match === null) return null;
  const offset = Number(match[1]);
  return Number.isSafeInteger(offset) ? offset : null;
}
