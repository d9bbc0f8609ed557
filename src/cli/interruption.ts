/** Ctrl-C or SIGTERM ends a loop at its next turn; a second one ends the process. */
export interface Interruption {
  readonly requested: boolean;
}

export function interruption(): Interruption {
  const state = { requested: false };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      state.requested = true;
    });
  }
  return state;
}
