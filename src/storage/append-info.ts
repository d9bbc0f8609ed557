/** What an append did. */
export interface AppendInfo {
  /** −1 if nothing was appended. */
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly maxTimestamp: number;
  /** The time of the log; −1 if the records keep their own. */
  readonly logAppendTime: number;
  readonly logStartOffset: number;
  readonly validBytes: number;
  /** The producer sent this before: nothing was written, and the offsets are those of the first time. */
  readonly isDuplicate: boolean;
  /** Resolves when the records are synced; null where flush.messages does not ask for it. */
  readonly flushed: Promise<void> | null;
}

/** A follower was sent batches that do not continue its log. */
export class UnexpectedAppendOffsetError extends Error {
  override readonly name = 'UnexpectedAppendOffsetError';
  readonly firstOffset: number;
  readonly lastOffset: number;

  constructor(message: string, offsets: { readonly firstOffset: number; readonly lastOffset: number }) {
    super(message);
    this.firstOffset = offsets.firstOffset;
    this.lastOffset = offsets.lastOffset;
  }
}
