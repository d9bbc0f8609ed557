import { codeOf, errorCodeOf } from '../protocol/errors.ts';
import type { Partition } from './partition.ts';
import { DelayedOperation } from './purgatory.ts';
import type { AppendOutcome } from './append.ts';

/** When an append counts: once all replicas that are in sync have it, or once it is on the leader's disk. */
export type Durability = 'replicated' | 'flushed';

/** One append whose answer waits. */
interface PendingAppend {
  readonly partition: Partition;
  readonly outcome: AppendOutcome;
}

/** Whether the append counts already. Throws why it never will. */
export const isDurable = (partition: Partition, offset: number, durability: Durability): boolean =>
  durability === 'replicated' ? partition.isReplicated(offset) : partition.isFlushed(offset);

/** A Produce whose records are written and wait for their durability. */
export class DelayedProduce extends DelayedOperation {
  readonly #durability: Durability;
  readonly #respond: () => void;
  #pending: PendingAppend[];

  constructor(options: {
    readonly delayMs: number;
    readonly durability: Durability;
    readonly pending: readonly PendingAppend[];
    readonly respond: () => void;
  }) {
    super(options.delayMs);
    this.#durability = options.durability;
    this.#pending = [...options.pending];
    this.#respond = options.respond;
  }

  tryComplete(): boolean {
    this.#pending = this.#pending.filter((append) => this.#isPending(append));
    return this.#pending.length === 0 && this.forceComplete();
  }

  protected onComplete(): void {
    for (const { outcome } of this.#pending) outcome.errorCode = codeOf('REQUEST_TIMED_OUT');
    this.#respond();
  }

  #isPending({ partition, outcome }: PendingAppend): boolean {
    try {
      return !isDurable(partition, outcome.requiredOffset, this.#durability);
    } catch (error) {
      outcome.errorCode = errorCodeOf(error);
      return false;
    }
  }
}
