import type { Clock, Millis, Timer } from '../base/clock.ts';
import type { Producer } from '../client/producer.ts';

export interface TransactionLimits {
  /** Records of a transaction at most. */
  readonly records: number;
  /** Milliseconds from its first record at most; Infinity if it may take as long as it likes. */
  readonly durationMs: Millis;
}

/** Divides what is sent into transactions: each begins with a record, and is committed when it has what it may have. */
export class InputTransactions {
  readonly #producer: Producer;
  readonly #clock: Clock;
  readonly #limits: TransactionLimits;
  readonly #committed: (records: number) => void;
  #records = 0;
  #isOpen = false;
  #timer: Timer | null = null;
  /** The commit that the timer began. */
  #ending: Promise<void> | null = null;

  constructor(producer: Producer, clock: Clock, limits: TransactionLimits, committed: (records: number) => void) {
    this.#producer = producer;
    this.#clock = clock;
    this.#limits = limits;
    this.#committed = committed;
  }

  /** Records of the transaction that is open; 0 if none is. */
  get openRecords(): number {
    return this.#records;
  }

  /** Fences whoever has the id. */
  async init(): Promise<void> {
    await this.#producer.initTransactions();
  }

  /** To be awaited, where it gives a promise, before each record. Rejects if the last transaction could not be committed. */
  beforeRecord(): Promise<void> | null {
    if (this.#ending !== null) return this.#afterEnding();
    this.#begin();
    return null;
  }

  /** To be awaited, where it gives a promise, after each record. */
  afterRecord(): Promise<void> | null {
    this.#records++;
    return this.#records >= this.#limits.records ? this.commit() : null;
  }

  /** Commits what is open. */
  async commit(): Promise<void> {
    await this.#settled();
    if (!this.#isOpen) return;
    this.#timer?.cancel();
    await this.#producer.commitTransaction();
    const records = this.#records;
    this.#isOpen = false;
    this.#records = 0;
    this.#committed(records);
  }

  /** Gives up what is open; gives the number of its records. */
  async abort(): Promise<number> {
    this.#timer?.cancel();
    // A commit that failed left its transaction open.
    await this.#settled().catch(() => undefined);
    if (!this.#isOpen) return 0;
    await this.#producer.abortTransaction();
    this.#isOpen = false;
    return this.#records;
  }

  #begin(): void {
    if (this.#isOpen) return;
    this.#producer.beginTransaction();
    this.#isOpen = true;
    this.#records = 0;
    const { durationMs } = this.#limits;
    if (durationMs === Infinity) return;
    this.#timer = this.#clock.schedule(durationMs, () => {
      this.#ending = this.commit();
      // Whoever sends or ends next is told.
      this.#ending.catch(() => undefined);
    });
  }

  async #afterEnding(): Promise<void> {
    await this.#settled();
    this.#begin();
  }

  async #settled(): Promise<void> {
    const ending = this.#ending;
    if (ending === null) return;
    this.#ending = null;
    await ending;
  }
}
