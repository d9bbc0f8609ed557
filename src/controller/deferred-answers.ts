interface Waiting {
  readonly offset: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Answers that wait until what they rest on is committed. They come in the order of their offsets. */
export class DeferredAnswers {
  #waiting: Waiting[] = [];

  /** Resolves when the record at `offset` is committed. */
  until(offset: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ offset, resolve, reject }));
  }

  committedUpTo(offset: number): void {
    const pending = this.#waiting.findIndex((waiting) => waiting.offset > offset);
    const ready = pending < 0 ? this.#waiting : this.#waiting.slice(0, pending);
    this.#waiting = pending < 0 ? [] : this.#waiting.slice(pending);
    for (const { resolve } of ready) resolve();
  }

  rejectAll(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(error);
  }
}
