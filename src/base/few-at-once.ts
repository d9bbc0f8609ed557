/** Lets a few of many tasks run at the same time, the others in order of their coming. */
export class FewAtOnce {
  readonly #max: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running === this.#max) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      // Whoever waits takes the place over.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
