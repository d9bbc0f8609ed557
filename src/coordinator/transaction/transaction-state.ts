/** The states of a transaction, as Kafka numbers them in its log and spells them in its answers. */
export const TRANSACTION_STATES = [
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
  'Dead',
  'PrepareEpochFence',
] as const;

export type TransactionState = (typeof TRANSACTION_STATES)[number];

export const idOfState = (state: TransactionState): number => TRANSACTION_STATES.indexOf(state);

/** Undefined for a number that no state has. */
export const stateOfId = (id: number): TransactionState | undefined => TRANSACTION_STATES[id];

/** Undefined for a word that is no state; the words are Kafka's, letter by letter. */
export const stateOfName = (name: string): TransactionState | undefined => TRANSACTION_STATES.find((state) => state === name);

/** States in which nothing is under way, so that a transactional id may expire. */
export const isIdle = (state: TransactionState): boolean =>
  state === 'Empty' || state === 'CompleteCommit' || state === 'CompleteAbort';

/** The outcome is decided, and not yet told to every partition. */
export const isEnding = (state: TransactionState): boolean => state === 'PrepareCommit' || state === 'PrepareAbort';
