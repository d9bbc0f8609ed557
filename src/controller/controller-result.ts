import type { MetadataRecord } from '../metadata/metadata-record.ts';

/** What a control decided: the records to append and the answer to give once they are committed. */
export interface ControllerResult<T> {
  readonly records: readonly MetadataRecord[];
  readonly response: T;
  /** All records in one batch or none; others may be cut into several. */
  readonly isAtomic?: boolean;
}

/** One request makes at most this many records: they must fit into one batch. */
export const MAX_RECORDS_PER_OPERATION = 10_000;
