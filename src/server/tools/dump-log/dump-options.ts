import type { RecordContents } from './record-contents.ts';

/** What kafka-dump-log can be told; the same words. */
export interface DumpOptions {
  /** Prints keys and values with these decoders. */
  readonly contents: RecordContents | null;
  /** Prints records, not only batches. */
  readonly deepIteration: boolean;
  readonly skipRecordMetadata: boolean;
  readonly indexSanityCheck: boolean;
  readonly verifyIndexOnly: boolean;
  /** Only so many bytes from the start of a log. */
  readonly maxBytes: number;
  /** The largest batch to expect where an index entry points. */
  readonly maxMessageSize: number;
}

export const NO_BYTE_LIMIT = 2_147_483_647;
export const DEFAULT_MAX_MESSAGE_SIZE = 5 * 1024 * 1024;

/** The first offset of a segment, which is the name of its files; null if the name is none. */
export function baseOffsetOf(path: string): number | null {
  const [digits = ''] = fileName(path).split('.');
  return /^\d{1,20}$/.test(digits) ? Number(digits) : null;
}

export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The file of the same segment with another suffix. */
export const siblingOf = (path: string, suffix: string): string => path.slice(0, path.lastIndexOf('.')) + suffix;
