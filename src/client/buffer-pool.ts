/**
 * The memory of a producer's batches. Buffers of the usual size are used again. The limit is kept by those who fill the batches: they wait for
 * `room` when there is none; what they add in between is at most a record each.
 */
export class BufferPool {
  readonly #limit: number;
  readonly #usualSize: number;
  readonly #free: Buffer[] = [];
  #used = 0;
  #waiting: (() => void)[] = [];

  constructor(limit: number, usualSize: number) {
    this.#limit = limit;
    this.#usualSize = usualSize;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether a batch of the usual size can be had now. */
  get hasRoom(): boolean {
    return this.#used === 0 || this.#used + this.#usualSize <= this.#limit;
  }

  take(size: number): Buffer {
    const bytes = Math.max(size, this.#usualSize);
    this.#used += bytes;
    return (bytes === this.#usualSize ? this.#free.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** `reusable`: nobody reads the bytes any more. */
  give(buffer: Buffer, reusable: boolean): void {
    this.#used -= buffer.length;
    if (reusable && buffer.length === this.#usualSize && this.#free.length * this.#usualSize < this.#limit / 2)
      this.#free.push(buffer);
    if (this.hasRoom) for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves when there is room. */
  async room(): Promise<void> {
    while (!this.hasRoom) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
