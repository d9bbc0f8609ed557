/** How the records of the replicated state are written; the quorum itself does not look into them. */
export interface RecordSerde<R> {
  encode(record: R): Uint8Array;
  decode(bytes: Uint8Array): R;
}

/** A batch whose records a majority of the voters holds. A control batch comes without records: only its offsets matter. */
export interface CommittedBatch<R> {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly epoch: number;
  readonly appendTimestamp: number;
  readonly sizeInBytes: number;
  readonly records: readonly R[];
}

/** A state that stands for all records before `offset`. */
export interface LoadedSnapshot<R> {
  readonly offset: number;
  readonly epoch: number;
  readonly lastContainedLogTimestamp: number;
  readonly sizeInBytes: number;
  readonly records: Iterable<R>;
}

export interface LeaderAndEpoch {
  readonly leaderId: number | null;
  readonly epoch: number;
}

/** A state machine over the metadata log. Called in log order, one call after the other, never from within a call of its own. */
export interface RaftListener<R> {
  handleCommit(batches: readonly CommittedBatch<R>[]): void;
  /** Forget everything and start from this. */
  handleLoadSnapshot(snapshot: LoadedSnapshot<R>): void;
  /**
   * Somebody leads, or nobody is known to. That this node itself leads is told only after all that came before its epoch was
   * committed to the listener: it may act on its state.
   */
  handleLeaderChange(leader: LeaderAndEpoch): void;
}
