/** As much as one answer may have beside its records: one alone is always within the limit. */
const BYTES_MAX_DEFAULT = 256 * 1024 * 1024;

/** A connection whose client does not take its answers as fast as they come. */
export interface AnswerHolder {
  /** Memory of answers that the operating system has not taken. */
  readonly answerBytes: () => number;
  readonly giveUp: (reason: string) => void;
}

/**
 * What answers take that clients have not taken, on all connections. Beyond the limit, the connection with the most of it is closed: others would have to do without
 * answers because of it. Records in files take nothing.
 */
export class AnswerMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #holders = new Map<AnswerHolder, number>();

  constructor(bytesMax = BYTES_MAX_DEFAULT) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A connection holds more, or less, than it did. */
  changed(holder: AnswerHolder): void {
    this.#look(holder);
    if (this.#bytes > this.#bytesMax) this.#makeRoom();
  }

  #look(holder: AnswerHolder): void {
    const bytes = holder.answerBytes();
    this.#bytes += bytes - (this.#holders.get(holder) ?? 0);
    if (bytes === 0) this.#holders.delete(holder);
    else this.#holders.set(holder, bytes);
  }

  /** Connections say only when they hold nothing any more; so all are asked first. */
  #makeRoom(): void {
    for (const holder of this.#holders.keys()) this.#look(holder);
    const byBytes = [...this.#holders].sort((a, b) => b[1] - a[1]);
    for (const [holder, bytes] of byBytes) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#holders.delete(holder);
      this.#bytes -= bytes;
      holder.giveUp('the client does not take its answers, and their memory is needed');
    }
  }
}
