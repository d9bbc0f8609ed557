/** Milliseconds: a point in time since the Unix epoch, or a duration. */
export type Millis = number;

/** A timer that was started; `cancel` may be called any number of times. */
export interface Timer {
  cancel(): void;
}

/** Time as an argument. The system's in production, a simulated one in tests. */
export interface Clock {
  /** Wall clock, whole milliseconds since the Unix epoch. May jump. */
  now(): Millis;
  /** Never goes back; fractional milliseconds since an arbitrary point. For durations. */
  monotonic(): Millis;
  /** Calls back once, not before `delayMs` have passed and never synchronously. */
  schedule(delayMs: Millis, callback: () => void): Timer;
  /** Runs after the current turn's I/O callbacks have been served (setImmediate). For batching work of one turn. */
  defer(callback: () => void): void;
}
