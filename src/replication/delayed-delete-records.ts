import { codeOf, errorCodeOf } from '../protocol/errors.ts';
import type { Partition } from './partition.ts';
import { DelayedOperation } from './purgatory.ts';

/** What DeleteRecords answers for one partition. */
export interface DeleteRecordsOutcome {
  readonly partitionIndex: number;
  lowWatermark: number;
  errorCode: number;
}

interface PendingDelete {
  readonly partition: Partition;
  /** The log start that all replicas have to reach. */
  readonly offset: number;
  readonly outcome: DeleteRecordsOutcome;
}

/** A DeleteRecords that waits until every live replica has dropped the records. */
export class DelayedDeleteRecords extends DelayedOperation {
  readonly #respond: () => void;
  #pending: PendingDelete[];

  constructor(options: { readonly delayMs: number; readonly pending: readonly PendingDelete[]; readonly respond: () => void }) {
    super(options.delayMs);
    this.#pending = [...options.pending];
    this.#respond = options.respond;
  }

  tryComplete(): boolean {
    this.#pending = this.#pending.filter((entry) => isPending(entry));
    return this.#pending.length === 0 && this.forceComplete();
  }

  protected onComplete(): void {
    for (const { outcome } of this.#pending) outcome.errorCode = codeOf('REQUEST_TIMED_OUT');
    this.#respond();
  }
}

const isPending = ({ partition, offset, outcome }: PendingDelete): boolean => {
  try {
    outcome.lowWatermark = partition.lowWatermark;
    return outcome.lowWatermark < offset;
  } catch (error) {
    outcome.errorCode = errorCodeOf(error);
    outcome.lowWatermark = -1;
    return false;
  }
};
