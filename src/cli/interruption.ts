/** Ctrl-C or SIGTERM ends a loop at its next turn; a second one ends the process. */
export interface Interruption {
  readonly requested: boolean;
  /** For a loop that has to be woken. */
  readonly signal: AbortSignal;
}

let shared: Interruption | null = null;

/** Listens from the first call on; all loops of the process see the same. */
export function interruption(): Interruption {
  if (shared !== null) return shared;
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  const { signal } = controller;
  shared = {
    signal,
    get requested() {
      return signal.aborted;
    },
  };
  return shared;
}

/** The same as `source` gives, until `signal` is aborted. What is waited for then is given up, and not waited for. */
export async function* untilInterrupted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void> {
  const iterator = source[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const result = await new Promise<IteratorResult<T> | null>((resolve, reject) => {
      const stop = (): void => resolve(null);
      // A listener for each wait: one that stays would keep everything that was ever waited for.
      signal.addEventListener('abort', stop, { once: true });
      iterator
        .next()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', stop));
    });
    if (result === null || result.done === true) return;
    yield result.value;
  }
}
