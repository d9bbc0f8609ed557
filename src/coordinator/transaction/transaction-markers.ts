import type { TransactionPartitions, TransactionVersion } from './transaction-metadata.ts';

/** The end of a transaction, to be told to every partition that took part. */
export interface TransactionEnd {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly outcome: 'commit' | 'abort';
  /** Of the coordinator: markers of an earlier one are refused. */
  readonly coordinatorEpoch: number;
  readonly partitions: TransactionPartitions;
  readonly version: TransactionVersion;
}

/** Writes markers into the partitions, wherever their leaders are. */
export interface TransactionMarkers {
  /**
   * Resolves when every partition has its marker, or is gone for good; tries again as long as it takes. Rejects when there is no point in trying: this coordinator
   * is not the one any more. `isAborted` is asked before each try.
   */
  write(end: TransactionEnd, isAborted: () => boolean): Promise<void>;
}
