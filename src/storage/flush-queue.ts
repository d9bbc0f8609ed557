/**
 * Group commit: however many callers wait, one sync runs at a time, and one more serves everybody who came while it ran.
 */
export class FlushQueue {
  readonly #sync: (upTo: number) => Promise<void>;
  #running: Promise<void> | null = null;
  #next: { readonly done: Promise<void>; upTo: number } | null = null;

  /** `sync` makes everything below the offset it is given durable. */
  constructor(sync: (upTo: number) => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves when everything that was below `upTo` at the time of the call is durable. */
  flush(upTo: number): Promise<void> {
    if (this.#next !== null) {
      this.#next.upTo = Math.max(this.#next.upTo, upTo);
      return this.#next.done;
    }
    if (this.#running === null) return this.#run(upTo);
    const startNext = (): Promise<void> => {
      const wanted = this.#next?.upTo ?? upTo;
      this.#next = null;
      return this.#run(wanted);
    };
    // A sync that failed has taken the log offline; the next one finds that out by itself.
    const done = this.#running.then(startNext, startNext);
    this.#next = { done, upTo };
    return done;
  }

  /** Resolves when nothing is running; never rejects. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running.then(ignore, ignore);
  }

  #run(upTo: number): Promise<void> {
    const running = this.#sync(upTo).finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}

function ignore(): void {
  // Whoever asked for the sync is told.
}
