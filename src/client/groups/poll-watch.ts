import type { Clock, Millis } from '../../base/clock.ts';

/** Whether the application still polls: a member that does not is no member for long. */
export class PollWatch {
  readonly #clock: Clock;
  readonly #maxIntervalMs: Millis;
  #lastPoll: Millis;

  constructor(clock: Clock, maxIntervalMs: Millis) {
    this.#clock = clock;
    this.#maxIntervalMs = maxIntervalMs;
    this.#lastPoll = clock.monotonic();
  }

  polled(): void {
    this.#lastPoll = this.#clock.monotonic();
  }

  get isOver(): boolean {
    return this.#clock.monotonic() - this.#lastPoll > this.#maxIntervalMs;
  }
}
