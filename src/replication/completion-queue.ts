/**
 * Partitions of which something has to be told to those who wait for them. They are told synchronously, when the operation that caused it is
 * done, and never from within another telling: an append that completes a fetch does not run inside of that fetch's completion.
 */
export class CompletionQueue<Item> {
  readonly #complete: (item: Item) => void;
  readonly #items = new Set<Item>();
  #holdCount = 0;
  #isDraining = false;

  constructor(complete: (item: Item) => void) {
    this.#complete = complete;
  }

  /** Tells of the item now, or at the end of the operation that is running. */
  add(item: Item): void {
    this.#items.add(item);
    this.#drain();
  }

  /** Runs an operation; whatever it adds is told of when it has returned. */
  during<Result>(operation: () => Result): Result {
    this.#holdCount++;
    try {
      return operation();
    } finally {
      this.#holdCount--;
      this.#drain();
    }
  }

  #drain(): void {
    if (this.#holdCount > 0 || this.#isDraining) return;
    this.#isDraining = true;
    try {
      for (const item of this.#items) {
        this.#items.delete(item);
        this.#complete(item);
      }
    } finally {
      this.#isDraining = false;
    }
  }
}
