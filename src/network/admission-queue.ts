import type { Millis } from '../base/clock.ts';
import type { TimerQueue } from '../base/timer-queue.ts';

export interface AdmissionQueueOptions<Arrival> {
  readonly timers: TimerQueue;
  /** Asked once for each arrival, when its turn has come: how long it, and those behind it, wait. */
  readonly delayOf: (arrival: Arrival) => Millis;
  readonly enter: (arrival: Arrival) => void;
}

/** A door that lets in one after the other, in their order, and may be shut for a while after each. */
export class AdmissionQueue<Arrival> {
  readonly #options: AdmissionQueueOptions<Arrival>;
  readonly #waiting: Arrival[] = [];
  #isShut = false;

  constructor(options: AdmissionQueueOptions<Arrival>) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(arrival: Arrival): void {
    this.#waiting.push(arrival);
    if (!this.#isShut) this.#letIn();
  }

  /** Gives up those that wait. */
  drain(): Arrival[] {
    return this.#waiting.splice(0);
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const delayMs = this.#options.delayOf(next);
      if (delayMs > 0) return this.#shut(delayMs);
      this.#waiting.shift();
      this.#options.enter(next);
    }
  }

  #shut(delayMs: Millis): void {
    this.#isShut = true;
    this.#options.timers.schedule(delayMs, () => {
      this.#isShut = false;
      const first = this.#waiting.shift();
      if (first !== undefined) this.#options.enter(first);
      this.#letIn();
    });
  }
}
