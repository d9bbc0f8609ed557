/** What a node cannot go on with: the first of it counts. It may come before there is a node that deals with it. */
export class NodeFailure {
  /** Resolves with what has failed. */
  readonly happened: Promise<unknown>;
  /** Rejects with it. */
  readonly thrown: Promise<never>;
  #report: (error: unknown) => void = () => undefined;
  #first: { readonly error: unknown } | null = null;

  constructor() {
    this.happened = new Promise((resolve) => {
      this.#report = resolve;
    });
    this.thrown = this.happened.then((error) => {
      throw error;
    });
    // Whoever is interested waits for it itself.
    this.thrown.catch(() => undefined);
  }

  /** Throws what has failed, if anything has. */
  throwIfAny(): void {
    if (this.#first !== null) throw this.#first.error;
  }

  readonly report = (error: unknown): void => {
    this.#first ??= { error };
    this.#report(error);
  };
}
