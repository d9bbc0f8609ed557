/** What can give its descriptor back until it needs one again. */
interface Releasable {
  releaseHandle(): void;
}

/**
 * The log files that keep a descriptor between two uses, at most so many: the one that was opened first gives way. A node has as many partitions as clients
 * like to make; without a limit the process runs out of descriptors, and a file that cannot be opened is a disk that has failed.
 */
export class OpenLogFiles {
  readonly #max: number;
  /** In order of opening. */
  readonly #files = new Set<Releasable>();

  constructor(max: number) {
    this.#max = Math.max(1, max);
  }

  get count(): number {
    return this.#files.size;
  }

  /** Called before a file is opened, which may be told to let go at any time from then on. */
  opening(file: Releasable): void {
    for (const first of this.#files) {
      if (this.#files.size < this.#max) break;
      first.releaseHandle();
      this.#files.delete(first);
    }
    this.#files.add(file);
  }

  released(file: Releasable): void {
    this.#files.delete(file);
  }
}
