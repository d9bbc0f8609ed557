/** Ctrl-C or SIGTERM ends a loop at its next turn; a second one ends the process. */
export interface Interruption {
  readonly requested: boolean;
}

let shared: { requested: boolean } | null = null;

/** Listens from the first call on; all loops of the process see the same. */
export function interruption(): Interruption {
  if (shared !== null) return shared;
  const state = { requested: false };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      state.requested = true;
    });
  }
  shared = state;
  return state;
}
